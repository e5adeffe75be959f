#include "instantgp/gp/averaged_posterior.h"

#include <optional>
#include <utility>

#include "instantgp/base/check.h"
#include "instantgp/base/error.h"
#include "instantgp/base/normal.h"
#include "instantgp/base/rng.h"
#include "instantgp/base/thread_pool.h"

namespace instantgp {
namespace {

// In order, without those that have no factor.
std::vector<Posterior> MakeMembers(Index count, ThreadPool* pool, const std::function<Posterior(Index)>& make) {
  std::vector<std::optional<Posterior>> made(static_cast<std::size_t>(count));
  RunOn(pool, static_cast<int>(count), [&](int k, int) {
    try {
      made[static_cast<std::size_t>(k)] = make(k);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kNumerical) throw;
    }
  });
  std::vector<Posterior> members;
  members.reserve(made.size());
  for (std::optional<Posterior>& member : made) {
    if (member) members.push_back(*std::move(member));
  }
  return members;
}

}  // namespace

AveragedPosterior::AveragedPosterior(Posterior centre, std::vector<Posterior> members)
    : centre_(std::move(centre)), members_(std::move(members)) {}

AveragedPosterior::AveragedPosterior(Posterior centre, const Matrix& draws, ThreadPool* pool)
    : centre_(std::move(centre)) {
  INSTANTGP_CHECK(draws.rows() == centre_.theta().size());
  members_ = MakeMembers(draws.cols(), pool, [&](Index k) {
    return Posterior(centre_.expression(), centre_.X(), centre_.y(), LogParameters(draws.col(k)));
  });
}

AveragedPosterior AveragedPosterior::Extended(const Matrix& X_new, const Vector& y_new, ThreadPool* pool) const {
  return {centre_.Extended(X_new, y_new), MakeMembers(static_cast<Index>(members_.size()), pool, [&](Index k) {
            return members_[static_cast<std::size_t>(k)].Extended(X_new, y_new);
          })};
}

// By running averages: memory stays that of one prediction, and members that agree change no digit.
void AveragedPosterior::Average(const PredictMember& predict, Vector* mean, Vector* std) const {
  if (members_.empty()) return predict(centre_, mean, std);
  Vector average, variance;
  for (std::size_t k = 0; k < members_.size(); ++k) {
    Vector own_mean, own_std;
    predict(members_[k], &own_mean, std != nullptr ? &own_std : nullptr);
    if (k == 0) {
      average = std::move(own_mean);
      if (std != nullptr) variance = own_std.cwiseAbs2();
      continue;
    }
    const double weight = 1.0 / static_cast<double>(k + 1);
    const Vector shift = own_mean - average;
    average += weight * shift;
    // The mixture of k members and one more: the variances averaged, and what the two means differ by.
    if (std != nullptr) variance += weight * (own_std.cwiseAbs2() - variance + (1 - weight) * shift.cwiseAbs2());
  }
  if (mean != nullptr) *mean = std::move(average);
  if (std != nullptr) *std = variance.cwiseSqrt();
}

void AveragedPosterior::MeanAndStd(const Matrix& X_new, Noise noise, Vector* mean, Vector* std) const {
  Average([&](const Posterior& member, Vector* own_mean,
              Vector* own_std) { member.MeanAndStd(X_new, noise, own_mean, own_std); },
          mean, std);
}

Matrix AveragedPosterior::Cov(const Matrix& X_new, Noise noise) const {
  if (members_.empty()) return centre_.Cov(X_new, noise);
  Vector mean = members_.front().Mean(X_new);
  Matrix cov = members_.front().Cov(X_new, noise);
  for (std::size_t k = 1; k < members_.size(); ++k) {
    const double weight = 1.0 / static_cast<double>(k + 1);
    const Vector shift = members_[k].Mean(X_new) - mean;
    mean += weight * shift;
    cov += weight * (members_[k].Cov(X_new, noise) - cov);
    cov.selfadjointView<Eigen::Lower>().rankUpdate(shift, weight * (1 - weight));
    cov.triangularView<Eigen::StrictlyUpper>() = cov.transpose();
  }
  return cov;
}

Matrix AveragedPosterior::Samples(const Matrix& X_new, Noise noise, int count, std::uint64_t seed) const {
  if (members_.empty()) return centre_.Samples(X_new, noise, count, seed);
  RandomStream random(seed, 0, 1);  // another substream than the samples themselves
  std::vector<std::vector<int>> numbers_of(members_.size());
  const int last = static_cast<int>(members_.size()) - 1;
  for (int s = 0; s < count; ++s) numbers_of[static_cast<std::size_t>(random.UniformInt(0, last))].push_back(s);
  Matrix samples(X_new.rows(), count);
  for (std::size_t k = 0; k < members_.size(); ++k) {
    if (numbers_of[k].empty()) continue;
    samples(Eigen::all, numbers_of[k]) = members_[k].NumberedSamples(X_new, noise, numbers_of[k], seed);
  }
  return samples;
}

LeaveOneOut AveragedPosterior::Loo() const {
  LeaveOneOut loo;
  Vector std;
  Average(
      [](const Posterior& member, Vector* own_mean, Vector* own_std) {
        const LeaveOneOut own = member.Loo();
        *own_mean = own.mean;
        *own_std = own.variance.cwiseSqrt();
      },
      &loo.mean, &std);
  loo.variance = std.cwiseAbs2();
  for (Index i = 0; i < std.size(); ++i) loo.nll -= LogNormalDensity(y()[i], loo.mean[i], std[i]);
  loo.nll /= static_cast<double>(std.size());
  return loo;
}

Matrix AveragedPosterior::Draws() const {
  Matrix draws(theta().size(), static_cast<Index>(members_.size()));
  for (std::size_t k = 0; k < members_.size(); ++k) draws.col(static_cast<Index>(k)) = members_[k].theta();
  return draws;
}

}  // namespace instantgp
