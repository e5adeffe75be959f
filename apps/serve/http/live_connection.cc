#include "apps/serve/http/live_connection.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <optional>
#include <utility>

#include "instantgp/base/stopwatch.h"

namespace instantgp::serve {
namespace {

namespace websocket = boost::beast::websocket;

class LiveConnection : public Peer, public std::enable_shared_from_this<LiveConnection> {
 public:
  LiveConnection(std::shared_ptr<Server::State> state, boost::beast::tcp_stream stream, UpgradeRequest request)
      : state_(std::move(state)),
        socket_(std::move(stream)),
        upgrade_(std::move(request)),
        session_(state_->handler.OpenLive()) {
    place_ = state_->peers.insert(state_->peers.end(), this);
    ++state_->live;
    ++state_->open;
  }
  ~LiveConnection() override {
    state_->peers.erase(place_);
    --state_->live;
    --state_->open;
  }

  void Start() {
    websocket::stream_base::timeout timeout =
        websocket::stream_base::timeout::suggested(boost::beast::role_type::server);
    timeout.idle_timeout = std::chrono::seconds(120);
    timeout.keep_alive_pings = true;
    socket_.set_option(timeout);
    socket_.set_option(websocket::stream_base::decorator(
        [](websocket::response_type& response) { response.set(boost::beast::http::field::server, "instantgp"); }));
    const boost::beast::string_view offered = upgrade_[boost::beast::http::field::sec_websocket_protocol];
    if (offered.find("instantgp") != boost::beast::string_view::npos) {
      socket_.set_option(websocket::stream_base::decorator([](websocket::response_type& response) {
        response.set(boost::beast::http::field::server, "instantgp");
        response.set(boost::beast::http::field::sec_websocket_protocol, "instantgp");
      }));
    }
    socket_.read_message_max(512 * 1024);
    socket_.auto_fragment(false);
    socket_.async_accept(upgrade_, [self = shared_from_this()](boost::beast::error_code error) {
      if (error) return;
      self->open_ = true;
      if (self->closing_) return self->SayGoodbye();
      self->Read();
    });
  }

  bool waiting() const override { return false; }
  void Drop() override { Abort(); }
  void Finish() override {
    stop_.request_stop();
    if (closing_) return;
    closing_ = true;
    if (open_) SayGoodbye();  // else once the handshake is written: two writes at once are one too many
  }
  void Abort() override { boost::beast::get_lowest_layer(socket_).close(); }

 private:
  void SayGoodbye() {
    socket_.async_close(websocket::close_code::going_away, [self = shared_from_this()](boost::beast::error_code) {});
  }

  void Read() {
    socket_.async_read(buffer_, [self = shared_from_this()](boost::beast::error_code error, std::size_t) {
      if (error) return self->stop_.request_stop(), void();
      std::string message = boost::beast::buffers_to_string(self->buffer_.data());
      self->buffer_.consume(self->buffer_.size());
      if (self->working_) {
        self->newest_ = std::move(message);
      } else {
        self->Work(std::move(message));
      }
      self->Read();
    });
  }

  void Work(std::string message) {
    working_ = true;
    const bool taken = state_->live_workers->Submit([self = shared_from_this(), message = std::move(message),
                                                     guard = boost::asio::make_work_guard(state_->io)]() mutable {
      const Stopwatch clock;
      std::string answer = self->session_->Answer(message, self->stop_.get_token());
      const double seconds = clock.Milliseconds() / 1000;
      boost::asio::io_context& io = self->state_->io;
      boost::asio::post(io, [self = std::move(self), seconds, answer = std::move(answer)]() mutable {
        self->state_->handler.Count("live message", 200, seconds);
        self->Write(std::move(answer));
      });
    });
    if (!taken) working_ = false;  // the next message asks again
  }

  // The next message is worked on while this answer is written.
  void Write(std::string answer) {
    working_ = false;
    if (newest_) Work(std::exchange(newest_, std::nullopt).value());
    if (closing_) return;
    waiting_ = std::move(answer);
    Send();
  }
  void Send() {
    if (writing_ || !waiting_) return;
    writing_ = true;
    answer_ = std::exchange(waiting_, std::nullopt).value();
    socket_.text(true);
    socket_.async_write(boost::asio::buffer(answer_),
                        [self = shared_from_this()](boost::beast::error_code error, std::size_t) {
                          self->writing_ = false;
                          if (!error) self->Send();
                        });
  }

  std::shared_ptr<Server::State> state_;
  websocket::stream<boost::beast::tcp_stream> socket_;
  UpgradeRequest upgrade_;
  std::unique_ptr<LiveSession> session_;
  std::list<Peer*>::iterator place_;
  boost::beast::flat_buffer buffer_;
  std::stop_source stop_;
  bool open_ = false, working_ = false, writing_ = false, closing_ = false;
  std::optional<std::string> newest_;   // came while another was worked on
  std::optional<std::string> waiting_;  // to be written when the one before is
  std::string answer_;
};

}  // namespace

void StartLive(std::shared_ptr<Server::State> state, boost::beast::tcp_stream stream, UpgradeRequest request) {
  std::make_shared<LiveConnection>(std::move(state), std::move(stream), std::move(request))->Start();
}

}  // namespace instantgp::serve
