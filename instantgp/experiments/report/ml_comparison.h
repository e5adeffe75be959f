// Methods next to type-2 maximum likelihood (the method ml), table by table and in summary.
#pragma once

#include <string>
#include <vector>

#include "instantgp/experiments/run/record.h"

namespace instantgp {

// A method with a kernel on a table: means over the splits whose fit succeeded, NaN without any. A fit succeeded when
// its status is ok and its RMSE and NLL are finite.
struct TableRow {
  std::string table, kernel, method;
  double rmse = kUnknown, nll = kUnknown, nlml = kUnknown, coverage95 = kUnknown;
  double ms = kUnknown;  // wall time
  int splits = 0;        // all that were tried
  int failed = 0;
  std::string status = "ok";  // or why the first of the failed ones failed
  // Against ml with the same kernel on the splits where both succeeded; NaN where there is none.
  double rmse_ratio = kUnknown;      // of the two means
  double nll_difference = kUnknown;  // of the two means, method - ml
  double time_ratio = kUnknown;      // of the mean CPU times
};

// By table and kernel in the order of appearance, then by method in the order we always show them.
std::vector<TableRow> TableRows(const std::vector<Record>& records);

// RMSE within one percent of ml's is a tie.
inline constexpr double kTieMargin = 0.01;

// A method over all rows that have a comparison; the numbers are NaN without any.
struct MethodSummary {
  std::string method;
  int compared = 0;               // rows with a comparison
  double rmse_ratio = kUnknown;   // geometric mean
  double worst_ratio = kUnknown;  // largest
  std::string worst_table, worst_kernel;
  double nll_difference_mean = kUnknown, nll_difference_median = kUnknown;
  double time_ratio = kUnknown;  // geometric mean
  int wins = 0, ties = 0, losses = 0;
  double coverage95 = kUnknown;  // mean over all rows of the method, compared or not
  int fits = 0, failed = 0;      // single fits, of all splits
};

// One for each method, in the order of the rows.
std::vector<MethodSummary> SummarizeMethods(const std::vector<TableRow>& rows);

}  // namespace instantgp
