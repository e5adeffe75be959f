#include "instantgp/inference/neighbour_tuning.h"

#include <algorithm>
#include <cmath>

#include "instantgp/kernel/parameters.h"
#include "instantgp/optimize/lbfgs.h"

namespace instantgp {
namespace {

constexpr double kLeastLogNoise = -18.4;  // 1e-8 of the targets' variance
constexpr double kMostLog = 25;
constexpr double kWallStrength = 1;
constexpr double kLeastSquaredError = 1e-12;  // of standardised targets: below, there is nothing left to predict

class TuningObjective final : public FirstOrderFunction {
 public:
  TuningObjective(LeftOutDensity& density, const LogParameters& start, const Freedom& freedom)
      : density_(density), start_(start), freedom_(freedom) {}

  int size() const override { return static_cast<int>(freedom_.along.cols()); }

  LogParameters At(const Vector& t) const { return LogParameters(Vector(start_ + freedom_.along * t)); }

  bool Evaluate(const Vector& t, double* value, Vector* gradient) override {
    const LogParameters theta = At(t);
    if (!theta.allFinite() || theta.cwiseAbs().maxCoeff() > 2 * kMostLog) return false;
    Vector slope;
    double nll = 0;
    if (!density_.Evaluate(theta, &nll, gradient != nullptr ? &slope : nullptr)) return false;
    *value = nll;
    if (gradient != nullptr) *gradient = freedom_.along.transpose() * slope;
    for (Index k = 0; k < t.size(); ++k) {
      const double beyond = std::abs(t[k]) - freedom_.reach[k];
      if (beyond <= 0) continue;
      *value += kWallStrength * beyond * beyond;
      if (gradient != nullptr) (*gradient)[k] += std::copysign(2 * kWallStrength * beyond, t[k]);
    }
    const double below = kLeastLogNoise - theta.noise();
    if (below > 0) {
      *value += kWallStrength * below * below;
      if (gradient != nullptr) {
        *gradient -= 2 * kWallStrength * below * freedom_.along.row(theta.kernel_size()).transpose();
      }
    }
    return true;
  }

 private:
  LeftOutDensity& density_;
  LogParameters start_;
  const Freedom& freedom_;
};

void HoldFixed(const FixedRows& fixed, Matrix& along) {
  for (const Index row : fixed.rows) along.row(row).setZero();
}

}  // namespace

Freedom Freedom::ThreeNumbers(const Expression& expression, const FixedRows& fixed) {
  const ParameterTable table(expression);
  const Index p = static_cast<Index>(table.size());
  Freedom freedom{Matrix::Zero(p + 1, 3), Vector{{std::log(30.0), std::log(1e6), std::log(1e4)}}};
  for (const Index row : table.Rows(ParameterKind::kLengthscale,
                                    {Elementary::kSE, Elementary::kMAT52, Elementary::kMAT12, Elementary::kPER})) {
    freedom.along(row, 0) = 1;
  }
  freedom.along.col(1) = ScaleDirection(expression);
  freedom.along(p, 2) = 1;
  HoldFixed(fixed, freedom.along);
  return freedom;
}

Freedom Freedom::Everything(const Expression& expression, const FixedRows& fixed) {
  const Index size = NumParameters(expression) + 1;
  Freedom freedom{Matrix::Identity(size, size), Vector::Constant(size, std::log(1e3))};
  HoldFixed(fixed, freedom.along);
  return freedom;
}

Tuned Tune(LeftOutDensity& density, const LogParameters& start, const Freedom& freedom, int max_steps,
           const std::stop_token& stop) {
  double nll = 0;
  density.CountErrors(0);
  if (density.Evaluate(start, &nll, nullptr)) {
    const double error = density.MeanSquaredError();
    if (error > kLeastSquaredError) density.CountErrors(1 / error);
  }
  TuningObjective objective(density, start, freedom);
  LbfgsOptions options;
  options.max_steps = max_steps;
  options.memory = 12;
  options.gradient_tolerance = 1e-3;
  options.value_tolerance = 1e-3;
  options.value_window = 3;
  options.stop = stop;
  const OptimizeSummary summary = MinimizeLbfgs(objective, Vector::Zero(objective.size()), options);
  Tuned tuned;
  density.CountErrors(0);
  tuned.evaluations = summary.evaluations + 1;
  tuned.steps = summary.steps;
  tuned.ok = summary.x.size() > 0 && std::isfinite(summary.value);
  tuned.theta = tuned.ok ? WithinBounds(objective.At(summary.x)) : start;
  return tuned;
}

LogParameters WithinBounds(LogParameters theta) {
  theta = theta.cwiseMax(-kMostLog).cwiseMin(kMostLog).eval();
  theta.noise() = std::max(theta.noise(), kLeastLogNoise);
  return theta;
}

double LogScaleOf(const Vector& residuals, bool coverage) {
  constexpr double kMostLogScale = 14;  // a factor 1000 in the standard deviation
  const Index n = residuals.size();
  double scale = residuals.squaredNorm() / static_cast<double>(n);
  if (coverage) {
    Vector squares = residuals.array().square();
    std::sort(squares.begin(), squares.end());
    constexpr double kZ = 1.959963984540054;
    const auto at = [&](double share) {
      const auto rank = static_cast<Index>(std::ceil(share * static_cast<double>(n)));
      return squares[std::clamp<Index>(rank - 1, 0, n - 1)] / (kZ * kZ);
    };
    scale = std::clamp(scale, at(0.95), std::max(at(0.95), at(0.965)));
  }
  return std::clamp(std::log(std::max(scale, 1e-300)), -kMostLogScale, kMostLogScale);
}

}  // namespace instantgp
