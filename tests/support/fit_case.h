// Tables, kernels and options that are hard on a fit: rows twice, columns of one value, scales of 1e12 and 1e-12 side
// by side, targets without noise, outliers. Made by whoever chooses: a fuzzer's bytes or random numbers.
#pragma once

#include <string>

#include "instantgp/base/matrix.h"
#include "instantgp/data/dataset.h"
#include "instantgp/model/options.h"

namespace instantgp::testing {

class Chooser {
 public:
  virtual ~Chooser() = default;
  virtual int Below(int count) = 0;  // 0 .. count - 1
  virtual double Unit() = 0;         // in [0, 1]
  virtual double AnyDouble() = 0;    // any bits

  bool Rarely(int count) { return Below(count) == count - 1; }
};

struct FitCase {
  Dataset data;
  std::string kernel;
  FitOptions options;
  Matrix X_new;  // rows of the table, rows between and far from them
};

struct FitCaseLimits {
  int rows = 12;
  int columns = 3;
  int steps = 6;
  bool wild = false;  // values of any size a double can have, too
};

FitCase MakeFitCase(Chooser& choose, const FitCaseLimits& limits);
// For messages: the table as CSV, kernel and method.
std::string Describe(const FitCase& fit_case);

}  // namespace instantgp::testing
