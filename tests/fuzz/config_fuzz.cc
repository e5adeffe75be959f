// Settings: of the network, of training, and single ones given on the command line ("schedule.peak=1e-3").
#include "instantgp/network/config.h"
#include "instantgp/network/layout.h"
#include "instantgp/training/config.h"
#include "tests/fuzz/door.h"

namespace instantgp::fuzz {
namespace {

void CheckNetworkConfig(std::string_view text) {
  NetworkConfig config;
  if (!Accepts([&] { config = ParseNetworkConfig(text, "fuzz"); })) return;
  Require(ParseNetworkConfig(ToJson(config), "again") == config, "a network's settings change on the way");
  Accepts([&] {
    config.Validate();
    MakeLayout(config);
  });
}

void CheckTrainingConfig(std::string_view text) {
  TrainingConfig config;
  if (!Accepts([&] { config = ParseTrainingConfig(text, "fuzz"); })) return;
  const std::string written = ToJson(config);
  Require(ToJson(ParseTrainingConfig(written, "again")) == written, "a run's settings change on the way");
  Accepts([&] {
    config.Validate();
    config.Simulation();
    config.LargestN();
  });
}

void ConfigDoor(std::string_view bytes) {
  static const TrainingConfig start = DefaultTrainingConfig();
  CheckNetworkConfig(bytes);
  CheckTrainingConfig(bytes);
  Accepts([&] { WithOverride(start, std::string(bytes)); });
}

}  // namespace

INSTANTGP_DOOR(config, ConfigDoor)

}  // namespace instantgp::fuzz
