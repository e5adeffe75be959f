// Predictions from the nearest rows alone: every new row from the exact posterior of its own M neighbours.
//
// With M no smaller than the number of rows it is the exact posterior. Otherwise each prediction is exact for the rows
// it uses and knows nothing of the others: the mean is not continuous where the set of neighbours changes, and there is
// no likelihood of all rows, only the density of each row left out.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/gp/covariance.h"
#include "instantgp/gp/linear_part.h"
#include "instantgp/gp/nearness.h"
#include "instantgp/gp/neighbour_system.h"
#include "instantgp/gp/predictive.h"
#include "instantgp/gp/row_tree.h"
#include "instantgp/kernel/log_parameters.h"

namespace instantgp {

class ThreadPool;

// Which rows a prediction uses.
struct NeighbourRule {
  int count = 128;  // M
  double eps = 0;   // of the search (row_tree.h)
  // Rows that every prediction uses among its M, for parts of a kernel that have no range and are no regression
  // (linear_part.h): products with LIN, WIE, IOU. A quarter of M at most; by their number in the tree.
  std::vector<int> anchors = {};
  // What rows of the whole table say about the regression among the kernel's addends; null: there is none.
  std::shared_ptr<const LinearPart> linear = {};

  // That, or null where all rows are used, which know it themselves.
  const LinearPart* LinearFor(const RowTree& tree) const { return count < tree.rows() ? linear.get() : nullptr; }

  // The rows for x; `exclude` as in NearestQuery.
  void Choose(const RowTree& tree, const Nearness& nearness, const double* x, int exclude, NearestScratch& scratch,
              std::vector<int>& rows) const;
};

class NeighbourPosterior final : public Predictive {
 public:
  // `left_out_nll` is that of some rows left out, per row, at these parameters: what nlml() says.
  NeighbourPosterior(const Expression& expression, RowTree tree, LogParameters theta, NeighbourRule rule,
                     double left_out_nll);

  // With further rows and the same parameters.
  NeighbourPosterior Extended(const Matrix& X_new, const Vector& y_new, ThreadPool* pool) const;

  struct Run {
    ThreadPool* pool = nullptr;                               // null: the calling thread
    std::stop_token stop = {};                                // asked now and then; Error(kInterrupted)
    std::function<void(Index done, Index of)> progress = {};  // from any thread, one call at a time
  };
  // Error(kNumerical) naming the row where a system cannot be factorised.
  void MeanAndStd(const Matrix& X_new, Noise noise, Vector* mean, Vector* std, const Run& run) const;
  // On as many threads as the machine has.
  void MeanAndStd(const Matrix& X_new, Noise noise, Vector* mean, Vector* std) const override;
  // The joint covariance given the neighbours of all new rows together, of which there may be kMostJointRows;
  // Error(kLimit) otherwise. Its diagonal is at most what MeanAndStd says of each row by itself.
  Matrix Cov(const Matrix& X_new, Noise noise) const override;
  static constexpr int kMostJointRows = 5000;

  double nlml() const override { return left_out_nll_; }
  double jitter() const override { return 0; }
  const Expression& expression() const override { return covariance_.expression(); }
  const Matrix& X() const override { return tree_.X(); }  // in the tree's order
  const Vector& y() const override { return tree_.y(); }
  const LogParameters& theta() const override { return theta_; }
  const RowTree& tree() const { return tree_; }
  const NeighbourRule& rule() const { return rule_; }

 private:
  Covariance covariance_;
  RowTree tree_;
  LogParameters theta_;
  NeighbourRule rule_;
  Nearness nearness_;
  double left_out_nll_;
};

}  // namespace instantgp
