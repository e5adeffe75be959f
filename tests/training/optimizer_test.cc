#include "instantgp/training/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "instantgp/base/rng.h"

namespace instantgp {
namespace {

struct Buffers {
  explicit Buffers(std::vector<float> start)
      : weights(start), moment1(start.size(), 0.0f), moment2(start.size(), 0.0f), average(start) {}
  void Step(const OptimizerConfig& config, std::int64_t step, double rate, const std::vector<float>& gradient,
            double scale = 1) {
    UpdateWeights(CoefficientsOf(config, step, rate, scale), 0, weights.size(), gradient.data(), weights.data(),
                  moment1.data(), moment2.data(), average.data());
  }
  std::vector<float> weights, moment1, moment2, average;
};

// The formulas of the header, one weight at a time, in double.
struct Reference {
  std::vector<double> w, m, v, average;
  explicit Reference(const std::vector<float>& start)
      : w(start.begin(), start.end()), m(w.size(), 0), v(w.size(), 0), average(w) {}
  void Step(const OptimizerConfig& c, int t, double rate, const std::vector<float>& gradient) {
    const double rho_inf = 2 / (1 - c.beta2) - 1;
    const double rho = rho_inf - 2 * t * std::pow(c.beta2, t) / (1 - std::pow(c.beta2, t));
    for (std::size_t i = 0; i < w.size(); ++i) {
      const double g = static_cast<double>(gradient[i]);
      m[i] = c.beta1 * m[i] + (1 - c.beta1) * g;
      v[i] = c.beta2 * v[i] + (1 - c.beta2) * g * g;
      const double mh = m[i] / (1 - std::pow(c.beta1, t));
      const double vh = v[i] / (1 - std::pow(c.beta2, t));
      double direction = mh / (std::sqrt(vh) + c.epsilon);
      if (c.kind == OptimizerKind::kRAdam) {
        const double r = std::sqrt((rho - 4) * (rho - 2) * rho_inf / ((rho_inf - 4) * (rho_inf - 2) * rho));
        direction = rho > 5 ? direction * r : mh;
      }
      w[i] -= rate * (direction + c.weight_decay * w[i]);
      average[i] += std::max(c.averaging, 10.0 / (t + 9)) * (w[i] - average[i]);
    }
  }
};

TEST(Optimizer, FirstAdamWStepMovesByTheRateAgainstTheSign) {
  OptimizerConfig config;
  config.kind = OptimizerKind::kAdamW;
  Buffers b({1.0f, -2.0f, 0.5f});
  b.Step(config, 1, 0.01, {3.0f, -0.001f, 0.0f});
  EXPECT_NEAR(b.weights[0], 1.0 - 0.01, 1e-6);
  EXPECT_NEAR(b.weights[1], -2.0 + 0.01, 1e-6);
  EXPECT_FLOAT_EQ(b.weights[2], 0.5f);
  for (int i = 0; i < 3; ++i) EXPECT_FLOAT_EQ(b.average[i], b.weights[i]);  // the average of one step is that step
}

TEST(Optimizer, WeightDecayIsDecoupledFromTheGradient) {
  OptimizerConfig config;
  config.kind = OptimizerKind::kAdamW;
  config.weight_decay = 0.1;
  Buffers b({4.0f});
  b.Step(config, 1, 0.01, {0.0f});
  EXPECT_NEAR(b.weights[0], 4.0 - 0.01 * 0.1 * 4.0, 1e-6);
}

TEST(Optimizer, RAdamIsPlainMomentumUntilTheVarianceIsBounded) {
  OptimizerConfig config;
  config.beta2 = 0.999;  // rho_t > 5 from t = 6 on
  for (int t = 1; t <= 5; ++t) EXPECT_FALSE(CoefficientsOf(config, t, 1e-3, 1).adaptive) << t;
  for (int t = 6; t <= 50; ++t) EXPECT_TRUE(CoefficientsOf(config, t, 1e-3, 1).adaptive) << t;
  // A constant gradient: mh = g, so five steps move by 5 rate g.
  Buffers b({0.0f});
  for (int t = 1; t <= 5; ++t) b.Step(config, t, 1e-2, {2.0f});
  EXPECT_NEAR(b.weights[0], -5 * 1e-2 * 2.0, 1e-6);
}

TEST(Optimizer, FollowsTheFormulasInDouble) {
  for (const OptimizerKind kind : {OptimizerKind::kRAdam, OptimizerKind::kAdamW}) {
    for (const double decay : {0.0, 0.05}) {
      OptimizerConfig config;
      config.kind = kind;
      config.weight_decay = decay;
      RandomStream random(7, static_cast<std::uint64_t>(kind));
      const int size = 133;  // no multiple of a vector's length
      std::vector<float> start(size), gradient(size);
      for (float& w : start) w = static_cast<float>(random.Normal());
      Buffers b(start);
      Reference reference(start);
      for (int t = 1; t <= 200; ++t) {
        for (int i = 0; i < size; ++i) {
          gradient[i] = static_cast<float>(random.Normal() * std::pow(10.0, (i % 7) - 4));
        }
        const double rate = 1e-3 * std::min(1.0, t / 20.0);
        b.Step(config, t, rate, gradient);
        reference.Step(config, t, rate, gradient);
      }
      for (int i = 0; i < size; ++i) {
        EXPECT_NEAR(b.weights[i], reference.w[i], 2e-5) << i;
        EXPECT_NEAR(b.average[i], reference.average[i], 2e-5) << i;
      }
    }
  }
}

TEST(Optimizer, RangesDoNotDependOnEachOther) {
  OptimizerConfig config;
  std::vector<float> start(1000), gradient(1000);
  RandomStream random(3);
  for (float& w : start) w = static_cast<float>(random.Normal());
  for (float& g : gradient) g = static_cast<float>(random.Normal());
  Buffers whole(start), parts(start);
  for (int t = 1; t <= 10; ++t) {
    whole.Step(config, t, 1e-3, gradient, 0.5);
    const StepCoefficients c = CoefficientsOf(config, t, 1e-3, 0.5);
    const std::size_t cuts[] = {0, 1, 17, 400, 401, 999, 1000};
    for (int k = 5; k >= 0; --k) {
      UpdateWeights(c, cuts[k], cuts[k + 1], gradient.data(), parts.weights.data(), parts.moment1.data(),
                    parts.moment2.data(), parts.average.data());
    }
  }
  EXPECT_EQ(whole.weights, parts.weights);
  EXPECT_EQ(whole.average, parts.average);
}

TEST(Optimizer, MinimisesAQuadratic) {
  for (const OptimizerKind kind : {OptimizerKind::kRAdam, OptimizerKind::kAdamW}) {
    OptimizerConfig config;
    config.kind = kind;
    Buffers b({3.0f, -4.0f});
    for (int t = 1; t <= 2000; ++t) b.Step(config, t, 1e-2 * (1 - t / 2001.0), {b.weights[0] - 1, 100 * b.weights[1]});
    EXPECT_NEAR(b.weights[0], 1, 1e-3);
    EXPECT_NEAR(b.weights[1], 0, 1e-3);
  }
}

TEST(Optimizer, ClipsOnlyAboveTheBound) {
  EXPECT_EQ(ClipFactor(0.5, 1), 1);
  EXPECT_EQ(ClipFactor(4, 1), 0.25);
  EXPECT_EQ(ClipFactor(4, 0), 1);
}

}  // namespace
}  // namespace instantgp
