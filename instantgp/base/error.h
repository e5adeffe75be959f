// The one exception of the library, and its codes.
//
// Three tiers: a bug of ours is an INSTANTGP_CHECK (check.h); bad input is an Error thrown here; a numerical failure
// inside an optimisation is a returned status that the caller treats as a rejected step.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "instantgp/base/export.h"

namespace instantgp {

// The numbers are the exit codes of the command line.
enum class ErrorCode {
  kFailure = 1,       // the surroundings failed: a file cannot be written, a disk is full
  kUsage = 2,         // an option or argument that does not exist or does not fit the others
  kBadInput = 3,      // data, a kernel expression or a file that cannot be understood
  kNumerical = 4,     // no factorisation or no finite value could be had
  kLimit = 5,         // the request exceeds a stated limit of size or time
  kInterrupted = 130  // the caller asked to stop
};

// An option that would help, as data: a front end says it in its own words. {"method", "svgp"} is `--method svgp` on
// the command line, `method="svgp"` in Python and a field in JSON. Without a value the option itself is meant.
struct INSTANTGP_EXPORT Remedy {
  std::string option;
  std::string value = {};

  friend bool operator==(const Remedy&, const Remedy&) = default;
};

// what() is a whole message for a person, in no front end's words: what is wrong, where, and how to fix it.
class INSTANTGP_EXPORT Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message, std::vector<Remedy> remedies = {})
      : std::runtime_error(message), code_(code), remedies_(std::move(remedies)) {}
  ErrorCode code() const { return code_; }
  // To be taken together.
  const std::vector<Remedy>& remedies() const { return remedies_; }

 private:
  ErrorCode code_;
  std::vector<Remedy> remedies_;
};

}  // namespace instantgp
