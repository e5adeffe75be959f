// The campaign as a program: numerics_campaign [COUNT] [SEED] [FIRST]. 100,000 cases take minutes on two cores. Exit
// code 1 when a case failed; the first failures are printed with their tables.
#include <cstdio>
#include <cstdlib>

#include "tests/numerics/campaign.h"

int main(int argc, char** argv) {
  instantgp::testing::CampaignOptions options;
  if (argc > 1) options.count = std::atoll(argv[1]);
  if (argc > 2) options.seed = static_cast<std::uint64_t>(std::atoll(argv[2]));
  if (argc > 3) options.first = std::atoll(argv[3]);
  options.progress = [](std::int64_t done) {
    if (done % 10'000 == 0) std::fprintf(stderr, "%lld cases\n", static_cast<long long>(done));
  };
  const instantgp::testing::CampaignCounts counts = instantgp::testing::RunCampaign(options);
  for (const auto& [method, ends] : counts.outcomes) {
    std::printf("%-12s", method.c_str());
    for (const char* end : {"ok", "bad input", "limit", "numerical", "FAILED"}) {
      const auto found = ends.find(end);
      std::printf("  %s %lld", end, static_cast<long long>(found == ends.end() ? 0 : found->second));
    }
    std::printf("\n");
  }
  for (const auto& [reason, count] : counts.reasons) {
    std::printf("%8lld  %s\n", static_cast<long long>(count), reason.c_str());
  }
  std::printf("slowest: case %lld, %.2f s\n", static_cast<long long>(counts.worst_case), counts.worst_seconds);
  for (const std::string& failure : counts.failures) std::printf("%s\n", failure.c_str());
  std::printf("%lld of %lld failed\n", static_cast<long long>(counts.failed), static_cast<long long>(options.count));
  return counts.failed == 0 ? 0 : 1;
}
