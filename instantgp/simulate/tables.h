// Tables like those people bring: the second distribution a network is trained on, beside simulate/distribution.h.
//
// What 28 public tables look like when type-2 ML fits SE to them (x in [0,1], y standardised): noise std 0.004 to 1,
// median 0.2; half of all columns have lengthscales above 10, that is, do not matter; of the others half lie between
// 0.3 and 1.5, some at 0.04, some at 5; in nearly linear tables all lengthscales are 5 to 60 and the kernel's standard
// deviation is 5 to 50. Columns are correlated, skewed or have few levels, and people ask for the same kernel on every
// column. The priors show none of that: under them every column matters, the noise is rarely small, and from four
// columns on the same symbols on every column are all but impossible.
//
//   columns     6 in 10 log-uniform on 4..16, the others on 1..max_d
//   rows        log-uniform on min_n..max_n, rows x columns <= max_cells; a share large_share up to large_n rows and
//               twice the cells
//   structure   the same sum on every column with probability same_symbols_p, SE the most frequent; else the sums of
//               simulate/distribution.h, column by column
//   parameters  simulate/table_parameters.h
//   inputs      simulate/table_inputs.h, scaled to [0,1] over the training rows
//   targets     y ~ N(0, K + s2 I), the noise std log-uniform on 0.003..0.15 or on 0.15..1 of the targets', equally
//               often; then standardised over the training rows, the kernel and the noise with them
//
// The parameters belong to the standardised targets. The mean that is subtracted is not in the model, as it is not in
// use; the few tables whose true parameters it would contradict are drawn anew.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "instantgp/base/rng.h"
#include "instantgp/kernel/structure.h"
#include "instantgp/simulate/distribution.h"

namespace instantgp {

struct TableOptions {
  int min_n = 10;
  int max_n = 512;
  int max_d = 32;
  int max_cells = 6000;  // rows x columns: what a training step costs
  int large_n = 1024;
  double large_share = 0.01;
  double same_symbols_p = 0.7;
  double nearly_linear_p = 0.15;
  double positive_p = 0.5;      // as in SimulationOptions
  bool positives_only = false;  // as in SimulationOptions
  std::optional<int> n;         // fixes the number of rows, whatever max_n and max_cells say
  std::optional<int> d;         // fixes the number of columns
  // The symbols structures are made of, ascending, each once.
  std::vector<BaseSymbol> symbols = {kAllBaseSymbols.begin(), kAllBaseSymbols.end()};
  int n_test = 0;  // further rows of the same function; scaled as the training rows are, so they may leave [0,1]

  // Throws Error(kUsage) naming the field when a value is outside its range or two contradict each other.
  void Validate() const;
};

Structure DrawTableStructure(const TableOptions& options, int d, RandomStream& random);

// Rows and columns of table `index` without drawing the rest of it (of the first attempt, as DrawSize).
SimulatedSize DrawTableSize(const TableOptions& options, std::uint64_t seed, std::uint64_t index);

// Table `index`: a function of (options, seed, index) alone, independent of Simulate's dataset of the same number.
// Thread-safe with one workspace per thread (null: its own). Error(kNumerical) after kMaxSimulationTries draws without
// a factorisation.
Simulated SimulateTable(const TableOptions& options, std::uint64_t seed, std::uint64_t index,
                        SimulationWorkspace* workspace = nullptr);

}  // namespace instantgp
