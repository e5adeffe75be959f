// The seven real datasets of the paper's comparisons.
#pragma once

#include <string>
#include <vector>

#include "instantgp/data/dataset.h"

namespace instantgp {

struct BenchmarkDataset {
  std::string name;  // as in the paper: "Energy"
  std::string file;  // "energy.csv"
  int rows = 0;
  int inputs = 0;
  std::string target;  // the last column
  std::string source;
  int n_train = 500;
  // RMSE of ARD-SE on standardised targets, mean of 20 splits, as published.
  double published_amortized = 0;
  double published_ahgp = 0;
};

inline constexpr int kMaxTestRows = 400;

// In the order of the published table.
const std::vector<BenchmarkDataset>& BenchmarkDatasets();

// All files, in that order. Files that are missing, or whose shape is not the expected one, are an Error(kBadInput)
// that lists every file with its source, its shape and what is wrong with it.
std::vector<Dataset> LoadBenchmarkData(const std::string& folder);

// What LoadBenchmarkData expects, for messages: a line for each file.
std::string DescribeBenchmarkData();

}  // namespace instantgp
