// Tables for tests: drawn from the distribution the network is trained on, or plain random numbers.
#pragma once

#include <cstdint>

#include "instantgp/base/matrix.h"
#include "instantgp/base/rng.h"
#include "instantgp/data/dataset.h"
#include "instantgp/simulate/distribution.h"

namespace instantgp::testing {

// Table `index` of `seed` with n rows and d columns. The structure that comes with it is the true one with probability
// `positive_p`, as in training.
Simulated DrawSimulated(int n, int d, std::uint64_t seed, std::uint64_t index, double positive_p = 0.5);
// The same table without what it was drawn from.
Dataset DrawTable(int n, int d, std::uint64_t seed, std::uint64_t index);
// n rows and any number of columns; the structure is always the true one.
Simulated DrawPositive(int n, std::uint64_t seed, std::uint64_t index);

// Column by column.
Matrix UniformMatrix(RandomStream& random, Index rows, Index columns);  // in (0, 1)
Vector NormalVector(RandomStream& random, Index size);

}  // namespace instantgp::testing
