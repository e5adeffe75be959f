#include "instantgp/inference/parameter_draws.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <vector>

#include "instantgp/base/rng.h"
#include "instantgp/inference/noise_floor.h"
#include "instantgp/kernel/parameters.h"

namespace instantgp {
namespace {

// Rows of theta, sorted by kind, kernel and value.
std::vector<Index> RowsByValue(const ParameterTable& table, const LogParameters& theta) {
  std::vector<Index> order(static_cast<std::size_t>(theta.size()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto key = [&](Index row) {
    if (row == theta.kernel_size()) return std::tuple(-1, -1, 0.0);
    const Parameter& p = table[static_cast<std::size_t>(row)];
    return std::tuple(static_cast<int>(p.kind), static_cast<int>(p.elementary), theta[row]);
  };
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return key(a) < key(b); });
  return order;
}

}  // namespace

double LogOptimism(const Matrix& H, double n) {
  Matrix held = H;
  held.diagonal().array() += 1;
  const Eigen::LDLT<Matrix> factor(held);
  if (factor.info() != Eigen::Success) return 0;
  const Index p = H.rows();
  const double determined = static_cast<double>(p) - factor.solve(Matrix::Identity(p, p)).trace();
  if (!(determined > 0)) return 0;
  const double k = std::min(determined, n / 3);
  return std::log((n + k) / (n - k));
}

double DrawWidth(const Expression& expression) {
  return NumLeaves(expression) <= static_cast<int>(ColumnsOf(expression).size()) ? 1 : 0.5;
}

Matrix DrawParameters(const Covariance& covariance, const Matrix& X, const Vector& y, const LogParameters& theta,
                      const Vector& precision, int count) {
  const ParameterTable table(covariance.expression());
  const double n = static_cast<double>(y.size());
  NlmlWorkspace workspace;
  Vector gradient;
  Matrix H;
  if (!NegativeLogMarginalLikelihood(covariance, X, y, theta, nullptr, workspace).ok ||
      !NlmlGradient(covariance, X, theta, nullptr, workspace, &gradient, &H)) {
    return {};
  }
  H *= n;
  const double log_optimism = LogOptimism(H, n);
  H.diagonal() += precision;
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(H);
  if (eigen.info() != Eigen::Success || !(eigen.eigenvalues().minCoeff() > 0)) return {};
  const Matrix S = eigen.operatorInverseSqrt();
  const NoiseFloor floor(covariance.expression(), X, y);
  const std::vector<Index> order = RowsByValue(table, theta);
  const LogParameters centre = theta + log_optimism * ScaleDirection(covariance.expression());
  const double width = DrawWidth(covariance.expression());
  RandomStream random(1, 0);
  Matrix draws(theta.size(), count);
  Vector z(theta.size());
  for (int k = 0; k < count; ++k) {
    if (k % 2 == 0) {
      for (const Index row : order) z[row] = random.Normal();
    } else {
      z = -z;
    }
    draws.col(k) = centre + width * (S * z);
    draws(NoiseRow(draws), k) = std::max(draws(NoiseRow(draws), k), floor.least());
  }
  return draws;
}

}  // namespace instantgp
