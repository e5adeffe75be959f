#include "tests/support/tables.h"

#include <utility>

namespace instantgp::testing {

Simulated DrawSimulated(int n, int d, std::uint64_t seed, std::uint64_t index, double positive_p) {
  SimulationOptions options;
  options.n = n;
  options.d = d;
  options.positive_p = positive_p;
  return Simulate(options, seed, index);
}

Dataset DrawTable(int n, int d, std::uint64_t seed, std::uint64_t index) {
  Simulated s = DrawSimulated(n, d, seed, index);
  return Dataset::Of(std::move(s.X), std::move(s.y));
}

Simulated DrawPositive(int n, std::uint64_t seed, std::uint64_t index) {
  SimulationOptions options;
  options.n = n;
  options.positives_only = true;
  return Simulate(options, seed, index);
}

Matrix UniformMatrix(RandomStream& random, Index rows, Index columns) {
  Matrix X(rows, columns);
  for (Index k = 0; k < X.size(); ++k) X.data()[k] = random.Uniform();
  return X;
}

Vector NormalVector(RandomStream& random, Index size) {
  Vector y(size);
  for (double& value : y) value = random.Normal();
  return y;
}

}  // namespace instantgp::testing
