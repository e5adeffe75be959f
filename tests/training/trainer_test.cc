#include "instantgp/training/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <functional>
#include <sstream>
#include <thread>

#include "instantgp/base/error.h"
#include "instantgp/base/file.h"
#include "instantgp/base/rng.h"
#include "instantgp/gp/marginal_likelihood.h"
#include "instantgp/network/network.h"
#include "instantgp/network/weights.h"
#include "instantgp/simulate/distribution.h"
#include "instantgp/training/loss.h"
#include "tests/support/gradient_check.h"
#include "tests/training/small_config.h"

namespace instantgp {
namespace {

using ::testing::HasSubstr;
using testing::SmallConfig;
using testing::TemporaryFolder;

TrainingConfig Steps(int steps) {
  TrainingConfig config = SmallConfig();
  config.datasets = static_cast<std::int64_t>(steps) * config.batch;
  return config;
}

TrainingSummary RunIn(const std::string& folder, const TrainingConfig& config, bool resume = false, int threads = 1,
                      std::int64_t stop_after = -1) {
  SingleProcess alone;
  std::stop_source source;
  TrainingOptions options;
  options.folder = folder;
  options.resume = resume;
  options.threads = threads;
  options.stop = source.get_token();
  options.callbacks.on_step = [&](const TrainingProgress& progress) {
    if (stop_after >= 0 && progress.step >= stop_after) source.request_stop();
  };
  return Train(config, options, alone);
}

void ExpectSameState(const TrainingState& a, const TrainingState& b) {
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.datasets, b.datasets);
  EXPECT_EQ(a.weights, b.weights);
  EXPECT_EQ(a.average, b.average);
  EXPECT_EQ(a.moment1, b.moment1);
  EXPECT_EQ(a.moment2, b.moment2);
  EXPECT_EQ(a.best_score, b.best_score);
  EXPECT_EQ(a.skipped, b.skipped);
}

std::string MessageOf(const std::function<void()>& action, ErrorCode code) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  return "no error";
}

// Everything in the log but the columns that measure time.
std::vector<std::string> WithoutTimes(const std::vector<LogRecord>& records) {
  std::vector<std::string> lines;
  for (LogRecord record : records) {
    record.minutes = record.datasets_per_second = 0;
    lines.push_back(ToJsonLine(record));
  }
  return lines;
}

TEST(Trainer, WeightsDoNotDependOnTheNumberOfThreads) {
  for (const int phase : {1, 2}) {
    TrainingConfig config = Steps(50);
    config.loss.phase = phase;
    const TrainingSummary one = RunIn("", config, false, 1);
    EXPECT_EQ(one.state.step, 50);
    for (const int threads : {2, 4}) ExpectSameState(RunIn("", config, false, threads).state, one.state);
  }
}

TEST(Trainer, ThatComparisonCanFail) {
  TrainingConfig config = Steps(50);
  const TrainingSummary one = RunIn("", config);
  config.seed = 6;
  EXPECT_NE(RunIn("", config).state.weights, one.state.weights);
}

TEST(Trainer, ResumesBitForBitFromAnyStep) {
  const TrainingConfig config = Steps(60);
  TemporaryFolder whole;
  const TrainingSummary never_stopped = RunIn(whole.path(), config);
  ASSERT_FALSE(never_stopped.interrupted);
  RandomStream random(20);
  for (int trial = 0; trial < 6; ++trial) {
    TemporaryFolder folder;
    TrainingSummary summary = RunIn(folder.path(), config, false, 1, random.UniformInt(0, 58));
    EXPECT_TRUE(summary.interrupted);
    // Stopped a second time on the way, and with another number of threads.
    summary = RunIn(folder.path(), config, true, 2, summary.state.step + random.UniformInt(0, 20));
    summary = RunIn(folder.path(), config, true);
    EXPECT_FALSE(summary.interrupted);
    ExpectSameState(summary.state, never_stopped.state);
    EXPECT_EQ(WithoutTimes(summary.records), WithoutTimes(never_stopped.records));
    EXPECT_EQ(ReadFile(folder / "best.safetensors"), ReadFile(whole / "best.safetensors"));
    EXPECT_EQ(ReadFile(folder / "last.safetensors"), ReadFile(whole / "last.safetensors"));
  }
}

TrainingConfig MixtureSteps(int steps) {
  TrainingConfig config = testing::SmallMixture();
  config.datasets = static_cast<std::int64_t>(steps) * config.batch;
  return config;
}

