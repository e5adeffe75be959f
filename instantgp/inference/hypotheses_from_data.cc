#include "instantgp/inference/hypotheses_from_data.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "instantgp/inference/oneshot.h"
#include "instantgp/kernel/parameters.h"

namespace instantgp {
namespace {

// The fine scale: the lengthscale in spacings of the rows, and the noise variance (a standard deviation of 0.17). Not
// measured.
constexpr double kSpacings = 2, kFineNoise = 0.03;
// Cycles over [0, 1]. The highest leaves two of kRankingRows rows a cycle, the least that show one; a peak is about a
// cycle wide, so four steps cross it. Not measured.
constexpr double kLowest = 1, kHighest = 64, kStep = 0.25;
// Of PER: a wave with a few harmonics. Their variances go as the Bessel functions I_k(1 / 4 l^2): the second has a
// quarter of the first's, the third 4 percent. Not measured.
constexpr double kWaveLengthscale = 0.5;
constexpr double kNothingLeft = 1e-10;  // of the targets' variance: 1e-5 of their size, well above rounding

// What the least-squares parabola 1, x, x^2 leaves of y.
Vector WithoutParabola(const Vector& x, const Vector& y) {
  Matrix basis(x.size(), 3);
  basis << Vector::Ones(x.size()), x, x.array().square().matrix();
  return y - basis * (basis.transpose() * basis).ldlt().solve(basis.transpose() * y);
}

}  // namespace

double StrongestFrequency(const Vector& x, const Vector& y) {
  const Index n = x.size();
  if (n < 8) return 0;
  const Vector left = WithoutParabola(x, y);
  if (left.squaredNorm() <= kNothingLeft * y.squaredNorm()) return 0;
  // Waves at f, f + step, ... by rotation: e^{2 pi i (f + step) x} = e^{2 pi i f x} e^{2 pi i step x}.
  const Eigen::ArrayXd first = 2 * std::numbers::pi * kLowest * x.array();
  const Eigen::ArrayXd angle = 2 * std::numbers::pi * kStep * x.array();
  Eigen::ArrayXd c = first.cos(), s = first.sin();
  const Eigen::ArrayXd turn_c = angle.cos(), turn_s = angle.sin();
  Eigen::ArrayXd next(n);
  const double highest = std::min(kHighest, 0.5 * static_cast<double>(n));
  std::vector<double> powers;
  for (double f = kLowest; f <= highest; f += kStep) {
    const double cc = c.square().sum(), ss = s.square().sum(), cs = (c * s).sum();
    const double cy = (c * left.array()).sum(), sy = (s * left.array()).sum();
    // Explained by the best a cos + b sin: the quadratic form of the 2 x 2 normal equations.
    const double determinant = cc * ss - cs * cs;
    powers.push_back(determinant > 1e-9 * cc * ss ? (ss * cy * cy - 2 * cs * cy * sy + cc * sy * sy) / determinant : 0);
    next = c * turn_c - s * turn_s;
    s = s * turn_c + c * turn_s;
    c = next;
  }
  const auto highest_power = std::max_element(powers.begin(), powers.end());
  if (highest_power == powers.end() || *highest_power <= 0) return 0;
  const auto k = highest_power - powers.begin();
  // A peak is about a cycle wide: the parabola through its top and two neighbours says where between them it is.
  double shift = 0;
  if (k > 0 && k + 1 < static_cast<std::ptrdiff_t>(powers.size())) {
    const double curvature = powers[k - 1] - 2 * powers[k] + powers[k + 1];
    if (curvature < 0) shift = std::clamp(0.5 * (powers[k - 1] - powers[k + 1]) / curvature, -0.5, 0.5);
  }
  return kLowest + kStep * (static_cast<double>(k) + shift);
}

Matrix WithHypothesesFromData(const Structure& structure, const Matrix& X, const Vector& y, const Matrix& theta) {
  if (structure.dimensions() != 1) return theta;
  const ParameterTable table(ToExpression(structure));
  Index noisiest = 0;
  theta.row(theta.rows() - 1).maxCoeff(&noisiest);
  std::vector<Vector> extra;
  const auto lengthscales = table.Rows(ParameterKind::kLengthscale, {Elementary::kSE, Elementary::kMAT52});
  if (!lengthscales.empty()) {
    // Hypotheses are compared on that many rows at most: a finer scale would look like noise there.
    const auto rows = std::min<Index>(X.rows(), kRankingRows);
    extra.emplace_back(theta.col(noisiest));
    for (const Index row : lengthscales) extra.back()[row] = std::log(kSpacings / static_cast<double>(rows));
    extra.back()[theta.rows() - 1] = std::log(kFineNoise);
  }
  const auto periods = table.Rows(ParameterKind::kPeriod, {Elementary::kPER});
  const double frequency = periods.empty() ? 0 : StrongestFrequency(X.col(structure.columns[0]), y);
  if (frequency > 0) {
    extra.emplace_back(theta.col(noisiest));
    for (const Index row : periods) extra.back()[row] = -std::log(frequency);
    for (const Index row : table.Rows(ParameterKind::kLengthscale, {Elementary::kPER})) {
      extra.back()[row] = std::log(kWaveLengthscale);
    }
  }
  Matrix all(theta.rows(), theta.cols() + static_cast<Index>(extra.size()));
  all.leftCols(theta.cols()) = theta;
  for (std::size_t k = 0; k < extra.size(); ++k) all.col(theta.cols() + static_cast<Index>(k)) = extra[k];
  return all;
}

}  // namespace instantgp
