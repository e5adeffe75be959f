// INSTANTGP_CHECK: a condition only a bug of ours can break. Always on, throws std::logic_error, never aborts.
#pragma once

#include <stdexcept>
#include <string>

namespace instantgp {

[[noreturn]] inline void FailCheck(const char* condition, const char* file, int line) {
  throw std::logic_error(std::string("internal check failed: ") + condition + " at " + file + ":" +
                         std::to_string(line));
}

}  // namespace instantgp

#define INSTANTGP_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::instantgp::FailCheck(#condition, __FILE__, __LINE__))

// The same in inner loops: checked in builds without NDEBUG only.
#ifdef NDEBUG
#define INSTANTGP_DCHECK(condition) static_cast<void>(0)
#else
#define INSTANTGP_DCHECK(condition) INSTANTGP_CHECK(condition)
#endif