TEST(Trainer, AMixtureResumesBitForBitWhateverTheThreads) {
  const TrainingConfig config = MixtureSteps(45);
  TemporaryFolder whole;
  const TrainingSummary never_stopped = RunIn(whole.path(), config);
  for (const int stop : {3, 21, 38}) {
    TemporaryFolder folder;
    EXPECT_TRUE(RunIn(folder.path(), config, false, 2, stop).interrupted);
    const TrainingSummary summary = RunIn(folder.path(), config, true, 3);
    ExpectSameState(summary.state, never_stopped.state);
    EXPECT_EQ(WithoutTimes(summary.records), WithoutTimes(never_stopped.records));
    EXPECT_EQ(ReadFile(folder / "best.safetensors"), ReadFile(whole / "best.safetensors"));
  }
}

TEST(Trainer, AMixtureIsValidatedPerComponentAndSelectedByTheMean) {
  const TrainingConfig config = MixtureSteps(60);
  TemporaryFolder folder;
  const TrainingSummary summary = RunIn(folder.path(), config, false, 2);
  ASSERT_GE(summary.records.size(), 3u);
  double best = summary.records[0].selection;
  for (const LogRecord& record : summary.records) {
    ASSERT_TRUE(record.tables.has_value());
    EXPECT_GT(record.tables->truth.count, 0);
    EXPECT_DOUBLE_EQ(record.selection, (record.validation.score + record.tables->score) / 2);
    best = std::min(best, record.selection);
  }
  EXPECT_EQ(summary.state.best_score, best);
  const NetworkWeights last = LoadWeights(folder / "last.safetensors");
  EXPECT_EQ(last.validation.at("tables_gap_mean"), summary.records.back().tables->truth.mean);
  EXPECT_EQ(last.config.trained_max_d, 10);
  EXPECT_EQ(last.config.trained_max_n, 40);
  // Alone, the paper's distribution is scored as before.
  const TrainingSummary paper = RunIn(folder / "paper", Steps(20));
  EXPECT_FALSE(paper.records.back().tables.has_value());
  EXPECT_EQ(paper.records.back().selection, paper.records.back().validation.score);
}

// Kills a training process at random moments, again and again, while it writes a checkpoint after every step.
TEST(Trainer, AKillAtAnyMomentLosesNothing) {
  TrainingConfig config = Steps(60);
  config.checkpoint_steps = 1;
  const TrainingSummary never_stopped = RunIn("", config);
  TemporaryFolder folder;
  RandomStream random(21);
  bool finished = false;
  std::int64_t last_step = 0;
  int kills = 0;
  for (int attempt = 0; attempt < 200 && !finished; ++attempt) {
    const bool resume = HasCheckpoint(folder.path());
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        RunIn(folder.path(), config, resume);
      } catch (...) {
        ::_exit(1);
      }
      ::_exit(0);
    }
    ASSERT_GT(child, 0);
    std::this_thread::sleep_for(std::chrono::microseconds(random.UniformInt(10000, 80000)));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status)) {
      ASSERT_EQ(WEXITSTATUS(status), 0) << "a killed run could not be resumed";
      finished = true;
    } else {
      ++kills;
    }
    if (!HasCheckpoint(folder.path())) continue;
    const Checkpoint checkpoint = ReadCheckpoint(folder.path());  // throws if it is not whole
    EXPECT_GE(checkpoint.state.step, last_step);
    last_step = checkpoint.state.step;
  }
  if (!finished) RunIn(folder.path(), config, true);
  EXPECT_GT(kills, 0);
  ExpectSameState(ReadCheckpoint(folder.path()).state, never_stopped.state);
}

