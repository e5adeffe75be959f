// The cases of the golden numbers: a kernel, and data and parameters from formulas over small integers, so that a few
// words in a file name a case completely and any language can rebuild it to the last bit.
#pragma once

#include <string>
#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/kernel/expression.h"
#include "instantgp/kernel/log_parameters.h"

namespace instantgp::testing {

struct GoldenCase {
  std::string kernel;  // over the columns x1..xd
  int n = 1;
  int d = 1;
  int seed = 0;
};

// All ten symbols, sums, products across columns, random-looking members of the family up to d = 8, and kernels outside
// it.
std::vector<GoldenCase> AllGoldenCases();

struct GoldenInputs {
  Expression expression;
  Matrix X;      // (n, d): ((31 i + 17 k + 7 i k + 13 seed) mod 101 + 1) / 102
  Vector y;      // (n): ((57 i^2 + 23 i + 29 seed) mod 97) / 48 - 1
  Matrix X_new;  // (4, d): X's first row; its last row plus 0.03; all 1.25; all -0.5
  LogParameters
      theta;  // log parameter p: ((53 p + 19 seed) mod 43) / 20 - 1.6; log noise variance: -2 - (seed mod 5) / 2
};

GoldenInputs InputsOf(const GoldenCase& golden);

// Decimal strings of 25 significant digits.
struct GoldenNumbers {
  std::string nlml;                   // per point
  std::vector<std::string> gradient;  // d nlml / d theta
  std::vector<std::string> mean;      // at X_new
  std::vector<std::string> variance;  // latent, at X_new

  friend bool operator==(const GoldenNumbers&, const GoldenNumbers&) = default;
};

// In 50-digit arithmetic from the formulas alone (naive_gp.h); the gradient by central differences with a step of
// 1e-14, whose error of about 1e-28 is below the last digit kept.
GoldenNumbers ComputeGoldenNumbers(const GoldenCase& golden);

}  // namespace instantgp::testing
