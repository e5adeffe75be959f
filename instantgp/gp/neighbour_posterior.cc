#include "instantgp/gp/neighbour_posterior.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <string>
#include <utility>

#include "instantgp/base/check.h"
#include "instantgp/base/error.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/cholesky.h"
#include "instantgp/gp/posterior.h"

namespace instantgp {
namespace {

constexpr Index kRowsAtOnce = 64;  // new rows of one thread between two looks at the stop token

struct Worker {
  NearestScratch nearest;
  NeighbourSystem system;
  std::vector<int> rows;
  Vector x;
};

}  // namespace

void NeighbourRule::Choose(const RowTree& tree, const Nearness& nearness, const double* x, int exclude,
                           NearestScratch& scratch, std::vector<int>& rows) const {
  const int n = tree.rows(), most = std::min(count, n);
  const int far = most == n ? 0 : std::min(static_cast<int>(anchors.size()), most / 4);
  tree.Nearest(x, nearness, {.count = most - far, .exclude = exclude, .eps = eps}, scratch, rows);
  const auto near = static_cast<std::ptrdiff_t>(rows.size());
  for (int k = 0; k < far; ++k) {
    const int anchor = anchors[static_cast<std::size_t>(k)];
    if (anchor != exclude && std::find(rows.begin(), rows.begin() + near, anchor) == rows.begin() + near) {
      rows.push_back(anchor);
    }
  }
}

NeighbourPosterior::NeighbourPosterior(const Expression& expression, RowTree tree, LogParameters theta,
                                       NeighbourRule rule, double left_out_nll)
    : covariance_(expression),
      tree_(std::move(tree)),
      theta_(std::move(theta)),
      rule_(std::move(rule)),
      nearness_(NearnessOf(covariance_.expression(), theta_.data())),
      left_out_nll_(left_out_nll) {
  INSTANTGP_CHECK(theta_.size() == covariance_.num_parameters() + 1 && tree_.rows() > 0 && rule_.count > 0);
  for (const int anchor : rule_.anchors) INSTANTGP_CHECK(anchor >= 0 && anchor < tree_.rows());
}

NeighbourPosterior NeighbourPosterior::Extended(const Matrix& X_new, const Vector& y_new, ThreadPool* pool) const {
  RowTree tree = tree_.Extended(X_new, y_new, pool);
  NeighbourRule rule = rule_;
  if (!rule.anchors.empty() && tree.tree_rows() != tree_.tree_rows()) {
    // In a new tree rows have new numbers: every so many of them stand as far apart as the tree is wide.
    const auto count = static_cast<std::int64_t>(rule.anchors.size());
    for (std::int64_t k = 0; k < count; ++k) {
      rule.anchors[static_cast<std::size_t>(k)] = static_cast<int>((2 * k + 1) * tree.rows() / (2 * count));
    }
  }
  return NeighbourPosterior(expression(), std::move(tree), theta_, std::move(rule), left_out_nll_);
}

void NeighbourPosterior::MeanAndStd(const Matrix& X_new, Noise noise, Vector* mean, Vector* std, const Run& run) const {
  INSTANTGP_CHECK(X_new.cols() == tree_.X().cols());
  const Index m = X_new.rows();
  if (mean != nullptr) mean->resize(m);
  if (std != nullptr) std->resize(m);
  std::vector<Worker> workers(run.pool != nullptr ? static_cast<std::size_t>(run.pool->threads()) : 1);
  std::mutex progress_mutex;
  Index done = 0;
  const double below = noise == Noise::kLatent ? noise_variance() : 0;
  RunOn(run.pool, static_cast<int>((m + kRowsAtOnce - 1) / kRowsAtOnce), [&](int batch, int number) {
    if (run.stop.stop_requested()) throw Error(ErrorCode::kInterrupted, "interrupted while predicting");
    Worker& worker = workers[static_cast<std::size_t>(number)];
    const Index first = batch * kRowsAtOnce, last = std::min(first + kRowsAtOnce, m);
    for (Index i = first; i < last; ++i) {
      worker.x = X_new.row(i).transpose();
      rule_.Choose(tree_, nearness_, worker.x.data(), -1, worker.nearest, worker.rows);
      if (!worker.system.Condition(covariance_, theta_, tree_.X(), tree_.y(), worker.rows, worker.x.data(),
                                   rule_.LinearFor(tree_))) {
        throw Error(ErrorCode::kNumerical, "no prediction for row " + std::to_string(i + 1) + ": " +
                                               worker.system.reason() +
                                               ". Look for extreme values in the row, or fit with fewer neighbours.");
      }
      if (mean != nullptr) (*mean)[i] = worker.system.mean();
      if (std != nullptr) (*std)[i] = std::sqrt(std::max(0.0, worker.system.variance() - below));
    }
    if (run.progress) {
      const std::lock_guard<std::mutex> lock(progress_mutex);
      done += last - first;
      run.progress(done, m);
    }
  });
}

void NeighbourPosterior::MeanAndStd(const Matrix& X_new, Noise noise, Vector* mean, Vector* std) const {
  const int threads = X_new.rows() <= kRowsAtOnce ? 1 : ResolveThreads(0);
  ThreadPool pool(threads);
  MeanAndStd(X_new, noise, mean, std, {.pool = &pool});
}

Matrix NeighbourPosterior::Cov(const Matrix& X_new, Noise noise) const {
  Worker worker;
  std::vector<int> all;
  for (Index i = 0; i < X_new.rows(); ++i) {
    worker.x = X_new.row(i).transpose();
    rule_.Choose(tree_, nearness_, worker.x.data(), -1, worker.nearest, worker.rows);
    all.insert(all.end(), worker.rows.begin(), worker.rows.end());
    if (all.size() > 2 * kMostJointRows || i + 1 == X_new.rows()) {
      std::sort(all.begin(), all.end());
      all.erase(std::unique(all.begin(), all.end()), all.end());
    }
    if (all.size() > kMostJointRows) {
      throw Error(ErrorCode::kLimit, "the joint covariance of " + std::to_string(X_new.rows()) +
                                         " rows would use more than " + std::to_string(kMostJointRows) +
                                         " neighbours together. Ask for fewer rows at once.");
    }
  }
  const Matrix X = tree_.X()(all, Eigen::all);
  const LinearPart* const linear = rule_.LinearFor(tree_);
  if (linear == nullptr || linear->size() == 0)
    return Posterior(expression(), X, tree_.y()(all), theta_).Cov(X_new, noise);
  // The same with C in place of the regression's prior.
  const Matrix gain = linear->Gain(theta_), phi = linear->Features(X), phi_new = linear->Features(X_new);
  CovarianceScratch scratch;
  const auto build = [&](Matrix& A) {
    covariance_.Gram(X, theta_.data(), A, scratch);
    A.triangularView<Eigen::Lower>() += (phi * gain) * phi.transpose();
    A.diagonal().array() += noise_variance();
  };
  Matrix A(X.rows(), X.rows()), cross;
  build(A);
  if (const Factorization factor = Factorize(A, build); !factor.ok) {
    throw Error(ErrorCode::kNumerical, "no joint covariance of these rows: " + factor.reason);
  }
  covariance_.Cross(X, X_new, theta_.data(), cross, scratch);
  cross += (phi * gain) * phi_new.transpose();
  A.triangularView<Eigen::Lower>().solveInPlace(cross);
  Matrix cov;
  covariance_.Cross(X_new, X_new, theta_.data(), cov, scratch);
  cov += (phi_new * gain) * phi_new.transpose() - cross.transpose() * cross;
  cov.diagonal() = cov.diagonal().array().max(0.0);
  if (noise == Noise::kObserved) cov.diagonal().array() += noise_variance();
  return 0.5 * (cov + cov.transpose());
}

}  // namespace instantgp
