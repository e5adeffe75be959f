// The bytes of a file from beginning to end, unpacked where it is compressed with gzip.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace instantgp {

// Not copyable. "-" is standard input. Whether a file is compressed is seen from its first bytes, not from its name.
class ByteSource {
 public:
  explicit ByteSource(const std::string& path);  // Error(kBadInput) naming the path and the reason
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // Up to `size` further bytes; fewer, or none, only at the end. Error(kBadInput) for a compressed file that is damaged
  // or ends too early.
  std::size_t Read(char* into, std::size_t size);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// All of it. A compressed file that unpacks to more than `most` bytes is an Error(kLimit).
inline constexpr std::size_t kMostUnpackedBytes = std::size_t{1} << 35;
std::string ReadText(const std::string& path, std::size_t most = kMostUnpackedBytes);

}  // namespace instantgp
