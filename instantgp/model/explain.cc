#include "instantgp/model/explain.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "instantgp/base/error.h"
#include "instantgp/gp/averaged_posterior.h"
#include "instantgp/gp/covariance.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/kernel/parameters.h"
#include "instantgp/kernel/symbol.h"
#include "instantgp/kernel/units.h"

namespace instantgp {
namespace {

using Monomial = std::vector<int>;  // leaves, by their depth-first number

constexpr std::size_t kMostMonomials = 1 << 16;  // a sum of two on each of sixteen columns

// Multiplies an expression out; appends its leaves to `leaves` as it meets them.
std::vector<Monomial> Expand(const Expression& expression, std::vector<const Expression*>& leaves) {
  if (expression.op == Expression::Op::kLeaf) {
    leaves.push_back(&expression);
    return {{static_cast<int>(leaves.size()) - 1}};
  }
  std::vector<Monomial> result;
  if (expression.op == Expression::Op::kProduct) result.push_back({});
  for (const Expression& term : expression.terms) {
    const std::vector<Monomial> expanded = Expand(term, leaves);
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

std::vector<Component> Components(const Model& model) {
  const Predictive& p = model.predictive();
  std::vector<const Expression*> leaves;
  const std::vector<Monomial> monomials = Expand(p.expression(), leaves);
  const ParameterTable table(p.expression());
  std::vector<Component> components;
  for (const Monomial& monomial : monomials) {
    Component component;
    std::vector<Expression> factors;
    for (const int leaf : monomial) {
      factors.push_back(*leaves[static_cast<std::size_t>(leaf)]);
      for (const ParameterKind kind : ParametersOf(factors.back().symbol)) {
        component.rows.push_back(table.Row(leaf, kind));
      }
    }
    component.expression = factors.size() == 1 ? factors.front() : Expression::Product(std::move(factors));
    component.theta = p.theta()(component.rows);
    component.text = Print(component.expression, model.column_names());
    component.columns = ColumnsOf(component.expression);
    components.push_back(std::move(component));
  }
  return components;
}

double PriorVariance(const Component& component) {
  return CollapsedAmplitude(component.expression, component.theta.array().exp());
}

// The component's latent posterior at scaled rows; `std` may be null.
void PartMoments(const Model& model, const Component& component, const Matrix& X, Vector* mean, Vector* std) {
  const Covariance part(component.expression);
  const auto of_member = [&](const Posterior& member, Vector* own_mean, Vector* own_std) {
    member.PartMeanAndStd(part, member.theta()(component.rows), X, own_mean, own_std);
  };
  if (const AveragedPosterior* averaged = model.averaged()) return averaged->Average(of_member, mean, std);
  of_member(model.posterior(), mean, std);
}

Vector Centred(const Vector& values) { return values.array() - values.mean(); }

}  // namespace

Explanation Explain(const Model& model) {
  const Posterior& posterior = model.posterior();  // an error for a sparse model
  Explanation explanation;
  std::vector<Component>& components = explanation.components;
  components = Components(model);
  if (static_cast<int>(components.size()) > kMostComponents) {
    std::stable_sort(components.begin(), components.end(),
                     [](const Component& a, const Component& b) { return PriorVariance(a) > PriorVariance(b); });
    explanation.left_out = static_cast<int>(components.size()) - kMostComponents;
    components.resize(kMostComponents);
  }
  const Vector y = Centred(posterior.y());
  const double n = static_cast<double>(y.size()), variance = y.squaredNorm() / n;
  const auto share = [&](const Vector& g) { return variance > 0 ? Centred(g).dot(y) / n / variance : 0; };
  const Vector mean = model.predictive().Mean(posterior.X());
  explanation.residual_share = share(posterior.y() - mean);
  Vector rest = mean;
  for (Component& component : components) {
    Vector g;
    PartMoments(model, component, posterior.X(), &g, nullptr);
    component.share = share(g);
    component.std = model.scaler().y_std * std::sqrt(Centred(g).squaredNorm() / n);
    rest -= g;
  }
  if (explanation.left_out > 0) explanation.left_out_share = share(rest);
  std::stable_sort(components.begin(), components.end(),
                   [](const Component& a, const Component& b) { return a.share > b.share; });
  return explanation;
}

Prediction PredictComponent(const Model& model, const Component& component, const Matrix& X_new) {
  if (X_new.cols() != model.columns()) {
    throw Error(ErrorCode::kBadInput,
                "the model has " + std::to_string(model.columns()) + " columns, got " + std::to_string(X_new.cols()));
  }
  Prediction prediction;
  PartMoments(model, component, model.scaler().ScaleX(X_new), &prediction.mean, &prediction.std);
  prediction.mean *= model.scaler().y_std;
  prediction.std *= model.scaler().y_std;
  return prediction;
}

}  // namespace instantgp
