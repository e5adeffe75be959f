// `instantgp train` as a program: exit codes, signals, and several processes through MPI.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "instantgp/base/error.h"
#include "instantgp/base/file.h"
#include "instantgp/network/weights.h"
#include "instantgp/training/checkpoint.h"
#include "tests/training/small_config.h"

namespace instantgp {
namespace {

using ::testing::HasSubstr;
using testing::SmallConfig;
using testing::TemporaryFolder;

struct Outcome {
  int code = -1;
  std::string out;
  std::string err;
};

// Runs a shell command with its streams in files of `folder`.
Outcome Shell(const TemporaryFolder& folder, const std::string& command) {
  const std::string out = folder / "stdout.txt", err = folder / "stderr.txt";
  const int status = std::system((command + " >" + out + " 2>" + err).c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, ReadFile(out), ReadFile(err)};
}

class TrainCommand : public ::testing::Test {
 protected:
  TrainCommand() {
    TrainingConfig config = SmallConfig();
    config.validation.every_datasets = 80;
    WriteFileAtomically(config_path_, ToJson(config));
  }
  std::string Train(const std::string& run, const std::string& rest) const {
    return std::string(INSTANTGP_CLI) + " train --out " + (folder_ / run) + " " + rest;
  }
  Outcome Run(const std::string& run, const std::string& rest) const { return Shell(folder_, Train(run, rest)); }
  std::string Config() const { return "--config " + config_path_; }

  TemporaryFolder folder_;
  std::string config_path_ = folder_ / "small.json";
};

TEST_F(TrainCommand, LearnsTheStepsOfAFinishedNetwork) {
  const std::string settings = "--phase steps --datasets 32 --set batch=16 --set max_n=40 --set max_d=2 --quiet --json";
  const Outcome result = Run("steps", settings);
  ASSERT_EQ(result.code, 0) << result.err;
  const nlohmann::json json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["datasets"], 32);
  EXPECT_TRUE(json["validation"]["paper_nll"].is_number());
  const NetworkWeights weights = LoadWeights(folder_ / "steps/last.safetensors");
  EXPECT_EQ(weights.steps.datasets_seen, 32);
  EXPECT_GT(weights.datasets_seen, 1000);     // the shipped network's, as it is
  EXPECT_EQ(Run("steps", settings).code, 2);  // the folder holds a run
  EXPECT_EQ(Run("other", settings + " --minutes 1").code, 2);
  EXPECT_EQ(Run("other", "--phase 3 --datasets 32").code, 2);
}

TEST_F(TrainCommand, ReportsAsJson) {
  const Outcome result = Run("a", Config() + " --datasets 160 --threads 2 --json --set schedule.peak=1e-3");
  ASSERT_EQ(result.code, 0) << result.err;
  const nlohmann::json json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["schema"], "instantgp/train/1");
  EXPECT_EQ(json["steps"], 20);
  EXPECT_EQ(json["datasets"], 160);
  EXPECT_EQ(json["finished"], true);
  EXPECT_EQ(json["config"]["schedule"]["peak"], 1e-3);
  EXPECT_TRUE(json["validation"]["gap"]["median"].is_number());
  EXPECT_THAT(result.err, HasSubstr("effective config"));
  EXPECT_THAT(result.err, HasSubstr("validation at 80 datasets"));
}

TEST_F(TrainCommand, BadInputHasItsExitCode) {
  ASSERT_EQ(Run("a", Config() + " --datasets 8 --quiet").code, 0);
  const Outcome again = Run("a", Config() + " --datasets 8");
  EXPECT_EQ(again.code, 2);
  EXPECT_THAT(again.err, HasSubstr("--resume"));
  EXPECT_EQ(Run("b", Config()).code, 2) << "no budget";
  EXPECT_EQ(Run("b", Config() + " --datasets 8 --minutes 1").code, 2);
  EXPECT_EQ(Run("b", Config() + " --datasets 8 --set no.such=1").code, 2);
  EXPECT_EQ(Run("b", Config() + " --datasets 8 --phase 3").code, 2);
  EXPECT_EQ(Run("b", Config() + " --datasets 8 --set batch=0").code, 3);
  EXPECT_EQ(Run("b", "--config " + (folder_ / "missing.json") + " --datasets 8").code, 3);
  EXPECT_EQ(Run("b", "--resume").code, 3);
  EXPECT_EQ(Run("small.json/run", Config() + " --datasets 8").code, 1);
  WriteFileAtomically(folder_ / "a/checkpoint.safetensors", "damaged");
  const Outcome damaged = Run("a", "--resume --datasets 16");
  EXPECT_EQ(damaged.code, 3);
  EXPECT_THAT(damaged.err, HasSubstr("checkpoint.previous.safetensors"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "b")) << "nothing is created for a run that cannot start";
}

