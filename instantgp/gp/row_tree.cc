#include "instantgp/gp/row_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

#include "instantgp/base/check.h"
#include "instantgp/base/thread_pool.h"

namespace instantgp {
namespace {

constexpr int kLeafRows = 24;      // at most; flat between 12 and 32
constexpr int kParallelLevel = 4;  // 2^4 subtrees, shared out among the threads
// Rows outside the tree are looked at by every query: until there are this many, or a share of the tree's.
constexpr int kLeastOutside = 2048;
constexpr int kOutsideShare = 64;

int LevelsFor(int n) {
  int levels = 0;
  while ((n >> levels) > kLeafRows || ((n - 1) >> levels) + 1 > kLeafRows) ++levels;
  return levels;
}

// Puts row numbers into the order of a tree. Ties in the middle are cut as they fall.
class Builder {
 public:
  Builder(const Matrix& X, std::vector<int>& order, int levels) : X_(X), order_(order), levels_(levels) {}

  void Build(int first, int last, int level, int until, std::vector<std::pair<double, int>>& keys) {
    if (level == until) return;
    const int middle = first + (last - first) / 2;
    Cut(first, middle, last, keys);
    Build(first, middle, level + 1, until, keys);
    Build(middle, last, level + 1, until, keys);
  }
  int levels() const { return levels_; }

 private:
  void Cut(int first, int middle, int last, std::vector<std::pair<double, int>>& keys) {
    Index longest = 0;
    double length = -1;
    for (Index c = 0; c < X_.cols(); ++c) {
      const double* x = X_.col(c).data();
      double low = std::numeric_limits<double>::infinity(), high = -low;
      for (int i = first; i < last; ++i) {
        const double value = x[order_[static_cast<std::size_t>(i)]];
        low = std::min(low, value);
        high = std::max(high, value);
      }
      if (high - low > length) {
        length = high - low;
        longest = c;
      }
    }
    keys.clear();
    const double* x = X_.col(longest).data();
    for (int i = first; i < last; ++i) {
      const int row = order_[static_cast<std::size_t>(i)];
      keys.emplace_back(x[row], row);
    }
    std::nth_element(keys.begin(), keys.begin() + (middle - first), keys.end());
    for (int i = first; i < last; ++i) {
      order_[static_cast<std::size_t>(i)] = keys[static_cast<std::size_t>(i - first)].second;
    }
  }

  const Matrix& X_;
  std::vector<int>& order_;
  int levels_;
};

// The smallest weight sin^2(pi (x - b) / period) of b in [low, high].
double PeriodicBound(double x, double low, double high, double period) {
  const double width = high - low;
  if (width >= period) return 0;
  double ahead = std::fmod(x - low, period);
  if (ahead < 0) ahead += period;
  if (ahead <= width) return 0;
  const double s = std::sin(std::numbers::pi * std::min(ahead - width, period - ahead) / period);
  return s * s;
}

}  // namespace

RowTree::RowTree(Matrix X, Vector y, ThreadPool* pool) {
  const int n = static_cast<int>(X.rows());
  INSTANTGP_CHECK(n > 0 && y.size() == n && X.cols() > 0);
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  Builder builder(X, order, LevelsFor(n));
  std::vector<std::pair<double, int>> keys;
  keys.reserve(static_cast<std::size_t>(n));
  const int shared = std::min(kParallelLevel, builder.levels());
  builder.Build(0, n, 0, shared, keys);
  std::vector<Range> subtrees = {{0, n}};
  for (int level = 0; level < shared; ++level) {
    std::vector<Range> halves;
    for (const Range& range : subtrees) {
      halves.push_back(Half(range, 0));
      halves.push_back(Half(range, 1));
    }
    subtrees = std::move(halves);
  }
  keys = {};
  RunOn(pool, static_cast<int>(subtrees.size()), [&](int k, int) {
    std::vector<std::pair<double, int>> own;
    builder.Build(subtrees[k].first, subtrees[k].last, shared, builder.levels(), own);
  });
  // Column by column, so that no second table is held.
  Vector column(n);
  for (Index c = 0; c < X.cols(); ++c) {
    column = X.col(c)(order);
    X.col(c) = column;
  }
  column = y(order);
  *this = InOrder(std::move(X), std::move(column), n);
}

RowTree RowTree::InOrder(Matrix X, Vector y, Index tree_rows) {
  INSTANTGP_CHECK(X.rows() == y.size() && tree_rows > 0 && tree_rows <= X.rows());
  RowTree tree;
  tree.X_ = std::move(X);
  tree.y_ = std::move(y);
  tree.tree_rows_ = static_cast<int>(tree_rows);
  const int levels = LevelsFor(tree.tree_rows_);
  tree.first_leaf_ = (1 << levels) - 1;
  tree.box_size_ = 2 * static_cast<std::size_t>(tree.X_.cols());
  tree.boxes_.resize(((std::size_t{2} << levels) - 1) * tree.box_size_);
  tree.FindBoxes(0, {0, tree.tree_rows_});
  return tree;
}

void RowTree::FindBoxes(int node, Range range) {
  double* box = boxes_.data() + static_cast<std::size_t>(node) * box_size_;
  if (IsLeaf(node)) {
    for (Index c = 0; c < X_.cols(); ++c) {
      const auto values = X_.col(c).segment(range.first, range.last - range.first);
      box[2 * c] = values.minCoeff();
      box[2 * c + 1] = values.maxCoeff();
    }
    return;
  }
  for (int which = 0; which < 2; ++which) FindBoxes(2 * node + 1 + which, Half(range, which));
  const double *left = Box(2 * node + 1), *right = Box(2 * node + 2);
  for (std::size_t k = 0; k < box_size_; k += 2) {
    box[k] = std::min(left[k], right[k]);
    box[k + 1] = std::max(left[k + 1], right[k + 1]);
  }
}

RowTree RowTree::Extended(const Matrix& X_new, const Vector& y_new, ThreadPool* pool) const {
  Matrix X(X_.rows() + X_new.rows(), X_.cols());
  X << X_, X_new;
  Vector y(X.rows());
  y << y_, y_new;
  const Index outside = X.rows() - tree_rows_;
  if (outside > std::max(kLeastOutside, tree_rows_ / kOutsideShare)) return RowTree(std::move(X), std::move(y), pool);
  return InOrder(std::move(X), std::move(y), tree_rows_);
}

class RowTree::Search {
 public:
  Search(const RowTree& tree, const double* x, const Nearness& nearness, const NearestQuery& query,
         NearestScratch& scratch)
      : tree_(tree),
        x_(x),
        nearness_(nearness),
        query_(query),
        found_(scratch.candidates),
        scratch_(scratch),
        // Rounding must not lose a row that is as near as the last one.
        shrink_((1 - 1e-12) * (1 + query.eps) * (1 + query.eps)) {
    found_.clear();
    scratch_.distances.resize(std::max<Index>(kOutsideChunk, kLeafRows));
  }

