#include "apps/serve/http/connection.h"

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <chrono>
#include <deque>
#include <optional>
#include <utility>

#include "apps/serve/http/answer_text.h"
#include "apps/serve/http/live_connection.h"
#include "apps/serve/http/problem.h"
#include "apps/serve/http/url.h"
#include "instantgp/base/stopwatch.h"

namespace instantgp::serve {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Parser = http::request_parser<http::string_body>;

std::chrono::milliseconds Milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<long>(1000 * seconds));
}

std::string_view View(beast::string_view text) { return {text.data(), text.size()}; }

bool Mentions(std::string_view list, std::string_view word) { return list.find(word) != std::string_view::npos; }

class Connection : public Peer, public std::enable_shared_from_this<Connection> {
 public:
  Connection(std::shared_ptr<Server::State> state, asio::ip::tcp::socket socket)
      : state_(std::move(state)), stream_(std::move(socket)), deadline_(state_->io) {
    place_ = state_->peers.insert(state_->peers.end(), this);
    ++state_->open;
  }
  ~Connection() override {
    if (place_) state_->peers.erase(*place_);
    --state_->open;
  }

  void Start() {
    beast::error_code ignored;
    stream_.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
    WaitForRequest(limits().header_seconds);
  }

  bool waiting() const override { return phase_ == Phase::kSilent || phase_ == Phase::kReading; }
  void Drop() override { Close(); }
  void Finish() override {
    last_ = true;
    if (phase_ == Phase::kSilent) Close();
  }
  void Abort() override { stop_.request_stop(); }

 private:
  enum class Phase { kSilent, kReading, kWorking, kWriting };

  const Limits& limits() const { return state_->options.limits; }

  // The first byte may take its time between two requests; once it is there the header has to follow.
  void WaitForRequest(double seconds) {
    if (buffer_.size() > 0) return ReadHeader();
    phase_ = Phase::kSilent;
    stream_.expires_after(Milliseconds(seconds));
    stream_.async_read_some(buffer_.prepare(4096),
                            [self = shared_from_this()](beast::error_code error, std::size_t bytes) {
                              if (error) return self->Close();
                              self->buffer_.commit(bytes);
                              self->ReadHeader();
                            });
  }

