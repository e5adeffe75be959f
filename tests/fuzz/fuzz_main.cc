// What libFuzzer calls: the one door that the program is linked with.
#include "tests/fuzz/door.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const instantgp::fuzz::Door door = instantgp::fuzz::AllDoors().front().door;
  door(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
