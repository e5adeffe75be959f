#include "instantgp/data/split.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "instantgp/base/error.h"
#include "instantgp/base/rng.h"

namespace instantgp {

namespace {

// The first `first` and the next `second` rows of a random order, each ascending.
std::pair<std::vector<int>, std::vector<int>> DrawTwo(int n, int first, int second, std::uint64_t seed) {
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  RandomStream random(seed);
  // Fisher and Yates, only as far as needed.
  for (int i = 0; i < first + second; ++i) {
    std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(random.UniformInt(i, n - 1))]);
  }
  std::pair<std::vector<int>, std::vector<int>> parts{{order.begin(), order.begin() + first},
                                                      {order.begin() + first, order.begin() + first + second}};
  std::sort(parts.first.begin(), parts.first.end());
  std::sort(parts.second.begin(), parts.second.end());
  return parts;
}

}  // namespace

Split HoldoutSplit(int n, double fraction, std::uint64_t seed) {
  if (!(fraction > 0 && fraction < 1)) {
    throw Error(ErrorCode::kUsage, "the held-out fraction is " + std::to_string(fraction) +
                                       "; it must lie between 0 and 1, for example 0.2");
  }
  if (n < 2) {
    throw Error(ErrorCode::kBadInput, "one row cannot be divided into a training and a test part; give at least two");
  }
  const int test_rows = std::clamp(static_cast<int>(std::lround(fraction * n)), 1, n - 1);
  auto [test, train] = DrawTwo(n, test_rows, n - test_rows, seed);
  return {std::move(train), std::move(test)};
}

Split CountSplit(int n, int n_train, int n_test, std::uint64_t seed) {
  if (n_train < 1 || n_train > n) {
    throw Error(ErrorCode::kUsage, std::to_string(n_train) + " training rows were asked for of " + std::to_string(n) +
                                       "; ask for 1 to " + std::to_string(n));
  }
  const int rest = n - n_train;
  auto [train, test] = DrawTwo(n, n_train, n_test < 0 ? rest : std::min(n_test, rest), seed);
  return {std::move(train), std::move(test)};
}

}  // namespace instantgp
