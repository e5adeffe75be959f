// Gradients of the whole network, alone and through the marginal likelihood, in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "instantgp/gp/marginal_likelihood.h"
#include "tests/network/small_networks.h"
#include "tests/support/gradient_check.h"

namespace instantgp {
namespace {

using testing::Problem;
using testing::RandomProblem;
using testing::RandomWeights;

// Both families.
std::vector<NetworkConfig> DifferentiatedConfigs() {
  std::vector<NetworkConfig> configs = testing::SmallConfigs();
  configs.push_back(testing::SmallAhgp());
  return configs;
}

// Checks the gradient of loss(theta) with respect to up to `per_tensor` random weights of every
// tensor. `loss` returns the value and, when asked, dloss/dtheta.
using Loss = std::function<double(const Matrix& theta, Matrix* dtheta)>;

constexpr double kStep = 1e-4;

// Whether some ReLU switches within the steps of the difference quotient, where there is no derivative to compare with:
// second differences at two steps agree where f is smooth, and differ by (jump of the slope) / step where it is not.
bool HasKink(const std::function<double()>& f, double& weight) {
  const double centre = weight;
  const auto at = [&](double shift) {
    weight = centre + shift;
    const double value = f();
    weight = centre;
    return value;
  };
  const double here = at(0);
  const double narrow = (at(kStep) + at(-kStep) - 2 * here) / (kStep * kStep);
  const double wide = (at(2 * kStep) + at(-2 * kStep) - 2 * here) / (4 * kStep * kStep);
  const double rounding = 1e-14 * std::abs(here) / (kStep * kStep);
  return std::abs(narrow - wide) > 1e-3 + rounding + 1e-3 * (std::abs(narrow) + std::abs(wide));
}

void CheckWeights(const Network<double>& network, const Problem& p, const Loss& loss, RandomStream& random,
                  int per_tensor) {
  std::vector<double> weights = RandomWeights(network, random.Bits());
  Workspace<double> workspace;
  Matrix theta, dtheta;
  network.Forward(weights.data(), p.X, p.y, p.structure, workspace, &theta);
  loss(theta, &dtheta);
  std::vector<double> gradient(network.num_weights(), 0.0);
  network.Backward(weights.data(), dtheta, workspace, gradient.data());

  std::vector<std::size_t> chosen;
  for (const WeightTensor& tensor : network.tensors()) {
    const int size = tensor.rows * tensor.cols;
    for (int k = 0; k < std::min(per_tensor, size); ++k)
      chosen.push_back(tensor.offset + random.UniformInt(0, size - 1));
  }
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  const auto value = [&] {
    Matrix out;
    network.Forward(weights.data(), p.X, p.y, p.structure, workspace, &out);
    return loss(out, nullptr);
  };
  const std::size_t all = chosen.size();
  std::erase_if(chosen, [&](std::size_t k) { return HasKink(value, weights[k]); });
  EXPECT_GE(chosen.size(), all * 8 / 10);
  Vector x(chosen.size()), analytic(chosen.size());
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    x[k] = weights[chosen[k]];
    analytic[k] = gradient[chosen[k]];
  }
  const auto f = [&](const Vector& moved) {
    for (std::size_t k = 0; k < chosen.size(); ++k) weights[chosen[k]] = moved[k];
    return value();
  };
  testing::ExpectGradient(f, x, analytic, 1e-6, kStep);
}

TEST(NetworkGradient, EveryTensorOfEverySmallNetwork) {
  RandomStream random(11);
  for (const NetworkConfig& config : DifferentiatedConfigs()) {
    SCOPED_TRACE(config.name);
    const Network<double> network(config);
    Problem p = RandomProblem(random, 5, 2, 2);
    p.structure = network.Asked(p.structure);
    Matrix direction;
    const Loss loss = [&](const Matrix& theta, Matrix* dtheta) {
      if (direction.size() == 0) {
        direction.resize(theta.rows(), theta.cols());
        for (Index k = 0; k < direction.size(); ++k) direction.data()[k] = random.Normal();
      }
      if (dtheta != nullptr) *dtheta = direction;
      return theta.cwiseProduct(direction).sum();
    };
    CheckWeights(network, p, loss, random, 5);
  }
}

// Hypotheses without a gradient are left out of the backward pass; the rest must come out as if each were alone.
TEST(NetworkGradient, HypothesesAddUp) {
  RandomStream random(13);
  NetworkConfig config = testing::ShrunkenPreset("base");
  config.hypotheses = 5;
  const Network<double> network(config);
  const std::vector<double> weights = RandomWeights(network, 14);
  Workspace<double> workspace;
  const Problem p = RandomProblem(random, 9, 3);
  Matrix theta;
  const auto gradient_of = [&](const Matrix& dtheta) {
    Vector gradient = Vector::Zero(static_cast<Index>(network.num_weights()));
    network.Forward(weights.data(), p.X, p.y, p.structure, workspace, &theta);
    network.Backward(weights.data(), dtheta, workspace, gradient.data());
    return gradient;
  };
  network.Forward(weights.data(), p.X, p.y, p.structure, workspace, &theta);
  std::vector<Vector> alone;
  Matrix all(theta.rows(), 5);
  for (Index e = 0; e < all.size(); ++e) all.data()[e] = random.Normal();
  for (int k = 0; k < 5; ++k) {
    Matrix one = Matrix::Zero(all.rows(), 5);
    one.col(k) = all.col(k);
    alone.push_back(gradient_of(one));
    EXPECT_GT(alone.back().norm(), 0);
  }
  for (int subset = 0; subset < 32; ++subset) {
    Matrix some = Matrix::Zero(all.rows(), 5);
    Vector expected = Vector::Zero(static_cast<Index>(network.num_weights()));
    for (int k = 0; k < 5; ++k) {
      if (!(subset >> k & 1)) continue;
      some.col(k) = all.col(k);
      expected += alone[k];
    }
    EXPECT_LE((gradient_of(some) - expected).cwiseAbs().maxCoeff(), 1e-12 * (1 + expected.cwiseAbs().maxCoeff()));
  }
}

// network -> parameters -> NLML: the sum over hypotheses with different weights.
class NetworkGradientOfColumns : public ::testing::TestWithParam<int> {};

TEST_P(NetworkGradientOfColumns, ThroughTheMarginalLikelihoodForRandomStructures) {
  const int d = GetParam();
  RandomStream random(12, static_cast<std::uint64_t>(d));
  for (NetworkConfig config : DifferentiatedConfigs()) {
    // The likelihood of random targets at little noise runs into the thousands, and thousands of ReLUs have a kink near
    // any point: neither leaves digits for a difference quotient. The heads keep their ReLU.
    config.noise_floor = 0.01;
    config.activation = Activation::kGelu;
    SCOPED_TRACE(config.name);
    const Network<double> network(config);
    Problem p = RandomProblem(random, random.UniformInt(2, 14), d);
    p.structure = network.Asked(p.structure);
    const Covariance covariance(ToExpression(p.structure));
    NlmlWorkspace workspace;
    const Loss loss = [&](const Matrix& theta, Matrix* dtheta) {
      if (dtheta != nullptr) dtheta->resize(theta.rows(), theta.cols());
      double sum = 0;
      for (Index k = 0; k < theta.cols(); ++k) {
        Vector gradient;
        const NlmlValue value = NegativeLogMarginalLikelihood(covariance, p.X, p.y, theta.col(k),
                                                              dtheta != nullptr ? &gradient : nullptr, workspace);
        EXPECT_TRUE(value.ok) << value.reason;
        sum += (1 + k) * value.nlml;
        if (dtheta != nullptr) dtheta->col(k) = (1 + k) * gradient;
      }
      return sum;
    };
    CheckWeights(network, p, loss, random, 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Number, NetworkGradientOfColumns, ::testing::Range(1, 9),
                         [](const auto& columns) { return std::to_string(columns.param); });

}  // namespace
}  // namespace instantgp
