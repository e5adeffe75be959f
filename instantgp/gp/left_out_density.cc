#include "instantgp/gp/left_out_density.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "instantgp/base/normal.h"
#include "instantgp/base/thread_pool.h"

namespace instantgp {
namespace {

constexpr int kBatch = 16;  // rows whose gradients are added up by one thread, whatever the threads

}  // namespace

struct LeftOutDensity::Workers {
  std::vector<NeighbourSystem> systems;
  std::vector<Vector> x;
};

LeftOutDensity::LeftOutDensity(const Covariance& covariance, const RowTree& tree, std::vector<int> rows,
                               const LogParameters& theta, const NeighbourRule& rule, ThreadPool* pool)
    : covariance_(covariance),
      tree_(tree),
      rows_(std::move(rows)),
      neighbours_(rows_.size()),
      linear_(rule.LinearFor(tree)),
      pool_(pool),
      workers_(std::make_unique<Workers>()),
      residuals_(static_cast<Index>(rows_.size())),
      stds_(static_cast<Index>(rows_.size())) {
  const std::size_t threads = pool != nullptr ? static_cast<std::size_t>(pool->threads()) : 1;
  workers_->systems.resize(threads);
  workers_->x.resize(threads);
  const Nearness nearness = NearnessOf(covariance.expression(), theta.data());
  std::vector<NearestScratch> scratch(threads);
  RunOn(pool, static_cast<int>(rows_.size()), [&](int k, int worker) {
    Vector& x = workers_->x[worker];
    x = tree_.X().row(rows_[k]).transpose();
    rule.Choose(tree_, nearness, x.data(), rows_[k], scratch[worker], neighbours_[k]);
  });
  for (const NearestScratch& s : scratch) rows_seen_ += static_cast<double>(s.rows_seen);
  rows_seen_ /= static_cast<double>(std::max<std::size_t>(1, rows_.size()));
}

LeftOutDensity::~LeftOutDensity() = default;

bool LeftOutDensity::Evaluate(const LogParameters& theta, double* nll, Vector* gradient) {
  const int count = static_cast<int>(rows_.size()), batches = (count + kBatch - 1) / kBatch;
  Vector densities(count);
  Matrix gradients = Matrix::Zero(theta.size(), gradient != nullptr ? batches : 0);
  std::atomic<bool> ok = true;
  RunOn(pool_, batches, [&](int batch, int worker) {
    NeighbourSystem& system = workers_->systems[worker];
    Vector& x = workers_->x[worker];
    Vector sum = Vector::Zero(theta.size());
    for (int k = batch * kBatch; k < std::min((batch + 1) * kBatch, count) && ok; ++k) {
      x = tree_.X().row(rows_[k]).transpose();
      if (!system.Condition(covariance_, theta, tree_.X(), tree_.y(), neighbours_[k], x.data(), linear_)) {
        ok = false;
        return;
      }
      const double variance = system.variance(), miss = tree_.y()[rows_[k]] - system.mean();
      stds_[k] = std::sqrt(variance);
      residuals_[k] = miss / stds_[k];
      densities[k] =
          kHalfLog2Pi + std::log(stds_[k]) + 0.5 * residuals_[k] * residuals_[k] + 0.5 * error_weight_ * miss * miss;
      if (gradient == nullptr) continue;
      system.AddGradient(covariance_, theta, -miss * (1 / variance + error_weight_),
                         0.5 * (1 - residuals_[k] * residuals_[k]) / variance, sum);
    }
    if (gradient != nullptr) gradients.col(batch) = sum;
  });
  if (!ok) return false;
  *nll = densities.mean();
  if (gradient != nullptr) *gradient = gradients.rowwise().sum() / count;
  return std::isfinite(*nll) && (gradient == nullptr || gradient->allFinite());
}

}  // namespace instantgp