TEST(Trainer, TheLossFallsAndTheFolderIsComplete) {
  TrainingConfig config = Steps(300);
  config.curriculum.clear();
  config.max_d = 1;
  config.validation.every_datasets = 400;
  config.validation.type2 = true;
  TemporaryFolder folder;
  const TrainingSummary summary = RunIn(folder / "new/run", config, false, 2);
  ASSERT_GE(summary.records.size(), 5u);
  EXPECT_LT(summary.records.back().loss, summary.records.front().loss);
  EXPECT_LT(summary.records.back().validation.score, 1);
  EXPECT_GT(summary.records.back().validation.type2.count, 0);
  for (const char* name : {"config.json", "checkpoint.safetensors", "checkpoint.previous.safetensors",
                           "best.safetensors", "last.safetensors", "log.csv", "log.jsonl", "curve.svg", "type2.json"}) {
    EXPECT_TRUE(std::filesystem::exists(folder / ("new/run/" + std::string(name)))) << name;
  }
  EXPECT_EQ(ParseTrainingConfig(ReadFile(folder / "new/run/config.json"), "t").datasets, config.datasets);
  const std::string csv = ReadFile(folder / "new/run/log.csv");
  EXPECT_EQ(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')), summary.records.size() + 1);
}

TEST(Trainer, AFinishedRunCanBeExtended) {
  TemporaryFolder folder;
  RunIn(folder.path(), Steps(20));
  // With the same budget there is nothing to do.
  const std::string before = ReadFile(folder / "checkpoint.safetensors");
  EXPECT_EQ(RunIn(folder.path(), Steps(20), true).state.step, 20);
  EXPECT_EQ(ParseCheckpoint(ReadFile(folder / "checkpoint.safetensors"), "t").state.weights,
            ParseCheckpoint(before, "t").state.weights);
  const TrainingSummary more = RunIn(folder.path(), Steps(50), true);
  EXPECT_EQ(more.state.step, 50);
  EXPECT_EQ(more.state.legs, 1);
  EXPECT_EQ(more.state.leg_step, 20);
  // The extension too can be stopped and resumed.
  TemporaryFolder twin;
  RunIn(twin.path(), Steps(20));
  RunIn(twin.path(), Steps(50), true, 1, 33);
  ExpectSameState(RunIn(twin.path(), Steps(50), true).state, more.state);
}

TEST(Trainer, StartsFromWeightsOfTheSameArchitecture) {
  TemporaryFolder first, second;
  RunIn(first.path(), Steps(20));
  TrainingConfig config = Steps(1);
  config.init_from = first / "last.safetensors";
  config.seed = 9;
  config.schedule.peak = 1e-9;  // as good as no step
  const std::vector<float> weights = RunIn(second.path(), config).state.weights;
  const std::vector<float> start = ReadCheckpoint(first.path()).state.average;
  EXPECT_EQ(LoadWeights(second / "last.safetensors").datasets_seen,
            LoadWeights(first / "last.safetensors").datasets_seen + config.batch);
  ASSERT_EQ(weights.size(), start.size());
  for (std::size_t i = 0; i < start.size(); ++i) EXPECT_NEAR(weights[i], start[i], 1e-6);

  config.network.hypotheses = 1;
  TemporaryFolder third;
  EXPECT_THAT(MessageOf([&] { RunIn(third.path(), config); }, ErrorCode::kBadInput), HasSubstr("architecture"));
  config.init_from = third / "missing.safetensors";
  EXPECT_THAT(MessageOf([&] { RunIn(third.path(), config); }, ErrorCode::kBadInput), HasSubstr("missing.safetensors"));
}

// The first hypotheses are those of the weights it starts from, so the best of all is nowhere worse.
TEST(Trainer, StartsFromWeightsWithFewerHypotheses) {
  TemporaryFolder first, second;
  RunIn(first.path(), Steps(40));
  TrainingConfig config = Steps(1);
  config.init_from = first / "last.safetensors";
  config.schedule.peak = 1e-9;
  config.network.hypotheses = 5;
  RunIn(second.path(), config);
  const NetworkWeights few = LoadWeights(first / "last.safetensors"), more = LoadWeights(second / "last.safetensors");
  EXPECT_EQ(more.config.hypotheses, 5);
  EXPECT_EQ(more.datasets_seen, few.datasets_seen + config.batch);
  EXPECT_LE(more.validation.at("score"), few.validation.at("score") + 1e-6);
}

TEST(Trainer, RefusesWhatDoesNotFit) {
  TemporaryFolder folder;
  EXPECT_THAT(MessageOf([&] { RunIn(folder.path(), Steps(5), true); }, ErrorCode::kBadInput),
              HasSubstr("no checkpoint"));
  RunIn(folder.path(), Steps(5));
  EXPECT_THAT(MessageOf([&] { RunIn(folder.path(), Steps(5)); }, ErrorCode::kUsage), HasSubstr("resume it"));
  TrainingConfig other = Steps(9);
  other.network.hypotheses = 3;
  EXPECT_THAT(MessageOf([&] { RunIn(folder.path(), other, true); }, ErrorCode::kBadInput),
              HasSubstr("another network"));
  other = Steps(9);
  other.seed = 6;
  EXPECT_THAT(MessageOf([&] { RunIn(folder.path(), other, true); }, ErrorCode::kBadInput), HasSubstr("seed"));
  WriteFileAtomically(folder / "a_file", "x");
  EXPECT_THAT(MessageOf([&] { RunIn(folder / "a_file/run", Steps(5)); }, ErrorCode::kFailure), HasSubstr("a_file"));
}

TEST(Trainer, AStepOfThePaperSizeNetworkRuns) {
  TrainingConfig config = SmallConfig();
  config.network = NetworkPreset("paper");
  config.datasets = config.batch = config.lanes = 1;
  config.min_n = config.max_n = 10;
  config.max_d = 1;
  config.curriculum.clear();
  config.validation.datasets = 2;
  const TrainingState state = RunIn("", config).state;
  EXPECT_EQ(state.step, 1);
  EXPECT_EQ(state.skipped, 0);
  ASSERT_EQ(state.weights.size(), 43196386u);
  std::vector<float> start(state.weights.size());
  Network<float>(config.network).Initialize(start.data(), config.seed);
  EXPECT_NE(state.weights, start);
  EXPECT_TRUE(std::all_of(state.weights.begin(), state.weights.end(), [](float w) { return std::isfinite(w); }));
}

// The chain network -> parameters -> NLML -> gradient with respect to the weights, in double.
TEST(Trainer, GradientOfTheWholeChain) {
  TrainingConfig config = SmallConfig();
  config.loss.output_clip = 0;
  config.loss.other_probability = 1;
  config.network.activation = Activation::kGelu;  // smooth: finite differences must not step over a kink
  const Network<double> network(config.network);
  Vector weights(static_cast<Index>(network.num_weights()));
  for (std::uint64_t index = 0; index < 16; ++index) {
    config.loss.phase = index % 2 == 0 ? 1 : 2;
    std::optional<ClosedFormScale> scale;
    if (index >= 8) scale = ClosedFormScale{};
    SimulationOptions options = config.Simulation();
    options.d = static_cast<int>(index % 8) + 1;
    const Simulated data = Simulate(options, 31, index);
    network.Initialize(weights.data(), index);
    RandomStream shake(32, index);
    for (double& w : weights) w += 0.05 * shake.Normal();

    LossWorkspace loss_workspace;
    Workspace<double> workspace;
    Matrix theta, dtheta;
    // At a weight where the loss is smooth: the best hypothesis is fixed.
    network.Forward(weights.data(), data.X, data.y, data.given, workspace, &theta);
    RandomStream random(1);
    const double noise = data.theta.noise();
    const DatasetLoss loss =
        EvaluateLoss(config.loss, data.given, data.X, data.y, noise, theta, scale, random, loss_workspace, &dtheta);
    ASSERT_TRUE(loss.ok);
    Vector gradient = Vector::Zero(weights.size());
    network.Backward(weights.data(), dtheta, workspace, gradient.data());

    const Covariance covariance(ToExpression(data.given));
    NlmlWorkspace nlml_workspace;
    const auto f = [&](const Vector& w) {
      Matrix at;
      network.Forward(w.data(), data.X, data.y, data.given, workspace, &at);
      double sum = 0;
      for (int k = 0; k < at.cols(); ++k) {
        const NlmlValue point = NegativeLogMarginalLikelihood(covariance, data.X, data.y, at.col(k), nullptr,
                                                              nlml_workspace, scale ? &*scale : nullptr);
        const double value = point.nlml;
        if (config.loss.phase == 1) {
          sum += (k == loss.best ? 1.0 : config.loss.other_weight) * value;
        } else if (k == loss.best) {
          const double error = std::exp(0.5 * (at(at.rows() - 1, k) + point.log_scale)) - std::exp(0.5 * noise);
          sum += config.loss.nlml_weight * value + config.loss.noise_weight * error * error;
        }
      }
      return sum;
    };
    // A random few hundred of the weights, through the same checker.
    Vector directions(150);
    std::vector<Index> chosen;
    for (Index i = 0; i < directions.size(); ++i) {
      chosen.push_back(shake.UniformInt(0, static_cast<int>(weights.size()) - 1));
    }
    Vector start(directions.size()), analytic(directions.size());
    for (std::size_t i = 0; i < chosen.size(); ++i) start[i] = 0, analytic[i] = gradient[chosen[i]];
    const auto along = [&](const Vector& shift) {
      Vector w = weights;
      for (std::size_t i = 0; i < chosen.size(); ++i) w[chosen[i]] += shift[i];
      return f(w);
    };
    testing::ExpectGradient(along, start, analytic, 1e-6, 1e-3);
  }
}

}  // namespace
}  // namespace instantgp
