// The paper's sampling distribution: structure, parameters, inputs, targets. (Tables like those people bring are drawn
// by simulate/tables.h.)
//
//   n ~ Uniform{10..250},  d ~ Geometric(0.25), redrawn uniformly on 1..8 when above 8
//   addends per column ~ Geometric(0.6), at most the number of symbols; drawn without replacement, weight 2 for
//   elementary and 1 for product symbols;  theta ~ priors of kernel/prior.h;  x ~ Uniform(0,1)^d;  y ~ N(0, K + s2 I)
//
// Dataset `index` of a run is a function of (options, seed, index) alone: the same in whatever order, thread or process
// it is drawn.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/base/rng.h"
#include "instantgp/gp/covariance.h"
#include "instantgp/kernel/expression.h"
#include "instantgp/kernel/log_parameters.h"
#include "instantgp/kernel/structure.h"

namespace instantgp {

struct SimulationOptions {
  int min_n = 10;
  int max_n = 250;
  int max_d = 8;
  std::optional<int> n;  // fixes the number of rows, inside min_n..max_n or not
  std::optional<int> d;  // fixes the number of columns
  double addend_p = 0.6;
  double dimension_p = 0.25;
  double positive_p = 0.5;      // probability that the structure given to the network is the true one
  bool positives_only = false;  // the given structure is always the true one
  // The symbols structures are made of, ascending, each once.
  std::vector<BaseSymbol> symbols = {kAllBaseSymbols.begin(), kAllBaseSymbols.end()};
  std::optional<Structure> structure;  // fixes the true structure; without `d` it also sets the number of columns
  int n_test = 0;                      // further rows of the same function

  // Throws Error(kUsage) naming the field when a value is outside its range or two contradict each other.
  void Validate() const;
};

struct Simulated {
  Matrix X;  // (n, d) in (0,1)
  Vector y;  // (n), with noise, zero mean under the prior; not standardised
  Structure truth;
  LogParameters theta;  // in the table order of ToExpression(truth)
  Structure given;      // what the network is told: the truth or an independent draw on the same columns
  bool positive = true;
  Matrix X_test;      // (n_test, d)
  Vector y_test;      // (n_test), with noise, jointly drawn with y
  double jitter = 0;  // added to the diagonal of K + s2 I for the draw; 0 nearly always
  int tries = 1;      // 1 + draws whose covariance could not be factorised
};

// Scratch for one thread; grows to the largest n seen and is reused.
struct SimulationWorkspace {
  Matrix X;  // (n + n_test, d)
  Matrix K;  // (n + n_test, n + n_test)
  Vector z;  // (n + n_test)
  CovarianceScratch covariance;
};

// A structure over columns 0..d-1 with `symbols` as alphabet; addends ascending within a column.
Structure DrawStructure(const SimulationOptions& options, int d, RandomStream& random);

// Rows and columns of dataset `index` without drawing the rest of it: what a scheduler needs to share out work. (Of the
// first attempt, should its covariance be redrawn.)
struct SimulatedSize {
  int n = 0;
  int d = 0;
};
SimulatedSize DrawSize(const SimulationOptions& options, std::uint64_t seed, std::uint64_t index);

// Thread-safe with one workspace per thread (null: its own). A covariance past the jitter ladder is redrawn from the
// next substream; Error(kNumerical) after kMaxSimulationTries.
inline constexpr int kMaxSimulationTries = 20;
Simulated Simulate(const SimulationOptions& options, std::uint64_t seed, std::uint64_t index,
                   SimulationWorkspace* workspace = nullptr);

// A draw from any kernel expression, inside the amortised family or not.
struct SimulatedFunction {
  Matrix X;  // (n, d) in (0,1)
  Vector y;  // (n), with noise
  Vector f;  // (n), without
  LogParameters theta;
  double jitter = 0;
};

// `theta` fixes the parameters; without it they are drawn from the priors. f ~ N(0, K), y = f + s z. Throws
// Error(kUsage) when theta's size does not fit or d does not reach the expression's columns, Error(kNumerical) as
// above.
SimulatedFunction SimulateFunction(const Expression& expression, int n, int d, std::uint64_t seed, std::uint64_t index,
                                   const std::optional<Vector>& theta = std::nullopt);

}  // namespace instantgp
