#include "instantgp/training/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "instantgp/base/error.h"
#include "instantgp/base/file.h"
#include "instantgp/base/rng.h"
#include "instantgp/network/network.h"
#include "tests/training/small_config.h"

namespace instantgp {
namespace {

using ::testing::HasSubstr;
using testing::SmallConfig;
using testing::TemporaryFolder;

TrainingState RandomState(const TrainingConfig& config, std::uint64_t seed) {
  RandomStream random(seed);
  TrainingState state;
  const std::size_t size = Network<float>(config.network).num_weights();
  for (std::vector<float>* array : {&state.weights, &state.average, &state.moment1, &state.moment2}) {
    for (std::size_t i = 0; i < size; ++i) array->push_back(static_cast<float>(random.Normal()));
  }
  state.step = random.UniformInt(1, 1000000);
  state.datasets = state.step * (1ll << 30);
  state.seconds = random.Uniform() / 3;
  state.window_loss = random.Normal();
  return state;
}

TEST(Checkpoint, RoundTripsBitForBit) {
  const TrainingConfig config = SmallConfig();
  TemporaryFolder folder;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    TrainingState state = RandomState(config, seed);
    if (seed > 0) state.best_score = 0.1 * static_cast<double>(seed);
    WriteCheckpoint(folder.path(), config, state);
    const Checkpoint read = ReadCheckpoint(folder.path());
    EXPECT_EQ(read.state.weights, state.weights);
    EXPECT_EQ(read.state.average, state.average);
    EXPECT_EQ(read.state.moment1, state.moment1);
    EXPECT_EQ(read.state.moment2, state.moment2);
    EXPECT_EQ(read.state.step, state.step);
    EXPECT_EQ(read.state.datasets, state.datasets);
    EXPECT_EQ(read.state.seconds, state.seconds);
    EXPECT_EQ(read.state.window_loss, state.window_loss);
    EXPECT_EQ(read.state.best_score, state.best_score);
    EXPECT_EQ(ToJson(read.config), ToJson(config));
    EXPECT_EQ(SerializeCheckpoint(read.config, read.state), SerializeCheckpoint(config, state));
  }
}

TEST(Checkpoint, TheOneBeforeIsKept) {
  const TrainingConfig config = SmallConfig();
  TemporaryFolder folder;
  WriteCheckpoint(folder.path(), config, RandomState(config, 1));
  const std::string first = ReadFile(folder / "checkpoint.safetensors");
  WriteCheckpoint(folder.path(), config, RandomState(config, 2));
  EXPECT_EQ(ReadFile(folder / "checkpoint.previous.safetensors"), first);
  EXPECT_NE(ReadFile(folder / "checkpoint.safetensors"), first);
}

TEST(Checkpoint, DamageIsAlwaysNoticed) {
  const TrainingConfig config = SmallConfig();
  TemporaryFolder folder;
  WriteCheckpoint(folder.path(), config, RandomState(config, 1));
  WriteCheckpoint(folder.path(), config, RandomState(config, 2));
  const std::string good = ReadFile(folder / "checkpoint.safetensors");
  RandomStream random(3);
  for (int trial = 0; trial < 60; ++trial) {
    std::string bad = good;
    if (trial % 2 == 0) {
      bad.resize(random.UniformInt(0, static_cast<int>(good.size()) - 1));
    } else {
      bad[random.UniformInt(0, static_cast<int>(good.size()) - 1)] ^= static_cast<char>(1 << random.UniformInt(0, 7));
    }
    WriteFileAtomically(folder / "checkpoint.safetensors", bad);
    try {
      ReadCheckpoint(folder.path());
      ADD_FAILURE() << "damage " << trial << " was not noticed";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kBadInput);
      EXPECT_THAT(error.what(), HasSubstr("checkpoint.previous.safetensors"));
    }
  }
}

TEST(Checkpoint, ArraysMustFitTheConfig) {
  TrainingConfig config = SmallConfig();
  TrainingState state = RandomState(config, 1);
  config.network.hypotheses = 5;
  TemporaryFolder folder;
  WriteCheckpoint(folder.path(), config, state);
  EXPECT_THROW(ReadCheckpoint(folder.path()), Error);
}

// A disk without room: the write fails with an Error, and what was there is still there. The limit on file size stands
// for it.
TEST(Checkpoint, AFullDiskLosesNothing) {
  const TrainingConfig config = SmallConfig();
  TemporaryFolder folder;
  WriteCheckpoint(folder.path(), config, RandomState(config, 1));
  const std::string before = ReadFile(folder / "checkpoint.safetensors");
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      WriteCheckpoint(folder.path(), config, RandomState(config, 2));
    } catch (const Error& error) {
      ::_exit(error.code() == ErrorCode::kFailure ? 0 : 2);
    }
    ::_exit(1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(ReadFile(folder / "checkpoint.safetensors"), before);
  EXPECT_NO_THROW(ReadCheckpoint(folder.path()));
}

}  // namespace
}  // namespace instantgp
