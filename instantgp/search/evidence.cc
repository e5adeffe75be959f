#include "instantgp/search/evidence.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "instantgp/gp/marginal_likelihood.h"
#include "instantgp/kernel/parameters.h"
#include "instantgp/kernel/prior.h"
#include "instantgp/optimize/hessian.h"

namespace instantgp {
namespace {

constexpr double kStep = 1e-3;  // of log theta: the error of a difference is about 1e-7 of the curvature
// Nats a Newton step may promise. A refined point should be nearer to its mode than that; without the bound a point
// short of one got evidence from its slope (Evidence.APointAwayFromTheModeIsNoBetterThanTheMode).
constexpr double kMostToTheMode = 1;
// Of u = log theta: a standard deviation of 1.4. Under a Gamma(2, .) prior alone that of u is 0.8, so the bound leaves
// room for directions in which a flat likelihood undoes some of the prior. Not measured.
constexpr double kLeastCurvature = 0.5;

// f of the header and its gradient.
class NegativeLogPosterior final : public FirstOrderFunction {
 public:
  NegativeLogPosterior(const Covariance& covariance, const Matrix& X, const Vector& y)
      : covariance_(covariance), X_(X), y_(y), table_(ParameterTable(covariance.expression())) {}

  int size() const override { return static_cast<int>(table_.size()) + 1; }

  bool Evaluate(const Vector& u, double* value, Vector* gradient) override {
    const NlmlValue nlml = NegativeLogMarginalLikelihood(covariance_, X_, y_, u, gradient, workspace_);
    if (!nlml.ok) return false;
    const double n = static_cast<double>(y_.size());
    *value = n * nlml.nlml;
    if (gradient != nullptr) *gradient *= n;
    for (Index i = 0; i < u.size(); ++i) {
      const GammaPrior prior = table_.PriorOfRow(i);
      *value -= prior.LogDensity(u[i]) + u[i];
      if (gradient != nullptr) (*gradient)[i] -= prior.DLogDensity(u[i]) + 1;
    }
    return std::isfinite(*value) && (gradient == nullptr || gradient->allFinite());
  }

 private:
  const Covariance& covariance_;
  const Matrix& X_;
  const Vector& y_;
  ParameterTable table_;
  NlmlWorkspace workspace_;
};

}  // namespace

int IdentifiableParameters(const Structure& structure) {
  int count = 2;  // the overall amplitude and the noise
  for (const std::vector<BaseSymbol>& addends : structure.symbols) {
    for (const BaseSymbol symbol : addends) {
      count += NumParameters(symbol) - static_cast<int>(FactorsOf(symbol).size());  // without the factors' variances
      count += 1;                                                                   // one amplitude in their place
    }
    count -= 1;  // that of the column, which is part of the overall one
  }
  return count;
}

double BicScore(double nlml_per_point, int parameters, int n) {
  return nlml_per_point + kBicShare * 0.5 * parameters * std::log(static_cast<double>(n)) / n;
}

std::optional<double> LaplaceScore(const Covariance& covariance, const Matrix& X, const Vector& y,
                                   const LogParameters& theta) {
  NegativeLogPosterior f(covariance, X, y);
  const Index p = theta.size();
  double value = 0;
  Vector gradient;
  if (!f.Evaluate(theta, &value, &gradient)) return std::nullopt;
  const std::optional<Matrix> H = HessianByDifferences(f, theta, kStep);
  if (!H) return std::nullopt;
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(*H);
  if (eigen.info() != Eigen::Success) return std::nullopt;
  const Vector curvature = eigen.eigenvalues().cwiseMax(kLeastCurvature);
  const Vector slope = eigen.eigenvectors().transpose() * gradient;
  // What is left to the mode. More than a little of it means that the optimiser stopped elsewhere, where the curvature
  // says nothing of the way down.
  const double newton = std::min(0.5 * (slope.array().square() / curvature.array()).sum(), kMostToTheMode);
  const double log_volume =
      0.5 * curvature.array().log().sum() - 0.5 * static_cast<double>(p) * std::log(2 * std::numbers::pi);
  return (value - newton + log_volume) / static_cast<double>(y.size());
}

}  // namespace instantgp
