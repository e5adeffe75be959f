#include "instantgp/gp/row_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "instantgp/base/rng.h"
#include "instantgp/base/thread_pool.h"
#include "tests/support/tables.h"

namespace instantgp {
namespace {

double Distance(const Nearness& nearness, const Matrix& X, Index row, const Vector& x) {
  double sum = 0;
  for (const ColumnNearness& term : nearness) {
    const double r = X(row, term.column) - x[term.column];
    const double s = term.period == 0 ? r : std::sin(std::numbers::pi * r / term.period);
    sum += term.weight * s * s;
  }
  return sum;
}

// The distances of the nearest rows, by looking at all.
std::vector<double> Plain(const Nearness& nearness, const Matrix& X, const Vector& x, int count, int exclude) {
  std::vector<double> all;
  for (Index i = 0; i < X.rows(); ++i) {
    if (i != exclude) all.push_back(Distance(nearness, X, i, x));
  }
  std::sort(all.begin(), all.end());
  all.resize(std::min<std::size_t>(all.size(), static_cast<std::size_t>(count)));
  return all;
}

Nearness RandomNearness(RandomStream& random, int d) {
  Nearness nearness;
  for (int c = 0; c < d; ++c) {
    const double kind = random.Uniform();
    if (kind < 0.15 && c > 0) continue;  // a column without weight
    nearness.push_back({c, std::exp(4 * random.Normal()), kind > 0.75 ? std::exp(-2 + random.Normal()) : 0});
  }
  return nearness;
}

TEST(RowTree, FindsTheNearestUnderAnyWeightsAndPeriods) {
  RandomStream random(1);
  ThreadPool pool(2);
  for (const int n : {1, 2, 24, 25, 49, 700, 3000}) {
    for (const int d : {1, 2, 5, 12}) {
      Matrix X = testing::UniformMatrix(random, n, d);
      if (d > 1) X.col(1) = (X.col(1).array() * 3).floor();  // a column of three levels
      const RowTree tree(X, testing::NormalVector(random, n), &pool);
      NearestScratch scratch;
      std::vector<int> rows;
      for (int k = 0; k < 12; ++k) {
        const Nearness nearness = RandomNearness(random, d);
        Vector x(d);
        for (Index c = 0; c < d; ++c) x[c] = random.Uniform(-0.3, 1.3);
        const int count = 1 + static_cast<int>(random.Uniform() * 80), exclude = k % 3 == 0 ? n / 2 : -1;
        tree.Nearest(x.data(), nearness, {.count = count, .exclude = exclude}, scratch, rows);
        const std::vector<double> expected = Plain(nearness, tree.X(), x, count, exclude);
        ASSERT_EQ(rows.size(), expected.size()) << n << " " << d;
        for (std::size_t i = 0; i < rows.size(); ++i) {
          EXPECT_NE(rows[i], exclude);
          EXPECT_NEAR(Distance(nearness, tree.X(), rows[i], x), expected[i], 1e-9 * expected[i] + 1e-300);
        }
        std::sort(rows.begin(), rows.end());
        EXPECT_EQ(std::unique(rows.begin(), rows.end()), rows.end());
      }
    }
  }
}

TEST(RowTree, KeepsRowsTogether) {
  RandomStream random(2);
  const Matrix X = testing::UniformMatrix(random, 500, 3);
  const RowTree tree(X, X.col(0) + 2 * X.col(2));
  EXPECT_EQ(tree.y(), tree.X().col(0) + 2 * tree.X().col(2));
  EXPECT_NEAR(tree.X().col(1).sum(), X.col(1).sum(), 1e-9);
}

TEST(RowTree, OrderOfTheTableDoesNotMatterNotEvenForEquallyNearRows) {
  RandomStream random(3);
  const int n = 600;
  Matrix X = (testing::UniformMatrix(random, n, 2).array() * 6).floor() / 6;  // a grid: ties everywhere
  Vector y = testing::NormalVector(random, n);
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  for (int i = n - 1; i > 0; --i) std::swap(order[i], order[random.UniformInt(0, i)]);
  const RowTree a(X, y), b(X(order, Eigen::all), y(order));
  NearestScratch scratch;
  std::vector<int> from_a, from_b;
  for (int k = 0; k < 50; ++k) {
    const double x[] = {random.Uniform(), random.Uniform()};
    const Nearness nearness = {{0, 1.0, 0}, {1, 1.0, 0}};
    a.Nearest(x, nearness, {.count = 37}, scratch, from_a);
    b.Nearest(x, nearness, {.count = 37}, scratch, from_b);
    EXPECT_EQ(a.X()(from_a, Eigen::all), b.X()(from_b, Eigen::all));
    EXPECT_EQ(a.y()(from_a), b.y()(from_b));
  }
}

TEST(RowTree, NewRowsAreFoundAndManyOfThemBecomeAPartOfTheTree) {
  RandomStream random(4);
  const Matrix X = testing::UniformMatrix(random, 1000, 2), more = testing::UniformMatrix(random, 1500, 2);
  const Vector y = testing::NormalVector(random, 1000), y_more = testing::NormalVector(random, 1500);
  const RowTree tree(X, y);
  const RowTree some = tree.Extended(more.topRows(1000), y_more.head(1000));
  EXPECT_EQ(some.tree_rows(), 1000);
  EXPECT_EQ(some.rows(), 2000);
  const RowTree all = some.Extended(more, y_more);
  EXPECT_EQ(all.tree_rows(), 3500);
  NearestScratch scratch;
  std::vector<int> rows;
  const Nearness nearness = {{0, 2.0, 0}, {1, 1.0, 0}};
  for (const RowTree* t : {&some, &all}) {
    for (int k = 0; k < 20; ++k) {
      const Vector x = more.row(k).transpose();
      t->Nearest(x.data(), nearness, {.count = 30}, scratch, rows);
      const std::vector<double> expected = Plain(nearness, t->X(), x, 30, -1);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_NEAR(Distance(nearness, t->X(), rows[i], x), expected[i], 1e-12);
      }
    }
  }
}

TEST(RowTree, ApproximateSearchLooksAtFewerRowsAndKeepsItsBound) {
  RandomStream random(5);
  const RowTree tree(testing::UniformMatrix(random, 20000, 8), testing::NormalVector(random, 20000));
  Nearness nearness;
  for (int c = 0; c < 8; ++c) nearness.push_back({c, 1.0, 0});
  NearestScratch exact, loose;
  std::vector<int> rows;
  for (int k = 0; k < 20; ++k) {
    const Vector x = testing::UniformMatrix(random, 8, 1);
    const std::vector<double> expected = Plain(nearness, tree.X(), x, 50, -1);
    tree.Nearest(x.data(), nearness, {.count = 50}, exact, rows);
    tree.Nearest(x.data(), nearness, {.count = 50, .eps = 1}, loose, rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_LE(Distance(nearness, tree.X(), rows[i], x), 4 * expected[i] * (1 + 1e-9));
    }
  }
  EXPECT_LT(loose.rows_seen, exact.rows_seen);
}

TEST(RowTree, EqualRowsOnly) {
  const RowTree tree(Matrix::Constant(300, 2, 0.5), Vector::Zero(300));
  NearestScratch scratch;
  std::vector<int> rows;
  const double x[] = {0.5, 0.1};
  tree.Nearest(x, {{0, 1.0, 0}, {1, 1.0, 0}}, {.count = 10}, scratch, rows);
  EXPECT_EQ(rows.size(), 10u);
  tree.Nearest(x, {}, {.count = 500}, scratch, rows);
  EXPECT_EQ(rows.size(), 300u);
}

}  // namespace
}  // namespace instantgp
