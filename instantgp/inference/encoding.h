// A dataset as a network has read it: hold it, and ask for any number of structures.
#pragma once

#include <string>
#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/data/scaler.h"
#include "instantgp/network/network.h"

namespace instantgp {

// A value, tied to the network that made it.
struct Encoding {
  Scaler scaler;
  Matrix X;  // (n, d), scaled, every row and column
  Vector y;  // (n), scaled
  std::vector<std::string> column_names;
  std::string target_name;

  std::vector<int> columns;    // the columns the network read, ascending
  int rows_read = 0;           // how many rows it read: all, or those the network was asked to read
  Embedding<float> embedding;  // one row per element of `columns`
  std::vector<std::string> warnings;
  double scale_ms = 0, encode_ms = 0;
};

}  // namespace instantgp
