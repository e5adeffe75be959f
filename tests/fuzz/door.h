// A door is a function that hands bytes from outside to one reader and checks what must hold whatever they are.
//
// A door lets no exception but Error end well: anything else that leaves it is a failure. With INSTANTGP_FUZZ every
// *_fuzz.cc is a program of its own that libFuzzer feeds; in all builds they are one test program, fuzz_test, which
// replays the files of tests/fuzz/corpus, so that an input that failed once is a test ever after.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "instantgp/base/error.h"

namespace instantgp::fuzz {

using Door = void (*)(std::string_view bytes);

struct NamedDoor {
  std::string name;  // of the folder of its corpus
  Door door;
};
std::vector<NamedDoor>& AllDoors();

struct DoorEntry {
  DoorEntry(const char* name, Door door) { AllDoors().push_back({name, door}); }
};

// Throws std::logic_error: the door has found a failure.
void Require(bool holds, const std::string& what);

// One of `count` checks, by the bytes themselves: a door that has many does one or two at a time and is the faster for
// it, and the same bytes always get the same. Who sets the shift to 0, 1, .. kMostTurns - 1 gets them all.
inline constexpr int kMostTurns = 12;
int& TurnShift();
inline int TurnOf(std::string_view bytes, int count) {
  std::uint32_t hash = 2166136261u;
  for (const char c : bytes) hash = (hash ^ static_cast<std::uint8_t>(c)) * 16777619u;
  return static_cast<int>(((hash >> 8) + static_cast<std::uint32_t>(TurnShift())) % static_cast<std::uint32_t>(count));
}

// Whether `work` came to an end without an Error, the only exception it may throw.
template <typename Work>
bool Accepts(const Work& work) {
  try {
    work();
    return true;
  } catch (const Error& error) {
    Require(error.what()[0] != '\0', "an Error without a message");
    return false;
  }
}

}  // namespace instantgp::fuzz

#define INSTANTGP_DOOR(name, door) static const ::instantgp::fuzz::DoorEntry door##_entry(#name, door);
