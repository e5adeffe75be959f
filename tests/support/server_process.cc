#include "tests/support/server_process.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <stdexcept>

#include "instantgp/base/stopwatch.h"

namespace instantgp::testing {
namespace {

bool Readable(int descriptor, int patience_ms) {
  pollfd waiting{descriptor, POLLIN, 0};
  return ::poll(&waiting, 1, patience_ms) > 0;
}

std::string LowerName(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

}  // namespace

Client::Client(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    ::close(socket_);
    throw std::runtime_error("cannot connect");
  }
  const int yes = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

Client::~Client() { Close(); }

void Client::Close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

void Client::ShutDown() { ::shutdown(socket_, SHUT_WR); }

void Client::Send(const std::string& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();) {
    pollfd ready{socket_, POLLOUT | POLLIN, 0};
    if (::poll(&ready, 1, 5000) <= 0 || (ready.revents & POLLOUT) == 0) return;
    const ssize_t count = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count <= 0) return;
    sent += static_cast<std::size_t>(count);
    if ((ready.revents & POLLIN) != 0) return;  // it has answered already
  }
}

std::string Client::ReadSome(std::size_t most, int patience_ms) {
  if (rest_.empty() && Readable(socket_, patience_ms)) {
    char buffer[65536];
    const ssize_t count = ::recv(socket_, buffer, sizeof buffer, 0);
    if (count > 0) rest_.assign(buffer, static_cast<std::size_t>(count));
  }
  std::string some = rest_.substr(0, most);
  rest_.erase(0, some.size());
  return some;
}

Reply Client::Read(int patience_ms, bool head_only) {
  const Stopwatch clock;
  Reply reply;
  std::string text;
  const auto more = [&] {
    const std::string next = ReadSome(1 << 20, patience_ms);
    text += next;
    return !next.empty();
  };
  std::size_t end;
  while ((end = text.find("\r\n\r\n")) == std::string::npos) {
    if (!more()) return reply;
  }
  reply.status = std::atoi(text.c_str() + 9);
  for (std::size_t begin = text.find("\r\n") + 2; begin < end;) {
    const std::size_t stop = text.find("\r\n", begin), colon = text.find(": ", begin);
    reply.headers[LowerName(text.substr(begin, colon - begin))] = text.substr(colon + 2, stop - colon - 2);
    begin = stop + 2;
  }
  text.erase(0, end + 4);
  if (head_only) {
    rest_ = text;
  } else if (reply.headers.contains("content-length")) {
    const auto length = static_cast<std::size_t>(std::stoul(reply.headers["content-length"]));
    while (text.size() < length && more()) {
    }
    reply.body = text.substr(0, length);
    rest_ = text.size() > length ? text.substr(length) : "";
  } else if (reply.headers.contains("transfer-encoding")) {
    for (;;) {
      std::size_t line;
      while ((line = text.find("\r\n")) == std::string::npos && more()) {
      }
      if (line == std::string::npos) break;
      const std::size_t size = std::stoul(text.substr(0, line), nullptr, 16);
      while (text.size() < line + 2 + size + 2 && more()) {
      }
      reply.body += text.substr(line + 2, size);
      text.erase(0, line + 2 + size + 2);
      if (size == 0) break;
    }
  }
  reply.milliseconds = clock.Milliseconds();
  return reply;
}

ServerProcess::ServerProcess(const std::string& program, std::vector<std::string> arguments, int port) {
  arguments.insert(arguments.begin(), {program, "serve", "--port", std::to_string(port), "--quiet"});
  int out[2];
  if (::pipe2(out, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  const int failed = ::posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(out[1]);
  out_ = out[0];
  if (failed != 0) throw std::runtime_error("cannot start the server");
  std::string line;
  char c = 0;
  while (Readable(out_, 60000) && ::read(out_, &c, 1) == 1 && c != '\n') line += c;
  const std::size_t colon = line.rfind(':');
  if (colon == std::string::npos) throw std::runtime_error("the server printed no address");
  port_ = std::atoi(line.c_str() + colon + 1);
}

ServerProcess::~ServerProcess() {
  if (pid_ > 0) {
    Signal(SIGTERM);
    Wait();
  }
  ::close(out_);
}

void ServerProcess::Signal(int number) const { ::kill(pid_, number); }

int ServerProcess::Wait() {
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string RequestText(const std::string& host, const std::string& method, const std::string& target,
                        const std::string& body, const std::vector<Header>& headers) {
  std::string text = method + " " + target + " HTTP/1.1\r\n";
  bool named = false;
  for (const auto& [name, value] : headers) {
    text += name + ": " + value + "\r\n";
    named = named || name == "Host";
  }
  if (!named) text += "Host: " + host + "\r\n";
  if (!body.empty() || method == "POST") text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return text + "\r\n" + body;
}

Reply ServerProcess::Ask(const std::string& method, const std::string& target, const std::string& body,
                         std::vector<Header> headers) const {
  Client client(port_);
  const Stopwatch clock;
  client.Send(RequestText(host(), method, target, body, headers));
  Reply reply = client.Read(30000, method == "HEAD");
  reply.milliseconds = clock.Milliseconds();
  return reply;
}

Reply ServerProcess::Post(const std::string& target, const nlohmann::json& body, std::vector<Header> headers) const {
  headers.emplace_back("Content-Type", "application/json");
  return Ask("POST", target, body.dump(), std::move(headers));
}

Reply ServerProcess::PostCsv(const std::string& target, const std::string& csv) const {
  return Ask("POST", target, csv, {{"Content-Type", "text/csv"}});
}

double ServerProcess::Metric(const std::string& line) const {
  const std::string text = Ask("GET", "/metrics").body;
  const std::size_t at = text.find("\n" + line);
  return at == std::string::npos ? 0 : std::stod(text.substr(text.find(' ', at + 1 + line.size() - 1) + 1));
}

}  // namespace instantgp::testing
