#include "tests/fuzz/door.h"

#include <stdexcept>

namespace instantgp::fuzz {

std::vector<NamedDoor>& AllDoors() {
  static std::vector<NamedDoor> doors;
  return doors;
}

int& TurnShift() {
  static int shift = 0;
  return shift;
}

void Require(bool holds, const std::string& what) {
  if (!holds) throw std::logic_error("fuzz: " + what);
}

}  // namespace instantgp::fuzz
