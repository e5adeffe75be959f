#include "apps/cli/options/table_input.h"

#include <algorithm>
#include <cmath>

#include "instantgp/base/diagnosis.h"
#include "instantgp/base/error.h"

namespace instantgp::cli {
namespace {

std::optional<int> Find(const std::vector<std::string>& names, const std::string& name) {
  const auto it = std::find(names.begin(), names.end(), name);
  if (it == names.end()) return std::nullopt;
  return static_cast<int>(it - names.begin());
}

std::string Listed(const std::vector<std::string>& names) {
  std::string list;
  for (std::size_t i = 0; i < names.size() && i < 20; ++i) list += (i ? ", " : "") + OneLine(names[i]);
  return names.size() > 20 ? list + ", ..." : list;
}

[[noreturn]] void ThrowMissingColumn(const std::string& origin, const std::string& column,
                                     const std::vector<std::string>& names) {
  const std::string nearest = Nearest(column, names);
  throw Error(ErrorCode::kBadInput, origin + ": the model needs the column '" + OneLine(column) +
                                        "', which the table does not have" +
                                        (nearest.empty() ? "." : "; is it '" + OneLine(nearest) + "'?") +
                                        " The columns are: " + Listed(names) + ". Rename or add the column.");
}

[[noreturn]] void ThrowCount(const std::string& origin, const std::vector<std::string>& columns, Index found) {
  throw Error(ErrorCode::kBadInput,
              origin + ": the table has " + std::to_string(found) + " columns and no header; the model needs " +
                  std::to_string(columns.size()) + " (" + Listed(columns) +
                  "), optionally followed by the target. Give these columns in this order, or add a "
                  "header with their names.");
}

template <typename Fitted>
std::optional<Scores> ScoreKnown(const Fitted& fitted, const NewRows& rows) {
  if (!rows.y) return std::nullopt;
  std::vector<Index> known;
  for (Index i = 0; i < rows.y->size(); ++i) {
    if (std::isfinite((*rows.y)[i])) known.push_back(i);
  }
  if (known.empty()) return std::nullopt;
  return fitted.Score(rows.X(known, Eigen::all), (*rows.y)(known));
}

}  // namespace

MissingPolicy MissingFromName(const std::string& name) {
  return name == "drop" ? MissingPolicy::kDrop : MissingPolicy::kError;
}

NewRows ReadNewRows(const std::string& path, MissingPolicy missing, const std::vector<std::string>& columns,
                    const std::string& target) {
  const std::string origin = path == "-" ? "standard input" : path;
  ColumnSelection selection;
  selection.wanted = columns;
  selection.wanted.push_back(target);
  selection.may_lack = target;
  const Table table = ReadTable(path, missing, selection);
  const auto d = static_cast<Index>(columns.size());
  NewRows rows;
  rows.dropped = table.dropped_rows;
  rows.X.resize(table.values.rows(), d);
  // A table without a header gets the names x1, ..., y: the same as the model's when it was fitted to such a table.
  const bool all_named = table.values.cols() == d + 1 &&
                         std::all_of(columns.begin(), columns.end(),
                                     [&](const std::string& name) { return Find(table.names, name).has_value(); });
  if (table.has_header || all_named) {
    for (Index k = 0; k < d; ++k) {
      const std::optional<int> column = Find(table.names, columns[static_cast<std::size_t>(k)]);
      if (!column) ThrowMissingColumn(origin, columns[static_cast<std::size_t>(k)], table.all_names);
      rows.X.col(k) = table.values.col(*column);
    }
    if (const std::optional<int> column = Find(table.names, target)) rows.y = table.values.col(*column);
    return rows;
  }
  if (table.values.cols() != d && table.values.cols() != d + 1) ThrowCount(origin, columns, table.values.cols());
  rows.X = table.values.leftCols(d);
  if (table.values.cols() == d + 1) rows.y = table.values.col(d);
  return rows;
}

std::optional<Scores> ScoreRows(const Model& model, const NewRows& rows) { return ScoreKnown(model, rows); }
std::optional<Scores> ScoreRows(const Ensemble& ensemble, const NewRows& rows) { return ScoreKnown(ensemble, rows); }

}  // namespace instantgp::cli
