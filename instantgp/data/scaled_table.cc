#include "instantgp/data/scaled_table.h"

#include <utility>

#include "instantgp/base/stopwatch.h"

namespace instantgp {
namespace {

std::vector<std::string> DataWarnings(const Dataset& data, const Scaler& scaler) {
  std::vector<std::string> warnings;
  for (int k = 0; k < data.columns(); ++k) {
    if (scaler.constant_column[k]) {
      warnings.push_back("column '" + data.column_names[k] + "' is constant and carries no information");
    }
  }
  if (scaler.constant_target && data.rows() > 1) {
    warnings.push_back("the target '" + data.target_name + "' is constant: the model predicts that value everywhere");
  }
  if (data.rows() < 3) {
    warnings.push_back("only " + std::to_string(data.rows()) + " rows: too few to determine the parameters");
  }
  return warnings;
}

}  // namespace

ScaledTable Scaled(const Dataset& data, const TargetTransform& transform) {
  const Stopwatch clock;
  ScaledTable table;
  table.scaler = Scaler::Fit(data.X, data.y, transform);
  table.scaler.recipe = data.recipe;
  table.X = table.scaler.ScaleX(data.X);
  table.y = table.scaler.ScaleY(data.y);
  table.column_names = data.column_names;
  table.target_name = data.target_name;
  table.warnings = DataWarnings(data, table.scaler);
  table.scale_ms = clock.Milliseconds();
  return table;
}

ScaledTable AlreadyScaled(Matrix X, Vector y) {
  Dataset data = Dataset::Of(std::move(X), std::move(y));
  ScaledTable table;
  table.scaler = Scaler::Identity(data.columns());
  table.X = std::move(data.X);
  table.y = std::move(data.y);
  table.column_names = std::move(data.column_names);
  table.target_name = std::move(data.target_name);
  return table;
}

}  // namespace instantgp
