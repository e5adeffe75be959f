// Bytes of a fuzzer as decisions: which of some choices, which number. When they run out every choice is the first one,
// so that shorter inputs are simpler cases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace instantgp::fuzz {

class ByteFeed {
 public:
  explicit ByteFeed(std::string_view bytes) : bytes_(bytes) {}

  std::uint8_t Byte() {
    if (bytes_.empty()) return 0;
    const auto byte = static_cast<std::uint8_t>(bytes_.front());
    bytes_.remove_prefix(1);
    return byte;
  }
  // 0 .. count - 1
  int Below(int count) { return count <= 1 ? 0 : static_cast<int>(Byte()) % count; }
  bool Flag() { return (Byte() & 1) != 0; }
  // True once in `count` bytes or so; never when the bytes have run out.
  bool Rarely(int count) { return Byte() % count == count - 1; }

  // Any bit pattern.
  double AnyDouble() {
    std::uint64_t bits = 0;
    for (int k = 0; k < 8; ++k) bits |= std::uint64_t{Byte()} << (8 * k);
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }

  std::string_view Rest() const { return bytes_; }

 private:
  std::string_view bytes_;
};

}  // namespace instantgp::fuzz
