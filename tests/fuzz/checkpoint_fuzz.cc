// Checkpoints of a training run.
#include "instantgp/training/checkpoint.h"
#include "tests/fuzz/door.h"
#include "tests/fuzz/mend.h"

namespace instantgp::fuzz {
namespace {

void CheckpointDoor(std::string_view bytes) {
  const std::string mended = Mended(bytes);
  Accepts([&] {
    const Checkpoint checkpoint = ParseCheckpoint(mended, "fuzz");
    const std::string written = SerializeCheckpoint(checkpoint.config, checkpoint.state);
    const Checkpoint again = ParseCheckpoint(written, "again");
    Require(SerializeCheckpoint(again.config, again.state) == written, "a checkpoint changes in a file");
    checkpoint.config.Validate();
  });
}

}  // namespace

INSTANTGP_DOOR(checkpoint, CheckpointDoor)

}  // namespace instantgp::fuzz
