#include "instantgp/network/step_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "instantgp/base/error.h"
#include "instantgp/base/rng.h"
#include "instantgp/base/safetensors.h"
#include "instantgp/network/weights.h"
#include "tests/network/small_networks.h"
#include "tests/support/gradient_check.h"

namespace instantgp {
namespace {

constexpr int kHidden = 5;

template <typename T>
StepMatrix<T> SomeReading(int rows, std::uint64_t seed) {
  RandomStream random(seed);
  StepMatrix<T> reading(rows, kStepFeatures);
  for (Index i = 0; i < reading.size(); ++i) reading.data()[i] = static_cast<T>(random.Normal());
  return reading;
}

// All layers random, the last one too.
std::vector<double> SomeStepWeights() {
  RandomStream random(3);
  std::vector<double> weights(NumStepWeights(kHidden));
  for (double& w : weights) w = 0.3 * random.Normal();
  return weights;
}

TEST(StepNetwork, TensorsCoverTheBufferWithoutHoles) {
  for (const int hidden : {1, 5, 32}) {
    std::size_t offset = 0;
    for (const WeightTensor& tensor : StepTensors(hidden)) {
      EXPECT_EQ(tensor.offset, offset) << tensor.name;
      offset += static_cast<std::size_t>(tensor.rows) * tensor.cols;
    }
    EXPECT_EQ(offset, NumStepWeights(hidden));
  }
}

TEST(StepNetwork, StartsByAnsweringZeros) {
  const StepWeights first = FirstStepWeights(kHidden, 7);
  StepTrace<float> trace;
  EXPECT_EQ(StepForward(kHidden, first.values.data(), SomeReading<float>(4, 1), trace).norm(), 0);
  EXPECT_EQ(first.values, FirstStepWeights(kHidden, 7).values);
  EXPECT_NE(first.values, FirstStepWeights(kHidden, 8).values);
}

TEST(StepNetwork, EqualsPlainLoops) {
  const std::vector<double> w = SomeStepWeights();
  const int rows = 3;
  const auto reading = SomeReading<double>(rows, 5);
  StepTrace<double> trace;
  const StepMatrix<double> answers = StepForward(kHidden, w.data(), reading, trace);
  const auto layer = [&](const std::vector<double>& x, std::size_t weight, int out, bool relu) {
    const std::size_t in = x.size();
    std::vector<double> y(static_cast<std::size_t>(out));
    for (std::size_t j = 0; j < y.size(); ++j) {
      y[j] = w[weight + in * y.size() + j];
      for (std::size_t i = 0; i < in; ++i) y[j] += x[i] * w[weight + i * y.size() + j];
      if (relu) y[j] = std::max(0.0, y[j]);
    }
    return y;
  };
  const std::vector<WeightTensor> tensors = StepTensors(kHidden);
  std::vector<std::vector<double>> hidden(rows);
  std::vector<double> mean(kHidden, 0.0);
  for (int i = 0; i < rows; ++i) {
    std::vector<double> x(kStepFeatures);
    for (int f = 0; f < kStepFeatures; ++f) x[static_cast<std::size_t>(f)] = reading(i, f);
    hidden[i] = layer(x, tensors[0].offset, kHidden, true);
    for (int j = 0; j < kHidden; ++j) mean[j] += hidden[i][j] / rows;
  }
  for (int i = 0; i < rows; ++i) {
    std::vector<double> joined = hidden[i];
    joined.insert(joined.end(), mean.begin(), mean.end());
    const std::vector<double> out =
        layer(layer(joined, tensors[2].offset, kHidden, true), tensors[4].offset, kStepAnswers, false);
    for (int j = 0; j < kStepAnswers; ++j) EXPECT_NEAR(answers(i, j), out[j], 1e-12);
  }
}

TEST(StepNetwork, Gradient) {
  const std::vector<double> w = SomeStepWeights();
  const auto reading = SomeReading<double>(4, 6);
  StepMatrix<double> asked(4, kStepAnswers);
  asked << 0.3, -1, 2, 0.5, -0.7, 0.1, 1, 1;
  const auto loss = [&](const Vector& weights) {
    StepTrace<double> trace;
    return StepForward(kHidden, weights.data(), reading, trace).cwiseProduct(asked).sum();
  };
  StepTrace<double> trace;
  StepForward(kHidden, w.data(), reading, trace);
  Vector gradient = Vector::Zero(static_cast<Index>(w.size()));
  StepBackward(kHidden, w.data(), reading, trace, asked, gradient.data());
  const Vector at = Eigen::Map<const Vector>(w.data(), static_cast<Index>(w.size()));
  testing::ExpectGradient(loss, at, gradient, 1e-6);
}

TEST(StepNetwork, AnotherOrderOfTheParametersIsAnotherOrderOfTheAnswers) {
  const std::vector<double> w = SomeStepWeights();
  const auto reading = SomeReading<double>(5, 9);
  const std::vector<int> order = {3, 0, 4, 1, 2};
  StepTrace<double> trace;
  const StepMatrix<double> answers = StepForward(kHidden, w.data(), reading, trace);
  const StepMatrix<double> permuted = StepForward<double>(kHidden, w.data(), reading(order, Eigen::all), trace);
  for (int i = 0; i < 5; ++i) EXPECT_NEAR((permuted.row(i) - answers.row(order[i])).norm(), 0, 1e-12);
}

NetworkWeights WithSteps() {
  const NetworkConfig config = testing::ShrunkenPreset("paper");
  NetworkWeights weights{config, testing::RandomWeights(Network<float>(config), 9), 12, {}};
  weights.steps = FirstStepWeights(kHidden, 2);
  weights.steps.datasets_seen = 4711;
  return weights;
}

TEST(StepNetworkFile, ComesBackBesideTheNetwork) {
  const NetworkWeights written = WithSteps();
  const NetworkWeights read = ParseWeights(SerializeWeights(written), "w");
  EXPECT_EQ(read.values, written.values);
  EXPECT_EQ(read.steps.values, written.steps.values);
  EXPECT_EQ(read.steps.hidden, kHidden);
  EXPECT_EQ(read.steps.datasets_seen, 4711);
  NetworkWeights without = written;
  without.steps = {};
  EXPECT_TRUE(ParseWeights(SerializeWeights(without), "w").steps.values.empty());
}

TEST(StepNetworkFile, WhatDoesNotFitIsRefused) {
  const TensorFile good = ParseTensors(SerializeWeights(WithSteps()), "w");
  const auto refusal = [](const TensorFile& file) -> std::string {
    try {
      ParseWeights(SerializeTensors(file), "w");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kBadInput);
      return error.what();
    }
    return "";
  };
  ASSERT_EQ(refusal(good), "");
  for (const char* text :
       {"", "[]", "{}", R"({"hidden":5,"features":24})", R"({"hidden":0,"features":24,"datasets_seen":1})",
        R"({"hidden":6,"features":24,"datasets_seen":1})", R"({"hidden":5,"features":23,"datasets_seen":1})",
        R"({"hidden":-5,"features":24,"datasets_seen":1})", R"({"hidden":1e18,"features":24,"datasets_seen":1})"}) {
    TensorFile file = good;
    file.metadata["steps"] = text;
    EXPECT_NE(refusal(file), "") << text;
  }
  TensorFile file = good;
  file.metadata.erase("steps");
  EXPECT_THAT(refusal(file), ::testing::HasSubstr("tensors"));
  file = good;
  file.tensors.erase("steps.1.bias");
  EXPECT_NE(refusal(file), "");
  file = good;
  const float bad = std::numeric_limits<float>::infinity();
  std::memcpy(file.tensors["steps.2.weight"].bytes.data(), &bad, sizeof bad);
  EXPECT_THAT(refusal(file), ::testing::HasSubstr("not finite"));
}

}  // namespace
}  // namespace instantgp
