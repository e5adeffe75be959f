// How well some rows of a table are predicted by their neighbours, each left out in turn: the likelihood that models
// from neighbours are chosen and tuned by.
//
//   1/n sum_i -log N(y_i; mean_i, variance_i),  mean and variance given the neighbours of row i without itself
//
// Where rows come in groups of near copies, the density alone is nearly as good with lengthscales so short that every
// row without a copy is given up; CountErrors() adds what that costs, w / (2 n) sum_i (y_i - mean_i)^2.
//
// Neighbours are found once, at the parameters given first; a common factor of the lengthscales does not change them.
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/gp/neighbour_posterior.h"

namespace instantgp {

class LeftOutDensity {
 public:
  // `rows` are numbers in the tree. All references stay in use, and the rule's linear part; `pool` may be null.
  LeftOutDensity(const Covariance& covariance, const RowTree& tree, std::vector<int> rows, const LogParameters& theta,
                 const NeighbourRule& rule, ThreadPool* pool);
  ~LeftOutDensity();

  // Per row; `gradient` may be null, else it is resized to theta's size. False where a row has no finite density. The
  // same bits whatever the threads.
  bool Evaluate(const LogParameters& theta, double* nll, Vector* gradient);

  // Add the squared errors with this weight to all further values and gradients; 0 at first.
  void CountErrors(double weight) { error_weight_ = weight; }

  // Of the last evaluation, by row: (y - mean) / std and std, observed.
  const Vector& residuals() const { return residuals_; }
  const Vector& stds() const { return stds_; }
  double MeanSquaredError() const {
    return residuals_.cwiseProduct(stds_).squaredNorm() / static_cast<double>(residuals_.size());
  }
  // Rows of the tree that a search looked at, on average.
  double rows_seen() const { return rows_seen_; }
  const std::vector<std::vector<int>>& neighbours() const { return neighbours_; }

 private:
  struct Workers;
  const Covariance& covariance_;
  const RowTree& tree_;
  std::vector<int> rows_;
  std::vector<std::vector<int>> neighbours_;
  const LinearPart* linear_;
  ThreadPool* pool_;
  std::unique_ptr<Workers> workers_;
  Vector residuals_, stds_;
  double rows_seen_ = 0, error_weight_ = 0;
};

}  // namespace instantgp
