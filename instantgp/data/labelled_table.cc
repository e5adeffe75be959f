#include "instantgp/data/labelled_table.h"

#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "instantgp/base/error.h"
#include "instantgp/data/csv_reader.h"

namespace instantgp {

namespace {

// What an Error of a table that is a file says first.
template <typename Function>
auto WithOrigin(const RawTable& table, const Function& function) {
  try {
    return function();
  } catch (const Error& error) {
    const std::string what = error.what();
    const bool said = what.starts_with(table.origin + ":") || what.starts_with(table.origin + ",");
    if (table.origin.empty() || said) throw;
    throw Error(error.code(), table.Prefix() + what, error.remedies());
  }
}

Vector TargetOf(const RawTable& table, const RawColumn& column) {
  const auto* numbers = std::get_if<RawColumn::Numbers>(&column.cells);
  if (numbers != nullptr) return Eigen::Map<const Vector>(numbers->data(), static_cast<Index>(numbers->size()));
  int row = 0;
  std::string shown = "a date";
  if (const auto* texts = std::get_if<RawColumn::Texts>(&column.cells)) {
    // Numbers that were asked for as texts are numbers all the same.
    Vector values(table.rows());
    for (; row < table.rows(); ++row) {
      const CellValue cell = ReadCell(TrimmedCell((*texts)[static_cast<std::size_t>(row)]), table.decimal_comma);
      if (cell.kind == CellKind::kText || cell.kind == CellKind::kInfinite) break;
      values[row] = cell.kind == CellKind::kNumber ? cell.value : std::numeric_limits<double>::quiet_NaN();
    }
    if (row == table.rows()) return values;
    shown = ShownCell((*texts)[static_cast<std::size_t>(row)]);
  }
  throw Error(ErrorCode::kBadInput,
              table.Place(row, column.name) + ": " + shown +
                  " is not a number; the target must hold numbers. Correct it, empty the cell (then it is a row to "
                  "predict), or choose another target",
              {{"target"}});
}

bool IsGap(const RawColumn& column, int row) {
  const auto i = static_cast<std::size_t>(row);
  if (const auto* numbers = std::get_if<RawColumn::Numbers>(&column.cells)) return std::isnan((*numbers)[i]);
  if (const auto* dates = std::get_if<RawColumn::Dates>(&column.cells)) return (*dates)[i].missing();
  return IsMissingCell(TrimmedCell(std::get<RawColumn::Texts>(column.cells)[i]));
}

}  // namespace

LabelledTable LabelledTable::Of(RawTable table, const CsvOptions& options) {
  LabelledTable labelled;
  labelled.options = {options.categorical, options.date_formats, options.missing == MissingPolicy::kImpute};
  const int columns = static_cast<int>(table.columns.size());
  labelled.target =
      WithOrigin(table, [&] { return options.target.empty() ? columns - 1 : table.ColumnIndex(options.target); });
  if (columns < 2) {
    throw Error(ErrorCode::kBadInput,
                table.Prefix() +
                    "the table has one column; it needs the target and at least one input column, separated by a "
                    "comma, a semicolon or a tab");
  }
  for (int k = 0; k < columns; ++k) {
    if (k != labelled.target) labelled.inputs.push_back(k);
  }
  labelled.y = TargetOf(table, table.columns[static_cast<std::size_t>(labelled.target)]);
  for (int row = 0; row < table.rows(); ++row) {
    bool gap = false;
    for (const int input : labelled.inputs) {
      gap = gap || IsGap(table.columns[static_cast<std::size_t>(input)], row);
    }
    if (gap && options.missing == MissingPolicy::kDrop) {
      ++labelled.dropped;
    } else {
      (std::isnan(labelled.y[row]) ? labelled.open : labelled.known).push_back(row);
    }
  }
  if (labelled.known.empty()) {
    throw Error(ErrorCode::kBadInput,
                table.Prefix() + (labelled.dropped > 0
                                      ? "every row has a missing value, so none is left; fill values in or remove the "
                                        "column that lacks them"
                                      : "no row has a value of the target, so there is nothing to learn from"));
  }
  labelled.table = std::move(table);
  return labelled;
}

Dataset LabelledTable::Learn(const std::vector<int>& rows) const {
  return WithOrigin(table, [&] {
    auto recipe = std::make_shared<Recipe>(Recipe::Fit(table, inputs, rows, options));
    RecipeRows numbers = recipe->Apply(table, inputs, rows, MissingPolicy::kError, UnseenPolicy::kError);
    Dataset data = Dataset::Of(std::move(numbers.X), y(rows), recipe->InputNames(),
                               table.columns[static_cast<std::size_t>(target)].name);
    if (!recipe->PlainNumbers()) data.recipe = std::move(recipe);
    return data;
  });
}

RecipeRows LabelledTable::As(const Dataset& learnt, const std::vector<int>& rows, UnseenPolicy unseen) const {
  Recipe plain;
  if (!learnt.recipe) {
    for (const std::string& name : learnt.column_names) plain.columns.emplace_back().name = name;
  }
  const Recipe& recipe = learnt.recipe ? *learnt.recipe : plain;
  const MissingPolicy missing = options.impute ? MissingPolicy::kImpute : MissingPolicy::kError;
  return recipe.Apply(table, inputs, rows, missing, unseen);
}

void LabelledTable::FailOpen() const {
  throw Error(ErrorCode::kBadInput,
              table.Place(open.front(), table.columns[static_cast<std::size_t>(target)].name) +
                  ": the value is missing; fill it in, or drop rows with missing values",
              {{"missing", "drop"}});
}

LabelledTable ReadLabelledTable(const std::string& path, const CsvOptions& options) {
  const RecipeOptions recipe{options.categorical, options.date_formats, false};
  return LabelledTable::Of(ReadRawTable(path, {{}, ReadAsText(recipe)}), options);
}

}  // namespace instantgp
