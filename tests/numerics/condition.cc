#include "tests/numerics/condition.h"

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>

#include "instantgp/base/error.h"
#include "instantgp/base/rng.h"
#include "instantgp/gp/covariance.h"
#include "instantgp/gp/marginal_likelihood.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/kernel/expression.h"
#include "instantgp/kernel/parameters.h"
#include "instantgp/kernel/parse.h"
#include "tests/support/naive_gp.h"

namespace instantgp::testing {
namespace {

using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>, boost::multiprecision::et_off>;

struct Problem {
  Expression expression;
  Matrix X, X_new;
  Vector y;
  LogParameters theta;
};

Rows<Real> ExactRows(const Matrix& X) {
  Rows<Real> rows;
  for (Index i = 0; i < X.rows(); ++i) {
    rows.emplace_back();
    for (Index k = 0; k < X.cols(); ++k) rows.back().emplace_back(X(i, k));
  }
  return rows;
}

std::vector<Real> ExactNumbers(const Vector& v) { return {v.data(), v.data() + v.size()}; }

Problem MakeProblem(const std::string& kernel, int n) {
  RandomStream random(19);
  Problem p;
  p.expression = ParseKernel(kernel, {"x"});
  p.X.resize(n, 1);
  p.y.resize(n);
  for (int i = 0; i < n; ++i) {
    p.X(i, 0) = (i + 0.8 * random.Uniform()) / n;
    p.y[i] = std::sin(6 * p.X(i, 0)) + 0.5 * std::cos(15 * p.X(i, 0));
  }
  p.X_new.resize(4, 1);
  p.X_new << 0.013, 0.5, 0.77, 1.1;
  p.theta = Vector::Zero(NumParameters(p.expression) + 1);
  const ParameterTable table(p.expression);
  for (std::size_t k = 0; k < table.size(); ++k) {
    if (table[k].kind == ParameterKind::kLengthscale) p.theta[static_cast<Index>(k)] = std::log(0.3);
    if (table[k].kind == ParameterKind::kPeriod) p.theta[static_cast<Index>(k)] = std::log(0.4);
  }
  return p;
}

// The ends of the spectrum of A = K + noise I by power iteration, on A and by its factor on the inverse. Within a few
// percent, which is enough for a logarithmic axis.
double ConditionOf(const Problem& p, const std::vector<Real>& theta) {
  const std::size_t n = static_cast<std::size_t>(p.X.rows());
  const Rows<Real> X = ExactRows(p.X);
  std::vector<Real> parameters;
  for (const Real& log_parameter : theta) parameters.push_back(exp(log_parameter));
  Rows<Real> A(n, std::vector<Real>(n)), L = A;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      A[i][j] = NaiveKernel<Real>(p.expression, X[i], X[j], parameters) + (i == j ? parameters.back() : Real(0));
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      Real value = A[i][j];
      for (std::size_t k = 0; k < j; ++k) value -= L[i][k] * L[j][k];
      L[i][j] = i == j ? Real(sqrt(value)) : Real(value / L[j][j]);
    }
  }
  const auto grown = [&](auto&& apply) {
    std::vector<Real> v(n, Real(1));
    for (std::size_t i = 0; i < n; ++i) v[i] += Real(static_cast<int>(i * i % 7)) / 10;
    Real norm = 1;
    for (int step = 0; step < 25; ++step) {
      apply(v);
      norm = 0;
      for (const Real& value : v) norm += value * value;
      norm = sqrt(norm);
      for (Real& value : v) value /= norm;
    }
    return norm;
  };
  const Real largest = grown([&](std::vector<Real>& v) {
    std::vector<Real> product(n, Real(0));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) product[i] += A[i][j] * v[j];
    }
    v = product;
  });
  const Real inverse = grown([&](std::vector<Real>& v) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) v[i] -= L[i][j] * v[j];
      v[i] /= L[i][i];
    }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t j = i + 1; j < n; ++j) v[i] -= L[j][i] * v[j];
      v[i] /= L[i][i];
    }
  });
  return static_cast<double>(largest * inverse);
}

Real NlmlAt(const Problem& p, const Rows<Real>& X, const std::vector<Real>& y, std::vector<Real> theta, std::size_t row,
            const Real& step) {
  theta[row] += step;
  return NaiveGp<Real>(p.expression, X, y, theta).Nlml();
}

void Compare(const Problem& p, ConditionPoint& point) {
  const Rows<Real> X = ExactRows(p.X);
  const std::vector<Real> y = ExactNumbers(p.y), theta = ExactNumbers(p.theta);
  const NaiveGp<Real> exact(p.expression, X, y, theta);
  point.condition = ConditionOf(p, theta);

  const Covariance covariance(p.expression);
  NlmlWorkspace workspace;
  Vector gradient;
  const NlmlValue value = NegativeLogMarginalLikelihood(covariance, p.X, p.y, p.theta, &gradient, workspace);
  point.refused = !value.ok;
  point.jitter = value.jitter;
  if (!value.ok) return;
  const auto exact_nlml = static_cast<double>(exact.Nlml());
  point.nlml = std::abs(static_cast<double>(Real(value.nlml) - exact.Nlml())) / std::max(1.0, std::abs(exact_nlml));
  const Real step("1e-14");
  double worst = 0, norm = 0;
  for (std::size_t k = 0; k < theta.size(); ++k) {
    const Real change = NlmlAt(p, X, y, theta, k, step) - NlmlAt(p, X, y, theta, k, -step);
    const auto slope = static_cast<double>(change / (2 * step));
    worst = std::max(worst, std::abs(slope - gradient[static_cast<Index>(k)]));
    norm += slope * slope;
  }
  point.gradient = worst / std::max(1.0, std::sqrt(norm));
  const double spread = std::sqrt((p.y.array() - p.y.mean()).square().mean());
  const Posterior posterior(p.expression, p.X, p.y, p.theta);
  Vector mean, std;
  posterior.MeanAndStd(p.X_new, Noise::kLatent, &mean, &std);
  for (Index i = 0; i < p.X_new.rows(); ++i) {
    const std::vector<Real> x = {Real(p.X_new(i, 0))};
    point.mean = std::max(point.mean, std::abs(static_cast<double>(Real(mean[i]) - exact.Mean(x))) / spread);
    const Real exact_std = sqrt(exact.LatentVariance(x));
    point.std = std::max(point.std, std::abs(static_cast<double>(Real(std[i]) - exact_std)) / spread);
  }
}

}  // namespace

ConditionCurve MeasureCondition(const std::string& kernel, int n, int decades) {
  Problem problem = MakeProblem(kernel, n);
  ConditionCurve curve{kernel, {}};
  for (int decade = 0; decade <= decades; ++decade) {
    ConditionPoint point;
    problem.theta[problem.theta.size() - 1] = -decade * std::log(10.0);
    point.noise = std::pow(10.0, -decade);
    Compare(problem, point);
    curve.points.push_back(point);
  }
  return curve;
}

}  // namespace instantgp::testing
