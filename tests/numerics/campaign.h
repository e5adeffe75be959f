// Many random fits of the kind that breaks numerics (tests/support/fit_case.h), counted by how they end.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace instantgp::testing {

struct CampaignOptions {
  std::uint64_t seed = 1;
  std::int64_t first = 0;  // case k depends on the seed and k alone
  std::int64_t count = 100'000;
  int rows = 200;
  int threads = 0;  // 0: as the machine has
  std::function<void(std::int64_t done)> progress = {};
};

struct CampaignCounts {
  std::map<std::string, std::map<std::string, std::int64_t>> outcomes;  // method -> "ok", an error's code, or "FAILED"
  std::map<std::string, std::int64_t> reasons;                          // of errors, without what differs
  std::vector<std::string> failures;                                    // what happened and the case, the first few
  std::int64_t failed = 0;
  double worst_seconds = 0;
  std::int64_t worst_case = 0;
};

// A failure is what is neither a model of which everything holds that must (tests/support/fit_invariants.h) nor an
// Error(kBadInput, kLimit or kNumerical): the options are always ones a user may give.
CampaignCounts RunCampaign(const CampaignOptions& options);

}  // namespace instantgp::testing
