#include "instantgp/optimize/objective.h"

namespace instantgp {

std::string Describe(StopReason reason) {
  switch (reason) {
    case StopReason::kConverged:
      return "converged";
    case StopReason::kMaxSteps:
      return "reached the step limit";
    case StopReason::kLineSearch:
      return "no further decrease along the search direction";
    case StopReason::kFailedAtStart:
      return "the start could not be evaluated";
    case StopReason::kInterrupted:
      return "interrupted";
  }
  return "unknown";
}

}  // namespace instantgp
