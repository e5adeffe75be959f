// A server of its own for a test, and a client that sends whatever bytes it is told to.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace instantgp::testing {

using Header = std::pair<std::string, std::string>;

struct Reply {
  int status = 0;                              // 0: none came
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;                            // without the frames of chunks
  double milliseconds = 0;

  nlohmann::json json() const { return nlohmann::json::parse(body, nullptr, false); }
};

// A socket that closes itself.
class Client {
 public:
  explicit Client(int port);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void Send(const std::string& bytes);  // what the server refuses to take is left
  Reply Read(int patience_ms = 30000, bool head_only = false);
  // What comes next, up to so many bytes; empty at the end or when nothing comes in time.
  std::string ReadSome(std::size_t most, int patience_ms = 30000);
  void ShutDown();  // nothing more will be sent
  void Close();

 private:
  int socket_ = -1;
  std::string rest_;
};

class ServerProcess {
 public:
  // `program serve --port PORT ARGUMENTS`; returns once it listens.
  ServerProcess(const std::string& program, std::vector<std::string> arguments, int port);
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  int port() const { return port_; }
  std::string host() const { return "127.0.0.1:" + std::to_string(port_); }
  void Signal(int number) const;
  int Wait();  // the exit code; 128 + signal when killed

  // One request on a connection of its own.
  Reply Ask(const std::string& method, const std::string& target, const std::string& body = "",
            std::vector<Header> headers = {}) const;
  Reply Post(const std::string& target, const nlohmann::json& body, std::vector<Header> headers = {}) const;
  Reply PostCsv(const std::string& target, const std::string& csv) const;
  // The value of a line of /metrics that begins so; 0 where there is none.
  double Metric(const std::string& line) const;

 private:
  int pid_ = -1;
  int out_ = -1;
  int port_ = 0;
};

std::string RequestText(const std::string& host, const std::string& method, const std::string& target,
                        const std::string& body = "", const std::vector<Header>& headers = {});

}  // namespace instantgp::testing
