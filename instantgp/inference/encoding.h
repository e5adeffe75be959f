// A dataset as a network has read it: hold it, and ask for any number of structures.
#pragma once

#include <memory>
#include <vector>

#include "instantgp/data/scaled_table.h"

namespace instantgp {

template <typename Scalar>
struct Embedding;

// A value, tied to the network that made it. The table holds every row and column, whatever the network read of it.
struct Encoding : ScaledTable {
  std::vector<int> columns_read;                      // ascending
  int rows_read = 0;                                  // all, or those the network was asked to read
  std::shared_ptr<const Embedding<float>> embedding;  // one row per element of `columns_read`
  double encode_ms = 0;
};

}  // namespace instantgp
