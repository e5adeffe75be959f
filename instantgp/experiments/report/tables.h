// Records as Markdown tables.
#pragma once

#include <string>
#include <vector>

#include "instantgp/experiments/run/record.h"

namespace instantgp {

// First row is the header; the first column is aligned left, the others right.
std::string MarkdownTable(const std::vector<std::vector<std::string>>& rows);

// A row for each method, a column for each dataset: the median with the 20th and 80th percentile, "0.31 (0.28, 0.40)".
std::string MedianTable(const std::vector<Record>& records, Metric metric);
// Likewise the ratio to `reference` on the same split and structure; empty without records of the reference.
std::string RatioTable(const std::vector<Record>& records, Metric metric, const std::string& reference);
// Means of a metric over the fits that succeeded.
std::string MeanTable(const std::vector<Record>& records, Metric metric);
// How many fits failed out of how many; empty when none did.
std::string FailureTable(const std::vector<Record>& records);

// Three significant digits: "0.0831", "1.2e-05"; "-" for NaN.
std::string Digits(double value, int digits = 3);

}  // namespace instantgp
