#include "instantgp/model/ensemble.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "instantgp/base/check.h"
#include "instantgp/base/error.h"
#include "instantgp/base/rng.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/model/scores.h"

namespace instantgp {
Ensemble::Ensemble(std::vector<EnsembleMember> members, std::vector<FailedMember> failed, EnsembleSummary summary,
                   std::vector<std::string> warnings)
    : members_(std::move(members)),
      failed_(std::move(failed)),
      summary_(std::move(summary)),
      warnings_(std::move(warnings)) {
  INSTANTGP_CHECK(!members_.empty());
  double sum = 0;
  for (const EnsembleMember& member : members_) {
    INSTANTGP_CHECK(member.weight >= 0 && member.model.rows() == rows() && member.model.columns() == columns());
    INSTANTGP_CHECK(member.model.transform().none());
    sum += member.weight;
  }
  INSTANTGP_CHECK(std::abs(sum - 1) < 1e-9);
  std::vector<std::pair<std::string, std::size_t>> keys;
  for (std::size_t k = 0; k < members_.size(); ++k) keys.emplace_back(members_[k].model.KernelText(), k);
  std::sort(keys.begin(), keys.end(), [&](const auto& a, const auto& b) {
    const double wa = members_[a.second].weight, wb = members_[b.second].weight;
    return wa != wb ? wa > wb : a < b;
  });
  std::vector<EnsembleMember> sorted;
  sorted.reserve(members_.size());
  for (const auto& [text, k] : keys) sorted.push_back(std::move(members_[k]));
  members_ = std::move(sorted);
}

Mixture Ensemble::Predict(const Matrix& X_new, Noise noise, ThreadPool* pool) const {
  const auto count = static_cast<Index>(members_.size());
  Vector weights(count);
  for (Index k = 0; k < count; ++k) weights[k] = members_[k].weight;
  Matrix means = Matrix::Zero(X_new.rows(), count), stds = Matrix::Zero(X_new.rows(), count);
  RunOn(pool, static_cast<int>(count), [&](int k, int) {
    const Prediction prediction = members_[k].model.Predict(X_new, noise);
    means.col(k) = prediction.mean;
    stds.col(k) = prediction.std;
  });
  return Mixture(std::move(weights), std::move(means), std::move(stds));
}

Matrix Ensemble::PredictCov(const Matrix& X_new, Noise noise) const {
  const Index m = X_new.rows();
  const auto count = static_cast<Index>(members_.size());
  Matrix deviations(m, count);
  for (Index k = 0; k < count; ++k) deviations.col(k) = members_[k].model.PredictMean(X_new);
  Vector mean = Vector::Zero(m);
  for (Index k = 0; k < count; ++k) mean += members_[k].weight * deviations.col(k);
  deviations.colwise() -= mean;
  Matrix cov = Matrix::Zero(m, m);
  for (Index k = 0; k < count; ++k) {
    const double weight = members_[k].weight;
    if (weight == 0) continue;
    cov += weight * members_[k].model.PredictCov(X_new, noise);
    cov.noalias() += weight * deviations.col(k) * deviations.col(k).transpose();
  }
  return cov;
}

Matrix Ensemble::Sample(const Matrix& X_new, int count, std::uint64_t seed, Noise noise) const {
  RandomStream random(seed, ~std::uint64_t{0});
  std::vector<std::vector<int>> samples_of(members_.size());
  for (int s = 0; s < count; ++s) {
    double left = random.Uniform();
    std::size_t k = 0;
    while (k + 1 < members_.size() && left >= members_[k].weight) left -= members_[k++].weight;
    samples_of[k].push_back(s);
  }
  Matrix samples(X_new.rows(), count);
  for (std::size_t k = 0; k < members_.size(); ++k) {
    if (samples_of[k].empty()) continue;
    const Matrix drawn =
        members_[k].model.Sample(X_new, static_cast<int>(samples_of[k].size()), seed + 0x9E3779B97F4A7C15u * k, noise);
    samples(Eigen::all, samples_of[k]) = drawn;
  }
  return samples;
}

Scores Ensemble::Score(const Matrix& X_new, const Vector& y_new) const {
  if (y_new.size() != X_new.rows() || y_new.size() == 0) {
    throw Error(ErrorCode::kBadInput, "scoring needs one target for every row, and at least one row");
  }
  return InUnits(ScoreMixture(scaler().ScaleY(y_new), Standardized(Predict(X_new), scaler())), scaler().y_std);
}

Vector Ensemble::LooMean() const {
  Vector mean = Vector::Zero(rows());
  for (const EnsembleMember& member : members_) {
    if (member.weight > 0) mean += member.weight * member.model.Loo().mean;
  }
  return mean;
}

double Ensemble::EffectiveMembers() const {
  double entropy = 0;
  for (const EnsembleMember& member : members_) {
    if (member.weight > 0) entropy -= member.weight * std::log(member.weight);
  }
  return std::exp(entropy);
}

}  // namespace instantgp
