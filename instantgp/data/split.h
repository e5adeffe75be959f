// Random division of rows into a training and a test part.
#pragma once

#include <cstdint>
#include <vector>

namespace instantgp {

struct Split {
  std::vector<int> train;  // ascending row numbers
  std::vector<int> test;   // ascending row numbers
};

// A uniformly random test set of round(fraction n) rows, at least 1 and at most n-1; 0 < fraction < 1 else
// Error(kUsage).
Split HoldoutSplit(int n, double fraction, std::uint64_t seed);
// n_train rows, then up to n_test of the rest (all of the rest when n_test < 0).
Split CountSplit(int n, int n_train, int n_test, std::uint64_t seed);

}  // namespace instantgp
