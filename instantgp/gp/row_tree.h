// The rows of a table in an order in which near ones stand together, and the nearest of them under any Nearness.
//
// A k-d tree of equal halves: every node is a range of rows, cut in the middle of its longest side, so the ranges
// follow from the number of rows and only the boxes around them are kept. A box bounds the distance of a query from
// its rows column by column, whatever the weights: one tree serves every set of lengthscales and periods exactly.
#pragma once

#include <cstdint>
#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/gp/nearness.h"

namespace instantgp {

class ThreadPool;

struct NearestQuery {
  int count = 1;
  int exclude = -1;  // a row that does not count, or -1
  // 0: exact. Else what is found may be further than what was missed by a factor 1 + eps in the root of the distance.
  double eps = 0;
};

// Memory for one thread's searches.
struct NearestScratch {
  std::vector<std::pair<double, int>> candidates;
  Vector distances;
  std::int64_t rows_seen = 0;  // adds up over searches
};

// Immutable; const methods may run in parallel with a scratch each.
class RowTree {
 public:
  RowTree() = default;
  // Puts the rows into the tree's order: X() and y() are the ones given, in another order. O(n log n).
  RowTree(Matrix X, Vector y, ThreadPool* pool = nullptr);
  // Rows that are in a tree's order already (a model file); those from `tree_rows` on are no part of the tree, and
  // looked at one by one. O(n d).
  static RowTree InOrder(Matrix X, Vector y, Index tree_rows);
  // With further rows. The tree is made anew when they have become many.
  RowTree Extended(const Matrix& X_new, const Vector& y_new, ThreadPool* pool = nullptr) const;

  const Matrix& X() const { return X_; }
  const Vector& y() const { return y_; }
  int rows() const { return static_cast<int>(X_.rows()); }
  int tree_rows() const { return tree_rows_; }

  // The rows nearest to x (d), the nearest first; all of them if there are no more. Of equally near ones those come
  // first whose values are smaller, column by column and then in y, so that the order of rows in the table does not
  // matter.
  void Nearest(const double* x, const Nearness& nearness, const NearestQuery& query, NearestScratch& scratch,
               std::vector<int>& rows) const;

 private:
  class Search;
  struct Range {
    int first, last;
  };
  void FindBoxes(int node, Range range);
  Range Half(Range range, int which) const {
    const int middle = range.first + (range.last - range.first) / 2;
    return which == 0 ? Range{range.first, middle} : Range{middle, range.last};
  }
  bool IsLeaf(int node) const { return node >= first_leaf_; }
  const double* Box(int node) const { return boxes_.data() + static_cast<std::size_t>(node) * box_size_; }

  Matrix X_;  // (n, d)
  Vector y_;
  int tree_rows_ = 0;
  int first_leaf_ = 0;         // nodes are numbered as in a heap: the children of i are 2 i + 1 and 2 i + 2
  std::size_t box_size_ = 0;   // 2 d
  std::vector<double> boxes_;  // per node: smallest and largest value of column 0, of column 1, ...
};

}  // namespace instantgp
