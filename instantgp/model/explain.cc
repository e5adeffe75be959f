#include "instantgp/model/explain.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "instantgp/base/error.h"
#include "instantgp/gp/averaged_posterior.h"
#include "instantgp/gp/cholesky.h"
#include "instantgp/gp/covariance.h"
#include "instantgp/gp/neighbour_posterior.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/inference/row_sample.h"
#include "instantgp/kernel/parameters.h"
#include "instantgp/kernel/symbol.h"
#include "instantgp/kernel/units.h"
#include "instantgp/model/spoken_columns.h"

namespace instantgp {
namespace {

using Monomial = std::vector<int>;  // leaves, by their depth-first number

constexpr std::size_t kMostMonomials = 1 << 16;  // a sum of two on each of sixteen columns

// In depth-first order.
void CollectLeaves(const Expression& expression, std::vector<const Expression*>& leaves) {
  if (expression.op == Expression::Op::kLeaf) leaves.push_back(&expression);
  for (const Expression& term : expression.terms) CollectLeaves(term, leaves);
}

// Multiplies an expression out, whose leaves are numbered from `next` on.
std::vector<Monomial> Expand(const Expression& expression, int& next) {
  if (expression.op == Expression::Op::kLeaf) return {{next++}};
  std::vector<Monomial> result;
  if (expression.op == Expression::Op::kProduct) result.push_back({});
  for (const Expression& term : expression.terms) {
    const std::vector<Monomial> expanded = Expand(term, next);
    if (expression.op == Expression::Op::kSum) {
      result.insert(result.end(), expanded.begin(), expanded.end());
      continue;
    }
    if (result.size() * expanded.size() > kMostMonomials) {
      throw Error(ErrorCode::kLimit, "the kernel has more than " + std::to_string(kMostMonomials) +
                                         " addends once multiplied out, too many to explain; use a simpler kernel");
    }
    std::vector<Monomial> product;
    for (const Monomial& left : result) {
      for (const Monomial& right : expanded) {
        product.push_back(left);
        product.back().insert(product.back().end(), right.begin(), right.end());
      }
    }
    result = std::move(product);
  }
  return result;
}

// An addend of the kernel by itself.
struct Part {
  Expression expression;  // a product of elementary kernels
  Vector theta;           // its log-parameters, one leaf after the other
};

Part PartOf(const Predictive& p, const ParameterTable& table, const std::vector<const Expression*>& leaves,
            const Monomial& monomial) {
  std::vector<Expression> factors;
  std::vector<double> theta;
  for (const int leaf : monomial) {
    factors.push_back(*leaves[static_cast<std::size_t>(leaf)]);
    for (const ParameterKind kind : ParametersOf(factors.back().symbol)) {
      theta.push_back(p.theta().Of(table, leaf, kind));
    }
  }
  return {factors.size() == 1 ? factors.front() : Expression::Product(std::move(factors)),
          Eigen::Map<const Vector>(theta.data(), static_cast<Index>(theta.size()))};
}

double PriorVariance(const Part& part) { return CollapsedAmplitude(part.expression, part.theta.array().exp()); }

struct ExplainedPart {
  Component component;
  Part part;
};

std::vector<ExplainedPart> AllParts(const Model& model) {
  const Predictive& p = model.predictive();
  std::vector<const Expression*> leaves;
  CollectLeaves(p.expression(), leaves);
  const ParameterTable table(p.expression());
  int next = 0;
  std::vector<ExplainedPart> all;
  for (const Monomial& monomial : Expand(p.expression(), next)) {
    Part part = PartOf(p, table, leaves, monomial);
    Component component;
    component.leaves = monomial;
    component.text_short = PrintShortOver(part.expression, model.column_names(), model.recipe());
    component.text = model.recipe() == nullptr ? Print(part.expression, model.column_names()) : component.text_short;
    component.columns = ColumnsOf(part.expression);
    all.push_back({std::move(component), std::move(part)});
  }
  return all;
}

// One row by the posterior of its neighbours, given what is known of a regression among the addends. With A the
// covariance of the neighbours' targets, c that of the part and the targets, and m the regression's mean,
//   mean = m_part(x) + c(x)^T A^-1 (y - m),   variance = v_part - c^T A^-1 c
// where the regression's own coefficients have covariance C.
void OfOneRow(const NeighbourPosterior& posterior, const LinearPart& linear, const std::vector<int>& rows,
              const Covariance& part, const Vector& part_theta, const Monomial& leaves, const Matrix& x, double* mean,
              double* std) {
  const Covariance all(posterior.expression());
  const LogParameters& theta = posterior.theta();
  const Matrix X = SelectRows(posterior.X(), rows), phi = linear.Features(X), phi_x = linear.Features(x);
  const Matrix gain = linear.Gain(theta);
  CovarianceScratch scratch;
  const auto build = [&](Matrix& A) {
    all.Gram(X, theta.data(), A, scratch);
    A.triangularView<Eigen::Lower>() += (phi * gain) * phi.transpose();
    A.diagonal().array() += posterior.noise_variance();
  };
  Matrix A(X.rows(), X.rows()), c;
  build(A);
  if (!Factorize(A, build).ok) throw Error(ErrorCode::kNumerical, "the covariance of some neighbours has no factor");
  // The coefficients of this part; none: it is no regression.
  Vector own = Vector::Zero(linear.size());
  bool regression = false;
  for (Index k = 0; k < linear.size(); ++k) {
    if (linear.features[static_cast<std::size_t>(k)].leaves != leaves) continue;
    own[k] = phi_x(0, k);
    regression = true;
  }
  double far = 0, variance = 0;
  if (!regression) {
    Vector diagonal;
    part.Cross(X, x, part_theta.data(), c, scratch);
    part.Diagonal(x, part_theta.data(), diagonal);
    variance = diagonal[0];
  } else {
    c = phi * (linear.cov * own);
    far = own.dot(linear.mean);
    variance = own.dot(linear.cov * own);
  }
  const auto L = A.triangularView<Eigen::Lower>();
  L.solveInPlace(c);
  Vector z = SelectRows(posterior.y(), rows) - phi * linear.mean;
  L.solveInPlace(z);
  *mean = far + c.col(0).dot(z);
  *std = std::sqrt(std::max(0.0, variance - c.squaredNorm()));
}

// Every row by the exact posterior of its neighbours.
void OfNeighbours(const NeighbourPosterior& posterior, const Covariance& part, const Vector& part_theta,
                  const Monomial& leaves, const Matrix& X, Vector* mean, Vector* std) {
  const Nearness nearness = NearnessOf(posterior.expression(), posterior.theta().data());
  const LinearPart* const linear = posterior.rule().LinearFor(posterior.tree());
  NearestScratch scratch;
  std::vector<int> rows;
  mean->resize(X.rows());
  if (std != nullptr) std->resize(X.rows());
  for (Index i = 0; i < X.rows(); ++i) {
    const Vector x = X.row(i).transpose();
    posterior.rule().Choose(posterior.tree(), nearness, x.data(), -1, scratch, rows);
    Vector own_mean(1), own_std(1);
    if (linear != nullptr && linear->size() > 0) {
      OfOneRow(posterior, *linear, rows, part, part_theta, leaves, X.row(i), &own_mean[0], &own_std[0]);
    } else {
      const Posterior own(posterior.expression(), SelectRows(posterior.X(), rows), SelectRows(posterior.y(), rows),
                          posterior.theta());
      own.PartMeanAndStd(part, part_theta, X.row(i), &own_mean, std != nullptr ? &own_std : nullptr);
    }
    (*mean)[i] = own_mean[0];
    if (std != nullptr) (*std)[i] = own_std[0];
  }
}

// The rows whose components are weighed: all, or of a large table every so many in the order of its tree, which spreads
// them over the data.
RowSample ExplainedRows(const Model& model) {
  constexpr Index kMostExplainedRows = 1000;
  const Predictive& p = model.predictive();
  const Index n = p.y().size(), count = std::min(n, kMostExplainedRows);
  if (model.neighbours() == nullptr || count == n) return {p.X(), p.y()};
  std::vector<int> rows;
  for (Index k = 0; k < count; ++k) rows.push_back(static_cast<int>((2 * k + 1) * n / (2 * count)));
  return {SelectRows(p.X(), rows), SelectRows(p.y(), rows)};
}

// The latent posterior of an addend at scaled rows; `std` may be null.
void PartMoments(const Model& model, const Monomial& leaves, const Expression& expression, const Matrix& X,
                 Vector* mean, Vector* std) {
  const ParameterTable table(model.predictive().expression());
  std::vector<const Expression*> all;
  CollectLeaves(model.predictive().expression(), all);
  const Covariance covariance(expression);
  if (const NeighbourPosterior* neighbours = model.neighbours()) {
    return OfNeighbours(*neighbours, covariance, PartOf(*neighbours, table, all, leaves).theta, leaves, X, mean, std);
  }
  const auto of_member = [&](const Posterior& member, Vector* own_mean, Vector* own_std) {
    member.PartMeanAndStd(covariance, PartOf(member, table, all, leaves).theta, X, own_mean, own_std);
  };
  if (const AveragedPosterior* averaged = model.averaged()) return averaged->Average(of_member, mean, std);
  of_member(model.posterior(), mean, std);
}

Vector Centred(const Vector& values) { return values.array() - values.mean(); }

}  // namespace

Explanation Explain(const Model& model) {
  if (model.neighbours() == nullptr) model.posterior();  // an error for a sparse model
  const RowSample rows = ExplainedRows(model);
  Explanation explanation;
  explanation.transform = model.transform().kind();
  std::vector<ExplainedPart> parts = AllParts(model);
  if (static_cast<int>(parts.size()) > kMostComponents) {
    std::stable_sort(parts.begin(), parts.end(), [](const ExplainedPart& a, const ExplainedPart& b) {
      return PriorVariance(a.part) > PriorVariance(b.part);
    });
    explanation.left_out = static_cast<int>(parts.size()) - kMostComponents;
    parts.resize(kMostComponents);
  }
  const Vector y = Centred(rows.y);
  const double n = static_cast<double>(y.size()), variance = y.squaredNorm() / n;
  const auto share = [&](const Vector& g) { return variance > 0 ? Centred(g).dot(y) / n / variance : 0; };
  const Vector mean = model.predictive().Mean(rows.X);
  explanation.residual_share = share(rows.y - mean);
  Vector rest = mean;
  for (auto& [component, part] : parts) {
    Vector g;
    PartMoments(model, component.leaves, part.expression, rows.X, &g, nullptr);
    component.share = share(g);
    component.std = model.scaler().y_std * std::sqrt(Centred(g).squaredNorm() / n);
    rest -= g;
    explanation.components.push_back(std::move(component));
  }
  if (explanation.left_out > 0) explanation.left_out_share = share(rest);
  std::stable_sort(explanation.components.begin(), explanation.components.end(),
                   [](const Component& a, const Component& b) { return a.share > b.share; });
  return explanation;
}

Prediction PredictComponent(const Model& model, const Component& component, const Matrix& X_new) {
  if (X_new.cols() != model.columns()) {
    throw Error(ErrorCode::kBadInput,
                "the model has " + std::to_string(model.columns()) + " columns, got " + std::to_string(X_new.cols()));
  }
  if (model.neighbours() == nullptr) model.posterior();
  const Predictive& posterior = model.predictive();
  std::vector<const Expression*> leaves;
  CollectLeaves(posterior.expression(), leaves);
  for (const int leaf : component.leaves) {
    if (leaf < 0 || leaf >= static_cast<int>(leaves.size())) {
      throw Error(ErrorCode::kUsage,
                  "the component belongs to another model; take one that Explain gives for this one");
    }
  }
  const Part part = PartOf(posterior, ParameterTable(posterior.expression()), leaves, component.leaves);
  Prediction prediction;
  PartMoments(model, component.leaves, part.expression, model.scaler().ScaleX(X_new), &prediction.mean,
              &prediction.std);
  prediction.mean *= model.scaler().y_std;
  prediction.std *= model.scaler().y_std;
  return prediction;
}

}  // namespace instantgp
