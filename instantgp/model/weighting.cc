#include "instantgp/model/weighting.h"

#include <array>
#include <cmath>
#include <utility>

#include "instantgp/base/check.h"
#include "instantgp/model/ensemble.h"

namespace instantgp {
namespace {

constexpr std::array<std::pair<Weighting, std::string_view>, 4> kWeightings = {{{Weighting::kBma, "bma"},
                                                                                {Weighting::kTempered, "tempered"},
                                                                                {Weighting::kLoo, "loo"},
                                                                                {Weighting::kUniform, "uniform"}}};

constexpr int kMostStackingSteps = 20000;  // of n m operations each

}  // namespace

std::string_view Name(Weighting weighting) {
  for (const auto& [value, name] : kWeightings) {
    if (value == weighting) return name;
  }
  return "";
}

std::optional<Weighting> WeightingFromName(std::string_view name) {
  for (const auto& [value, text] : kWeightings) {
    if (text == name) return value;
  }
  return std::nullopt;
}

std::string ListWeightings() {
  std::string list;
  for (const auto& [value, name] : kWeightings) list += (list.empty() ? "" : ", ") + std::string(name);
  return list;
}

Vector SoftmaxWeights(const Vector& scores) {
  INSTANTGP_CHECK(scores.size() > 0);
  const double largest = scores.maxCoeff();
  INSTANTGP_CHECK(std::isfinite(largest));
  // std::exp, as the vectorised one stops short of zero.
  const Vector weights = scores.unaryExpr([&](double score) { return std::exp(score - largest); });
  return weights / weights.sum();
}

Stacking StackingWeights(const Matrix& log_density, double tolerance) {
  const Index n = log_density.rows(), m = log_density.cols();
  INSTANTGP_CHECK(n > 0 && m > 0);
  // A factor of its own for every row leaves g as it is and keeps the densities in range.
  const Vector largest = log_density.rowwise().maxCoeff();
  const Matrix p = (log_density.colwise() - largest).array().exp();
  Stacking result;
  result.weights = Vector::Constant(m, 1.0 / static_cast<double>(m));
  for (;; ++result.steps) {
    const Vector mixture = p * result.weights;
    const Vector g = p.transpose() * mixture.cwiseInverse() / static_cast<double>(n);
    result.gap = g.maxCoeff() - 1;
    if (result.gap <= tolerance || result.steps >= kMostStackingSteps) return result;
    result.weights = result.weights.cwiseProduct(g);
    result.weights /= result.weights.sum();
  }
}

}  // namespace instantgp
