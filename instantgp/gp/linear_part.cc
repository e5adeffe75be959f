#include "instantgp/gp/linear_part.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <utility>

#include "instantgp/gp/cholesky.h"
#include "instantgp/gp/covariance.h"

namespace instantgp {
namespace {

// Addends of an expression by what they are.
struct Reach {
  std::vector<LinearFeature> linear;  // products of LIN and BIAS alone
  bool ranged = false;                // some have a range on every way
  bool mixed = false;                 // some reach far and are no regression
};

Reach ReachOfLeaf(const Expression& leaf, Index row, int number) {
  Reach reach;
  switch (leaf.symbol) {
    case Elementary::kLIN:
      reach.linear.push_back({.columns = {leaf.column}, .parameters = {row}, .leaves = {number}});
      reach.linear.push_back({.columns = {}, .parameters = {row + 1}, .leaves = {number}});
      break;
    case Elementary::kBIAS:
      reach.linear.push_back({.columns = {}, .parameters = {row}, .leaves = {number}});
      break;
    case Elementary::kWIE:
    case Elementary::kIOU:
      reach.mixed = true;
      break;
    default:
      reach.ranged = true;
  }
  return reach;
}

template <typename T>
std::vector<T> Joined(std::vector<T> a, const std::vector<T>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// `row` and `leaf` are where the parameters and leaves of the expression begin, and then where they end.
Reach ReachOf(const Expression& e, Index& row, int& leaf) {
  if (e.op == Expression::Op::kLeaf) {
    const Index own = row;
    row += static_cast<Index>(ParametersOf(e.symbol).size());
    return ReachOfLeaf(e, own, leaf++);
  }
  const bool product = e.op == Expression::Op::kProduct;
  Reach all;
  bool first = true;
  for (const Expression& term : e.terms) {
    Reach part = ReachOf(term, row, leaf);
    if (first) {
      all = std::move(part);
      first = false;
    } else if (!product) {
      all.linear = Joined(std::move(all.linear), part.linear);
      all.ranged = all.ranged || part.ranged;
      all.mixed = all.mixed || part.mixed;
    } else {
      const bool crossed = (!all.linear.empty() && part.ranged) || (all.ranged && !part.linear.empty());
      all.mixed = all.mixed || part.mixed || crossed;
      all.ranged = all.ranged && part.ranged;
      std::vector<LinearFeature> both;
      for (const LinearFeature& a : all.linear) {
        for (const LinearFeature& b : part.linear) {
          if (both.size() > kMostLinearFeatures) break;
          both.push_back(
              {Joined(a.columns, b.columns), Joined(a.parameters, b.parameters), Joined(a.leaves, b.leaves)});
        }
      }
      all.linear = std::move(both);
    }
  }
  return all;
}

Reach ReachOfAll(const Expression& expression) {
  Index row = 0;
  int leaf = 0;
  return ReachOf(expression, row, leaf);
}

}  // namespace

double LinearFeature::Variance(const LogParameters& theta) const {
  double sum = 0;
  for (const Index row : parameters) sum += theta[row];
  return std::exp(sum);
}

std::vector<LinearFeature> LinearFeaturesOf(const Expression& expression) {
  std::vector<LinearFeature> features = ReachOfAll(expression).linear;
  if (features.size() > kMostLinearFeatures) features.clear();
  return features;
}

bool ReachesFarBeyondLinear(const Expression& expression) {
  const Reach reach = ReachOfAll(expression);
  return reach.mixed || reach.linear.size() > kMostLinearFeatures;
}

Matrix LinearPart::Features(const Matrix& X) const {
  Matrix phi = Matrix::Ones(X.rows(), size());
  for (Index k = 0; k < size(); ++k) {
    for (const int column : features[static_cast<std::size_t>(k)].columns) phi.col(k).array() *= X.col(column).array();
  }
  return phi;
}

Matrix LinearPart::Gain(const LogParameters& theta) const {
  Matrix gain = cov;
  for (Index k = 0; k < size(); ++k) gain(k, k) -= features[static_cast<std::size_t>(k)].Variance(theta);
  return gain;
}

LinearPart LinearPart::Learnt(const Covariance& covariance, const Matrix& X, const Vector& y,
                              const LogParameters& theta) {
  LinearPart part;
  part.features = LinearFeaturesOf(covariance.expression());
  const Index p = part.size();
  if (p == 0) return part;
  Vector roots(p);
  for (Index k = 0; k < p; ++k) roots[k] = std::sqrt(part.features[static_cast<std::size_t>(k)].Variance(theta));
  const Matrix scaled = part.Features(X) * roots.asDiagonal();  // phi B^1/2
  CovarianceScratch scratch;
  const auto build = [&](Matrix& A) {
    covariance.Gram(X, theta.data(), A, scratch);
    A.triangularView<Eigen::Lower>() -= scaled * scaled.transpose();
    A.diagonal().array() += std::exp(theta.noise());
  };
  Matrix A(X.rows(), X.rows());
  build(A);
  if (!Factorize(A, build).ok) return {};
  const auto L = A.triangularView<Eigen::Lower>();
  const Matrix Z = L.solve(scaled);
  const Vector r = L.solve(y);
  // C = B^1/2 (I + Z^T Z)^-1 B^1/2, m = C B^-1/2 Z^T r.
  Matrix information = Z.transpose() * Z;
  information.diagonal().array() += 1;
  const Eigen::LLT<Matrix> factor(information);
  if (factor.info() != Eigen::Success) return {};
  part.mean = roots.asDiagonal() * factor.solve(Z.transpose() * r);
  part.cov = roots.asDiagonal() * factor.solve(Matrix::Identity(p, p)) * roots.asDiagonal();
  part.cov = 0.5 * (part.cov + part.cov.transpose()).eval();
  if (!part.mean.allFinite() || !part.cov.allFinite()) return {};
  return part;
}

}  // namespace instantgp