TEST_F(TrainCommand, ASignalStopsWithACheckpointAndResumeGoesOn) {
  ASSERT_EQ(Run("whole", Config() + " --datasets 1600 --quiet").code, 0);
  for (const int signal : {SIGINT, SIGTERM}) {
    const std::string run = "run" + std::to_string(signal);
    const std::string out = folder_ / run;
    const pid_t child = ::fork();
    if (child == 0) {
      ::execl(INSTANTGP_CLI, INSTANTGP_CLI, "train", "--out", out.c_str(), "--config", config_path_.c_str(),
              "--datasets", "1600", "--quiet", "--threads", "1", nullptr);
      ::_exit(99);
    }
    // Once the run has begun, at some moment.
    for (int i = 0; i < 1000 && !HasCheckpoint(out); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ::kill(child, signal);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    if (WEXITSTATUS(status) != 0) {  // 0: it had finished before
      EXPECT_EQ(WEXITSTATUS(status), 130);
      EXPECT_LT(ReadCheckpoint(out).state.datasets, 1600);
      ASSERT_EQ(Run(run, "--resume --quiet").code, 0);
    }
    EXPECT_EQ(ReadCheckpoint(out).state.weights, ReadCheckpoint(folder_ / "whole").state.weights);
  }
}

TEST_F(TrainCommand, TwoProcessesGiveTheWeightsOfOne) {
  if (std::system("command -v mpirun >/dev/null 2>&1") != 0 ||
      !std::filesystem::exists(std::filesystem::path(INSTANTGP_CLI).parent_path() / "libinstantgp_mpi.so")) {
    GTEST_SKIP() << "no mpirun, or built without the MPI module";
  }
  const std::string rest = Config() + " --datasets 160 --threads 1 --quiet";
  ASSERT_EQ(Run("one", rest).code, 0);
  // MPI keeps memory to its end, which is no leak of ours.
  const std::string launcher = "ASAN_OPTIONS=detect_leaks=0 mpirun --allow-run-as-root --oversubscribe -n ";
  const TrainingState one = ReadCheckpoint(folder_ / "one").state;
  EXPECT_EQ(one.step, 20);
  for (const int processes : {2, 3}) {
    const std::string run = "many" + std::to_string(processes);
    const Outcome result = Shell(folder_, launcher + std::to_string(processes) + " " + Train(run, rest));
    ASSERT_EQ(result.code, 0) << result.err;
    const TrainingState many = ReadCheckpoint(folder_ / run).state;
    EXPECT_EQ(many.step, 20);
    ASSERT_EQ(many.weights.size(), one.weights.size());
    double worst = 0;
    for (std::size_t i = 0; i < one.weights.size(); ++i) {
      worst = std::max(worst, std::abs(static_cast<double>(many.weights[i]) - static_cast<double>(one.weights[i])));
    }
    EXPECT_LE(worst, 1e-5) << processes << " processes";
    EXPECT_NEAR(many.best_score, one.best_score, 1e-4);
  }
  // A run of two processes goes on as one.
  ASSERT_EQ(Run("many2", "--resume --datasets 320 --quiet").code, 0);
  EXPECT_EQ(ReadCheckpoint(folder_ / "many2").state.step, 40);
  // When one rank cannot go on, all end.
  EXPECT_NE(Shell(folder_, launcher + "2 " + Train("one", rest)).code, 0);
  EXPECT_NE(Shell(folder_, launcher + "2 " + Train("new", rest + " --set lanes=1")).code, 0);
}

}  // namespace
}  // namespace instantgp