  void ReadHeader() {
    phase_ = Phase::kReading;
    clock_ = Stopwatch();
    keep_alive_ = head_only_ = false;
    route_ = {};
    allowed_origin_.clear();
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(limits().header_bytes));
    parser_->body_limit(limits().body_bytes);
    stream_.expires_after(Milliseconds(limits().header_seconds));
    http::async_read_header(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](beast::error_code error, std::size_t) { self->OnHeader(error); });
  }

  void OnHeader(beast::error_code error) {
    if (error) return OnBroken(error);
    const auto& header = parser_->get();
    keep_alive_ = header.keep_alive();
    const std::string_view target = View(header.target());
    const std::size_t mark = std::min(target.find('?'), target.size());
    const auto path = Unescape(target.substr(0, mark), false);
    if (!path || !path->starts_with('/')) return RefuseUnread(Problem(400, "the address is no path"));
    request_ = Request{};
    request_.method = View(header.method_string());
    request_.path = *path;
    request_.query = mark < target.size() ? target.substr(mark + 1) : "";
    request_.content_type = View(header[http::field::content_type]);
    request_.accept = View(header[http::field::accept]);
    request_.if_none_match = View(header[http::field::if_none_match]);
    request_.accepts_gzip = Mentions(View(header[http::field::accept_encoding]), "gzip");
    head_only_ = request_.method == "HEAD";
    if (head_only_) request_.method = "GET";
    route_ = state_->handler.Find(request_.method, request_.path);
    const std::string_view origin = View(header[http::field::origin]);
    const Asker asker{View(header[http::field::host]), origin, View(header[http::field::authorization]),
                      View(header[http::field::sec_websocket_protocol])};
    allowed_origin_ = state_->guard.AllowedOrigin(origin);
    if (request_.method == "OPTIONS" && !allowed_origin_.empty()) return RefuseUnread(Preflight());
    if (auto refused = state_->guard.Refuse(asker, route_.open)) return RefuseUnread(*refused);
    if (route_.kind == RouteKind::kMissing) return RefuseUnread(Problem(404, "there is nothing at this address"));
    if (route_.kind == RouteKind::kWrongMethod) {
      Response response = Problem(405, "this address takes " + std::string(route_.methods));
      response.headers.emplace_back("Allow", std::string(route_.methods));
      return RefuseUnread(response);
    }
    if (route_.kind == RouteKind::kLive) return GoLive();
    if (!header[http::field::content_encoding].empty()) {
      return RefuseUnread(Problem(415, "send the body as it is, without Content-Encoding"));
    }
    if (parser_->is_done()) return Dispatch();
    if (beast::iequals(header[http::field::expect], "100-continue")) return Continue();
    ReadBody();
  }

  void Continue() {
    static constexpr char kText[] = "HTTP/1.1 100 Continue\r\n\r\n";
    stream_.expires_after(Milliseconds(limits().write_seconds));
    asio::async_write(stream_, asio::buffer(kText, sizeof kText - 1),
                      [self = shared_from_this()](beast::error_code error, std::size_t) {
                        if (error) return self->Close();
                        self->ReadBody();
                      });
  }

  void ReadBody() {
    stream_.expires_after(Milliseconds(limits().body_seconds));
    http::async_read(stream_, buffer_, *parser_, [self = shared_from_this()](beast::error_code error, std::size_t) {
      if (error) return self->OnBroken(error);
      self->Dispatch();
    });
  }

  void OnBroken(beast::error_code error) {
    if (error == http::error::header_limit) {
      return RefuseUnread(
          Problem(431, "the header is larger than " + std::to_string(limits().header_bytes) + " bytes"));
    }
    if (error == http::error::body_limit) {
      return RefuseUnread(Problem(413, "the body is larger than " + std::to_string(limits().body_bytes) + " bytes"));
    }
    if (error == beast::error::timeout) {
      // Whoever sends a byte now and then hears nothing more: an answer would only keep the connection.
      return Close();
    }
    if (error == http::error::partial_message) return RefuseUnread(Problem(400, "the request ends too early"));
    if (error.category() == make_error_code(http::error::bad_method).category() &&
        error != http::error::end_of_stream) {
      return RefuseUnread(Problem(400, "this is not HTTP as this server understands it: " + error.message()));
    }
    Close();
  }

  Response Preflight() const {
    Response response{204, ""};
    response.headers = {{"Access-Control-Allow-Methods", "GET, POST, DELETE"},
                        {"Access-Control-Allow-Headers", "Authorization, Content-Type"},
                        {"Access-Control-Max-Age", "600"}};
    return response;
  }

  // Without reading on; the connection cannot be used for another request then.
  void RefuseUnread(const Response& response) {
    if (!parser_ || !parser_->is_done()) keep_alive_ = false;
    Respond(response);
  }

  void Dispatch() {
    request_.body = std::move(parser_->get().body());
    if (route_.kind == RouteKind::kAtOnce) return Respond(state_->handler.Answer(request_));
    phase_ = Phase::kWorking;
    stop_ = std::stop_source();
    request_.stop = stop_.get_token();
    streaming_ = false;
    request_.stream = [self = shared_from_this()](std::string line) {
      asio::post(self->state_->io, [self, line = std::move(line)]() mutable { self->Stream(std::move(line)); });
    };
    stream_.expires_never();
    const bool taken =
        state_->workers->Submit([self = shared_from_this(), guard = asio::make_work_guard(state_->io)]() mutable {
          Response response = self->state_->handler.Answer(self->request_);
          // With the last hold on the connection: it must not end on this thread.
          asio::io_context& io = self->state_->io;
          asio::post(io, [self = std::move(self), response = std::move(response)]() mutable {
            self->Done(std::move(response));
          });
        });
    if (!taken) {
      request_.stream = nullptr;
      return Respond(Problem(429, "too many requests wait already; come back in a second", 1));
    }
    Watch();
  }

  // While the request is worked on: a client that goes away, and the time.
  void Watch() {
    deadline_.expires_after(Milliseconds(limits().seconds));
    deadline_.async_wait([self = shared_from_this()](beast::error_code error) {
      if (!error && self->phase_ == Phase::kWorking) {
        self->out_of_time_ = true;
        self->stop_.request_stop();
      }
    });
    if (buffer_.size() > 0) return;
    stream_.socket().async_wait(asio::ip::tcp::socket::wait_read,
                                [self = shared_from_this(), work = ++works_](beast::error_code error) {
                                  if (error || self->phase_ != Phase::kWorking || work != self->works_) return;
                                  char byte = 0;
                                  beast::error_code result;
                                  asio::ip::tcp::socket& socket = self->stream_.socket();
                                  socket.non_blocking(true, result);
                                  socket.receive(asio::buffer(&byte, 1), asio::socket_base::message_peek, result);
                                  if (result == asio::error::would_block || !result) return;
                                  self->gone_ = true;
                                  self->stop_.request_stop();
                                });
  }

  void Done(Response response) {
    request_.stream = nullptr;
    deadline_.cancel();
    beast::error_code ignored;
    if (!writing_) stream_.socket().cancel(ignored);
    if (gone_) {
      state_->handler.Count(route_.name, 499, clock_.Milliseconds() / 1000);
      return Close();
    }
    if (out_of_time_ && response.status == 503) {
      char text[120];
      std::snprintf(text, sizeof text, "this took longer than the %.0f s a request may take; ask for less",
                    limits().seconds);
      response = Problem(503, text, 1);
      if (streaming_) response.body = Json({{"problem", Json::parse(response.body)}}).dump() + "\n";
    }
    out_of_time_ = false;
    if (!streaming_) return Respond(response);
    phase_ = Phase::kWriting;
    state_->handler.Count(route_.name, response.status, clock_.Milliseconds() / 1000);
    outgoing_.push_back(Chunk(response.body) + "0\r\n\r\n");
    ended_ = true;
    WriteNext();
  }

  void Stream(std::string line) {
    if (phase_ != Phase::kWorking || gone_) return;
    if (!streaming_) {
      streaming_ = true;
      outgoing_.push_back(AnswerHead({200, "application/x-ndjson"}, HeadOptions(std::nullopt)));
    }
    line += '\n';
    outgoing_.push_back(Chunk(line));
    WriteNext();
  }

  AnswerOptions HeadOptions(std::optional<std::size_t> length) const {
    return {keep_alive_ && !last_ && !state_->ending, length, allowed_origin_};
  }

  void Respond(const Response& response) {
    phase_ = Phase::kWriting;
    state_->handler.Count(route_.name, response.status, clock_.Milliseconds() / 1000);
    outgoing_.push_back(AnswerHead(response, HeadOptions(response.body.size())));
    if (!head_only_) outgoing_.back() += response.body;
    ended_ = true;
    WriteNext();
  }

  void WriteNext() {
    if (writing_) return;
    if (outgoing_.empty()) {
      if (ended_) Next();
      return;
    }
    writing_ = true;
    stream_.expires_after(Milliseconds(limits().write_seconds));
    asio::async_write(stream_, asio::buffer(outgoing_.front()),
                      [self = shared_from_this()](beast::error_code error, std::size_t) {
                        self->writing_ = false;
                        self->outgoing_.pop_front();
                        if (error) {
                          self->gone_ = true;
                          self->stop_.request_stop();
                          if (self->phase_ != Phase::kWorking) self->Close();
                          return;
                        }
                        if (self->phase_ == Phase::kWorking) self->stream_.expires_never();
                        self->WriteNext();
                      });
  }

  void Next() {
    ended_ = false;
    streaming_ = false;
    if (!keep_alive_ || last_ || state_->ending) return CloseGently();
    WaitForRequest(limits().idle_seconds);
  }

  // What a client still sends is read and forgotten for a moment: closing at once would destroy the answer on its way.
  void CloseGently() {
    beast::error_code ignored;
    stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
    phase_ = Phase::kSilent;
    stream_.expires_after(std::chrono::milliseconds(state_->ending ? 100 : 1000));
    buffer_.consume(buffer_.size());
    Forget();
  }
  void Forget() {
    stream_.async_read_some(buffer_.prepare(65536), [self = shared_from_this()](beast::error_code error, std::size_t) {
      if (error) return self->Close();
      self->Forget();
    });
  }

  void Close() {
    deadline_.cancel();
    stream_.close();
  }

  void GoLive() {
    if (!beast::websocket::is_upgrade(parser_->get())) {
      return RefuseUnread(Problem(400, "this address speaks WebSocket"));
    }
    if (state_->live >= limits().live_connections) {
      return RefuseUnread(Problem(503, "too many live pages are open; close one", 5));
    }
    state_->handler.Count(route_.name, 101, 0);
    state_->peers.erase(*place_);
    place_.reset();
    stream_.expires_never();
    StartLive(state_, std::move(stream_), parser_->release());
  }

  std::shared_ptr<Server::State> state_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  asio::steady_timer deadline_;
  std::optional<Parser> parser_;
  std::optional<std::list<Peer*>::iterator> place_;
  Phase phase_ = Phase::kSilent;
  bool keep_alive_ = false, head_only_ = false, last_ = false;
  bool streaming_ = false, writing_ = false, ended_ = false, gone_ = false, out_of_time_ = false;
  int works_ = 0;
  Route route_;
  Request request_;
  std::string allowed_origin_;
  std::stop_source stop_;
  Stopwatch clock_;
  std::deque<std::string> outgoing_;
};

}  // namespace

void StartConnection(std::shared_ptr<Server::State> state, asio::ip::tcp::socket socket) {
  std::make_shared<Connection>(std::move(state), std::move(socket))->Start();
}

}  // namespace instantgp::serve
