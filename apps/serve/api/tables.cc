#include "apps/serve/api/tables.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <functional>
#include <utility>

#include "apps/cli/options/table_input.h"
#include "instantgp/base/diagnosis.h"
#include "instantgp/base/error.h"
#include "instantgp/data/airline.h"

namespace instantgp::serve {
namespace {

std::string QuotedCell(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

void AppendCell(const Json& cell, const std::string& column, std::string& csv) {
  if (cell.is_null()) return;
  if (cell.is_string()) {
    csv += QuotedCell(cell.get_ref<const std::string&>());
  } else if (cell.is_number()) {
    char text[32];  // the shortest text that reads back as the same number
    const auto [end, error] = std::to_chars(text, text + sizeof text, cell.get<double>());
    csv.append(text, end);
  } else if (cell.is_boolean()) {
    csv += cell.get<bool>() ? "1" : "0";
  } else {
    throw HttpError(400, "the column '" + OneLine(column) + "' must hold numbers, texts and null alone");
  }
}

std::string TextOf(const Json& table, const std::string& what) {
  if (table.is_string()) return table.get<std::string>();
  if (table.is_object()) {
    if (table.size() == 1 && table.contains("csv") && table["csv"].is_string()) return table["csv"].get<std::string>();
    if (table.size() == 1 && table.contains("columns")) return ColumnsAsCsv(table["columns"]);
  }
  throw HttpError(400, what + " takes a table: {\"csv\": \"...\"} or {\"columns\": {...}}");
}

}  // namespace

std::string ColumnsAsCsv(const Json& columns) {
  if (!columns.is_object() || columns.empty()) {
    throw HttpError(400, "columns must be an object with a list for each column: {\"x\": [1, 2], \"y\": [3, 4]}");
  }
  std::string csv;
  std::size_t rows = 0;
  bool first = true, named = false;
  for (const auto& [name, cells] : columns.items()) {
    if (!cells.is_array()) throw HttpError(400, "the column '" + OneLine(name) + "' is no list");
    if (!first && cells.size() != rows) {
      throw HttpError(400, "the column '" + OneLine(name) + "' has " + std::to_string(cells.size()) +
                               " values, those before it " + std::to_string(rows));
    }
    rows = cells.size();
    csv += (first ? "" : ",") + QuotedCell(name);
    named = named || std::any_of(name.begin(), name.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
    first = false;
  }
  if (!named) throw HttpError(400, "at least one column needs a name with a letter in it");
  csv += '\n';
  for (std::size_t row = 0; row < rows; ++row) {
    first = true;
    const std::size_t begin = csv.size();
    for (const auto& [name, cells] : columns.items()) {
      if (!first) csv += ',';
      first = false;
      AppendCell(cells[row], name, csv);
    }
    if (csv.size() == begin) csv += "\"\"";  // a blank line would be no row
    csv += '\n';
  }
  return csv;
}

std::string TextOfTable(Fields& fields) {
  const Json *csv = fields.Raw("csv"), *columns = fields.Raw("columns");
  if ((csv == nullptr) == (columns == nullptr)) {
    throw Error(ErrorCode::kUsage, csv == nullptr
                                       ? "the request needs a table: \"csv\" or \"columns\", or a body of text/csv"
                                       : "the request has two tables, \"csv\" and \"columns\"; leave out one");
  }
  if (columns != nullptr) return ColumnsAsCsv(*columns);
  if (!csv->is_string()) throw Error(ErrorCode::kUsage, "the option 'csv' takes a text");
  return csv->get<std::string>();
}

std::string TextOfTable(Fields& fields, const std::string& name) {
  const Json* table = fields.Raw(name);
  if (table == nullptr) throw Error(ErrorCode::kUsage, "the request needs '" + name + "', a table");
  return TextOf(*table, name);
}

void CheckCells(double rows, double columns, const Limits& limits) {
  if (rows * columns <= limits.cells) return;
  char text[200];
  std::snprintf(text, sizeof text,
                "the table has %.0f rows of %.0f columns, %.0f cells; this server takes up to %.0f at once", rows,
                columns, rows * columns, limits.cells);
  throw Error(ErrorCode::kLimit, text);
}

NewRowsOptions RowPolicies(Fields& fields) {
  return {cli::MissingFromName(fields.OneOf("missing", {"error", "drop", "impute"})),
          cli::UnseenFromName(fields.OneOf("unseen", {"error", "other"}))};
}

cli::LoadedData LoadTable(Fields& fields, const Limits& limits, std::uint64_t seed,
                          const std::function<void(const Dataset&)>& check) {
  const NewRowsOptions policies = RowPolicies(fields);
  const CsvOptions csv{fields.Text("target"), policies.missing, fields.Texts("categorical"),
                       fields.Texts("date_format")};
  const std::optional<double> holdout = fields.Number("holdout", 0, 1);
  if (holdout && !(*holdout > 0 && *holdout < 1)) {
    throw Error(ErrorCode::kUsage, "the option 'holdout' takes a fraction between 0 and 1, for example 0.2",
                {{"holdout"}});
  }
  const bool example = fields.Flag("example");
  if (example && (fields.Has("csv") || fields.Has("columns"))) {
    throw Error(ErrorCode::kUsage, "the example brings its own data; leave out \"csv\" and \"columns\"");
  }
  cli::TableSource source;
  const std::string text = example ? std::string(AirlineCsv()) : TextOfTable(fields);
  fields.Raw("csv");
  fields.Raw("columns");
  source.name = example ? "airline example" : "request";
  const RecipeOptions recipe{csv.categorical, csv.date_formats, false};
  RawTable raw = ParseRawTable(text, example ? "the airline example" : kTableName, {{}, ReadAsText(recipe)});
  CheckCells(raw.rows(), static_cast<double>(raw.columns.size()), limits);
  source.table = LabelledTable::Of(std::move(raw), csv);
  source.unseen = policies.unseen;
  std::string rows;
  if (fields.Raw("predict") != nullptr) {
    rows = TextOfTable(fields, "predict");
    source.new_rows_name = "predict";
    source.new_rows = [&](const Dataset& train) {
      NewRows parsed =
          ParseNewRows(rows, "predict", {train.column_names, train.target_name, train.recipe.get()}, policies);
      CheckCells(static_cast<double>(parsed.X.rows()), static_cast<double>(parsed.X.cols()), limits);
      return parsed;
    };
  }
  return cli::Divide(source, holdout, seed, check);
}

}  // namespace instantgp::serve
