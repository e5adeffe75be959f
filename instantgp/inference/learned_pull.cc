#include "instantgp/inference/learned_pull.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "instantgp/base/check.h"

namespace instantgp {
namespace {

// Within e^4 of the constants it replaces, and within three units of the start.
constexpr double kMostLogPrecision = 4, kFarthestCentre = 3;

constexpr std::array kKinds = {ParameterKind::kVariance, ParameterKind::kLengthscale, ParameterKind::kPeriod,
                               ParameterKind::kOffset};
constexpr std::array kKernels = {Elementary::kSE, Elementary::kLIN, Elementary::kPER, Elementary::kMAT52};

// - (n H + damping I)^-1 n g
Vector NewtonStep(const Vector& gradient, const Matrix& H, double n, double damping) {
  Matrix damped = n * H;
  damped.diagonal().array() += damping;
  return -damped.ldlt().solve(n * gradient);
}

float Held(double value, double limit) { return static_cast<float>(std::clamp(value, -limit, limit)); }

}  // namespace

double PullStd(int n) { return std::max(1.0, std::pow(n / 250.0, 2)); }

StepMatrix<float> ReadStart(const StepStart& start) {
  const Index size = start.theta.size();
  const double n = start.rows, p = static_cast<double>(size), log_scale = std::log(start.mean_square);
  // Targets of mean square 1 from here on.
  const Vector theta = start.theta - log_scale * start.scale;
  const Vector firm = NewtonStep(start.gradient, start.curvature, n, 1);
  const Vector loose = NewtonStep(start.gradient, start.curvature, n, 0.05);
  Matrix known = n * start.curvature;
  known.diagonal().array() += 1;
  const Vector variance = known.ldlt().solve(Matrix::Identity(size, size)).diagonal();
  StepMatrix<float> reading(size, kStepFeatures);
  for (Index i = 0; i < size; ++i) {
    const bool noise = i + 1 == size;
    const Parameter* parameter = noise ? nullptr : &start.table[static_cast<std::size_t>(i)];
    int column = 0;
    const auto put = [&](double value) { reading(i, column++) = Held(value, 20); };
    put(theta[i] / 3);
    put(std::asinh(n * start.gradient[i]) / 2);
    put(std::log(n * start.curvature(i, i) + 0.01) / 3);
    put(std::clamp(firm[i], -3.0, 3.0));
    put(std::clamp(loose[i], -5.0, 5.0) / 2);
    put(2 * variance[i] - 1);
    put(std::log(n) - 4);
    put(std::log(static_cast<double>(start.columns)) - 1);
    put(std::log(p) - 2);
    put(start.nlml - 0.5 * log_scale);
    put(theta[size - 1] / 3);
    put(std::min(1.0, n / (10 * p)));
    put(noise);
    for (const ParameterKind kind : kKinds) put(!noise && parameter->kind == kind);
    for (const Elementary kernel : kKernels) put(!noise && parameter->elementary == kernel);
    put(!noise && parameter->symbol.find('*') != std::string::npos);
    put(start.standard);
    put(start.scale[i]);
    INSTANTGP_CHECK(column == kStepFeatures);
  }
  return reading;
}

Pull PullOfAnswers(const LogParameters& theta, const StepMatrix<float>& answers, int n) {
  Pull pull = PullToStart(theta, n);
  pull.freedom = 0;  // as it was taught
  for (Index i = 0; i < theta.size(); ++i) {
    pull.precision[i] *= std::exp(kMostLogPrecision * std::tanh(answers(i, 0) / kMostLogPrecision));
    pull.centre[i] += kFarthestCentre * std::tanh(answers(i, 1) / kFarthestCentre);
  }
  return pull;
}

StepMatrix<float> AnswerSlopes(const StepMatrix<float>& answers, const Vector& dlog_precision, const Vector& dcentre) {
  StepMatrix<float> slopes(answers.rows(), kStepAnswers);
  for (Index i = 0; i < answers.rows(); ++i) {
    const double a = std::tanh(answers(i, 0) / kMostLogPrecision), b = std::tanh(answers(i, 1) / kFarthestCentre);
    slopes(i, 0) = static_cast<float>(dlog_precision[i] * (1 - a * a));
    slopes(i, 1) = static_cast<float>(dcentre[i] * (1 - b * b));
  }
  return slopes;
}

Pull PullToStart(LogParameters theta, int n) {
  const double std = PullStd(n);
  Vector precision = Vector::Constant(theta.size(), 1 / (std * std));
  return {std::move(theta), std::move(precision), kPullFreedom};
}

double PullNats(const Pull& pull, const Vector& r) {
  const Eigen::ArrayXd s = pull.precision.array() * r.array().square();
  return pull.freedom > 0 ? 0.5 * pull.freedom * (s / pull.freedom).log1p().sum() : 0.5 * s.sum();
}

Vector PullWeights(const Pull& pull, const Vector& r) {
  if (!(pull.freedom > 0)) return pull.precision;
  return pull.precision.array() / (1 + pull.precision.array() * r.array().square() / pull.freedom);
}

}  // namespace instantgp
