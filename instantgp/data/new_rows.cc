#include "instantgp/data/new_rows.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "instantgp/base/byte_source.h"
#include "instantgp/base/diagnosis.h"
#include "instantgp/base/error.h"
#include "instantgp/data/recipe.h"

namespace instantgp {
namespace {

int Find(const std::vector<std::string>& names, const std::string& name) {
  const auto it = std::find(names.begin(), names.end(), name);
  return it == names.end() ? -1 : static_cast<int>(it - names.begin());
}

std::string Listed(const std::vector<std::string>& names) {
  std::string list;
  for (std::size_t i = 0; i < names.size() && i < 20; ++i) list += (i ? ", " : "") + OneLine(names[i]);
  return names.size() > 20 ? list + ", ..." : list;
}

[[noreturn]] void ThrowMissingColumn(const std::string& prefix, const std::string& column,
                                     const std::vector<std::string>& names) {
  const std::string nearest = Nearest(column, names);
  throw Error(ErrorCode::kBadInput, prefix + "the model needs the column '" + OneLine(column) +
                                        "', which the table does not have" +
                                        (nearest.empty() ? "." : "; is it '" + OneLine(nearest) + "'?") +
                                        " The columns are: " + Listed(names) + ". Rename or add the column.");
}

[[noreturn]] void ThrowCount(const std::string& prefix, const std::vector<std::string>& columns, std::size_t found) {
  throw Error(ErrorCode::kBadInput, prefix + "the table has " + std::to_string(found) +
                                        " columns and no header; the model needs " + std::to_string(columns.size()) +
                                        " (" + Listed(columns) +
                                        "), optionally followed by the target. Give these columns in this order, or "
                                        "add a header with their names.");
}

// Of columns with these names, for each of `columns` (in order) its place, then the target's; -1: it is not there.
struct Places {
  std::vector<int> columns;
  int target = -1;
};

// A table without a header has the names x1, ..., y: the same as the model's when it was fitted to such a table.
bool ByName(bool has_header, const std::vector<std::string>& names, const std::vector<std::string>& columns) {
  return has_header ||
         (names.size() == columns.size() + 1 &&
          std::all_of(columns.begin(), columns.end(), [&](const std::string& name) { return Find(names, name) >= 0; }));
}

Places Match(const std::string& prefix, bool has_header, const std::vector<std::string>& names,
             const std::vector<std::string>& all_names, const std::vector<std::string>& columns,
             const std::vector<bool>& needed, const std::string& target) {
  Places places;
  if (ByName(has_header, names, columns)) {
    for (std::size_t k = 0; k < columns.size(); ++k) {
      places.columns.push_back(Find(names, columns[k]));
      if (places.columns.back() < 0 && needed[k]) ThrowMissingColumn(prefix, columns[k], all_names);
    }
    places.target = Find(names, target);
    return places;
  }
  if (names.size() != columns.size() && names.size() != columns.size() + 1) {
    ThrowCount(prefix, columns, names.size());
  }
  places.columns.resize(columns.size());
  std::iota(places.columns.begin(), places.columns.end(), 0);
  if (names.size() == columns.size() + 1) places.target = static_cast<int>(columns.size());
  return places;
}

NewRows NumbersOf(std::string_view text, const std::string& origin, const TableShape& shape, MissingPolicy missing) {
  ColumnSelection selection;
  selection.wanted = shape.inputs;
  selection.wanted.push_back(shape.target);
  selection.may_lack = shape.target;
  const Table table = ParseTable(text, origin, missing, selection);
  const Places places = Match(origin + ": ", table.has_header, table.names, table.all_names, shape.inputs,
                              std::vector<bool>(shape.inputs.size(), true), shape.target);
  NewRows rows;
  rows.dropped = table.dropped_rows;
  rows.X = table.values(Eigen::all, places.columns);
  if (places.target >= 0) rows.y = table.values.col(places.target);
  return rows;
}

std::vector<std::string> ColumnsOf(const Recipe& recipe) {
  std::vector<std::string> names;
  for (const ColumnRecipe& column : recipe.columns) names.push_back(column.name);
  return names;
}

}  // namespace

NewRows MatchRows(const RawTable& table, const TableShape& shape, const NewRowsOptions& options) {
  std::vector<std::string> names;
  for (const RawColumn& column : table.columns) names.push_back(column.name);
  std::vector<bool> needed;
  for (const ColumnRecipe& column : shape.recipe->columns) needed.push_back(column.kind != ColumnKind::kLeftOut);
  const Places places =
      Match(table.Prefix(), table.has_header, names, table.all_names, ColumnsOf(*shape.recipe), needed, shape.target);
  std::vector<int> all(static_cast<std::size_t>(table.rows()));
  std::iota(all.begin(), all.end(), 0);
  RecipeRows numbers = shape.recipe->Apply(table, places.columns, all, options.missing, options.unseen);
  NewRows rows;
  rows.dropped = table.rows() - static_cast<int>(numbers.rows.size());
  if (numbers.rows.empty()) {
    throw Error(ErrorCode::kBadInput, table.Prefix() +
                                          "every row has a missing value, so none is left; fill values in or remove "
                                          "the column that lacks them");
  }
  if (places.target >= 0) {
    const RawColumn& target = table.columns[static_cast<std::size_t>(places.target)];
    const auto* values = std::get_if<RawColumn::Numbers>(&target.cells);
    if (values == nullptr) {
      throw Error(ErrorCode::kBadInput, table.Prefix() + "the column '" + OneLine(shape.target) +
                                            "' is the model's target and must hold numbers; correct its texts or "
                                            "remove the column");
    }
    const Vector y = Eigen::Map<const Vector>(values->data(), static_cast<Index>(values->size()));
    rows.y = y(numbers.rows);
  }
  rows.X = std::move(numbers.X);
  rows.notes = std::move(numbers.notes);
  return rows;
}

NewRows ReadNewRows(const std::string& path, const TableShape& shape, const NewRowsOptions& options) {
  return ParseNewRows(ReadText(path), path == "-" ? "standard input" : path, shape, options);
}

NewRows ParseNewRows(std::string_view text, const std::string& origin, const TableShape& shape,
                     const NewRowsOptions& options) {
  if (shape.recipe == nullptr) return NumbersOf(text, origin, shape, options.missing);
  RawOptions raw{shape.recipe->Needed(), shape.recipe->NeededAsText()};
  raw.wanted.push_back(shape.target);
  RawTable table = ParseRawTable(text, origin, raw);
  const std::vector<std::string> columns = ColumnsOf(*shape.recipe);
  if (!ByName(table.has_header, table.all_names, columns)) {
    // By position: which are texts follows from their number.
    raw = {};
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const ColumnKind kind = shape.recipe->columns[k].kind;
      if (kind == ColumnKind::kDate || kind == ColumnKind::kCategory) raw.as_text.push_back(std::to_string(k + 1));
    }
    table = ParseRawTable(text, origin, raw);
  }
  return MatchRows(table, shape, options);
}

}  // namespace instantgp
