// A client of the live connection: as much of RFC 6455 as one needs that sends texts.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/server_process.h"

namespace instantgp::testing {

class LiveSocket {
 public:
  explicit LiveSocket(int port, std::vector<Header> headers = {}) : client_(port) {
    headers.insert(headers.end(), {{"Upgrade", "websocket"},
                                   {"Connection", "Upgrade"},
                                   {"Sec-WebSocket-Version", "13"},
                                   {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="}});
    client_.Send(RequestText("127.0.0.1:" + std::to_string(port), "GET", "/v1/live", "", headers));
    reply_ = client_.Read();
  }
  const Reply& reply() const { return reply_; }

  void Send(const std::string& text) {
    std::string frame = "\x81";
    if (text.size() < 126) {
      frame += static_cast<char>(0x80 | text.size());
    } else if (text.size() < 65536) {
      frame += static_cast<char>(0x80 | 126);
      frame += static_cast<char>(text.size() >> 8);
      frame += static_cast<char>(text.size() & 255);
    } else {
      frame += static_cast<char>(0x80 | 127);
      for (int shift = 56; shift >= 0; shift -= 8) frame += static_cast<char>((text.size() >> shift) & 255);
    }
    frame += std::string(4, '\0');  // a mask of zeros changes nothing
    client_.Send(frame + text);
  }
  void Send(const nlohmann::json& message) { Send(message.dump()); }

  nlohmann::json Receive() {
    const std::string head = Exactly(2);
    if (head.size() < 2) return {};
    std::size_t length = static_cast<unsigned char>(head[1]) & 127;
    const std::size_t more = length == 126 ? 2 : length == 127 ? 8 : 0;
    if (more > 0) {
      length = 0;
      for (const unsigned char byte : Exactly(more)) length = 256 * length + byte;
    }
    return nlohmann::json::parse(Exactly(length), nullptr, false);
  }

 private:
  std::string Exactly(std::size_t count) {
    std::string bytes;
    while (bytes.size() < count) {
      const std::string next = client_.ReadSome(count - bytes.size());
      if (next.empty()) break;
      bytes += next;
    }
    return bytes;
  }

  Client client_;
  Reply reply_;
};

}  // namespace instantgp::testing
