// A table as the mathematics sees it: scaled, with the way back to the user's units and names.
#pragma once

#include <string>
#include <vector>

#include "instantgp/base/export.h"
#include "instantgp/base/matrix.h"
#include "instantgp/data/dataset.h"
#include "instantgp/data/scaler.h"

namespace instantgp {

struct INSTANTGP_EXPORT ScaledTable {
  Scaler scaler;
  Matrix X;  // (n, d), scaled
  Vector y;  // (n), scaled
  std::vector<std::string> column_names;
  std::string target_name;
  std::vector<std::string> warnings;  // what is worth telling whatever is fitted: constant columns, hardly any rows
  double scale_ms = 0;

  int rows() const { return static_cast<int>(X.rows()); }
  int columns() const { return static_cast<int>(X.cols()); }
};

INSTANTGP_EXPORT ScaledTable Scaled(const Dataset& data, const TargetTransform& transform = {});
// X and y as they are, under default names: for data drawn on the model's own scale.
INSTANTGP_EXPORT ScaledTable AlreadyScaled(Matrix X, Vector y);

}  // namespace instantgp