  void Run() {
    for (int first = tree_.tree_rows_; first < tree_.rows(); first += kOutsideChunk) {
      Look({first, std::min(first + kOutsideChunk, tree_.rows())});
    }
    Visit(0, {0, tree_.tree_rows_});
    Keep();
    std::sort(found_.begin(), found_.end(), Before{tree_});
  }

 private:
  static constexpr int kOutsideChunk = 256;

  struct Before {
    const RowTree& tree;
    bool operator()(const std::pair<double, int>& a, const std::pair<double, int>& b) const {
      if (a.first != b.first) return a.first < b.first;
      for (Index c = 0; c < tree.X_.cols(); ++c) {
        const double u = tree.X_(a.second, c), v = tree.X_(b.second, c);
        if (u != v) return u < v;
      }
      return tree.y_[a.second] < tree.y_[b.second];
    }
  };

  // As soon as it is certain to be more than `enough`, the sum ends.
  double BoxDistance(int node, double enough) const {
    const double* box = tree_.Box(node);
    double sum = 0;
    for (const ColumnNearness& term : nearness_) {
      const double x = x_[term.column], low = box[2 * term.column], high = box[2 * term.column + 1];
      if (term.period == 0) {
        const double outside = std::max(0.0, std::max(low - x, x - high));
        sum += term.weight * outside * outside;
      } else {
        sum += term.weight * PeriodicBound(x, low, high, term.period);
      }
      if (sum > enough) break;
    }
    return sum * shrink_;
  }

  void Visit(int node, Range range) {
    if (tree_.IsLeaf(node)) return Look(range);
    const double left = BoxDistance(2 * node + 1, furthest_), right = BoxDistance(2 * node + 2, furthest_);
    const int nearer = left <= right ? 0 : 1;
    if (std::min(left, right) <= furthest_) Visit(2 * node + 1 + nearer, tree_.Half(range, nearer));
    // The first half may have brought the bound down.
    if (std::max(left, right) <= furthest_) Visit(2 * node + 2 - nearer, tree_.Half(range, 1 - nearer));
  }

  void Look(Range range) {
    const int count = range.last - range.first;
    scratch_.rows_seen += count;
    auto distances = scratch_.distances.head(count).array();
    distances.setZero();
    for (const ColumnNearness& term : nearness_) {
      const auto values = tree_.X_.col(term.column).segment(range.first, count).array();
      if (term.period == 0) {
        distances += term.weight * (values - x_[term.column]).square();
      } else {
        distances += term.weight * ((values - x_[term.column]) * (std::numbers::pi / term.period)).sin().square();
      }
    }
    for (int k = 0; k < count; ++k) {
      if (distances[k] <= furthest_ && range.first + k != query_.exclude) {
        found_.emplace_back(distances[k], range.first + k);
      }
    }
    // Sorting out once for as many candidates as are wanted costs less than a heap.
    if (found_.size() >= most_) Keep();
  }

  void Keep() {
    const auto count = static_cast<std::size_t>(query_.count);
    if (found_.size() < count) return;
    if (found_.size() > count) {
      std::nth_element(found_.begin(), found_.begin() + (query_.count - 1), found_.end(), Before{tree_});
      found_.resize(count);
      furthest_ = found_.back().first;
    } else {
      furthest_ = std::max_element(found_.begin(), found_.end(), Before{tree_})->first;
    }
    most_ = 2 * count;
  }

  const RowTree& tree_;
  const double* x_;
  const Nearness& nearness_;
  const NearestQuery& query_;
  std::vector<std::pair<double, int>>& found_;
  NearestScratch& scratch_;
  double shrink_;
  double furthest_ = std::numeric_limits<double>::infinity();  // of those kept, once there are as many as wanted
  std::size_t most_ = static_cast<std::size_t>(query_.count);  // candidates before the next Keep()
};

void RowTree::Nearest(const double* x, const Nearness& nearness, const NearestQuery& query, NearestScratch& scratch,
                      std::vector<int>& rows) const {
  INSTANTGP_CHECK(query.count > 0);
  Search search(*this, x, nearness, query, scratch);
  search.Run();
  rows.clear();
  for (const auto& [distance, row] : scratch.candidates) rows.push_back(row);
}

}  // namespace instantgp
