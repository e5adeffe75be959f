// POST /v1/table
#include <algorithm>
#include <cmath>
#include <numeric>

#include "apps/cli/report/common_report.h"
#include "apps/serve/api/endpoints.h"
#include "apps/serve/api/tables.h"
#include "instantgp/base/diagnosis.h"
#include "instantgp/data/airline.h"
#include "instantgp/data/recipe.h"

namespace instantgp::serve {
namespace {

Json SummaryOf(const std::vector<double>& cells) {
  std::vector<double> known;
  std::copy_if(cells.begin(), cells.end(), std::back_inserter(known), [](double v) { return !std::isnan(v); });
  Json j = {{"missing", cells.size() - known.size()}};
  if (known.empty()) return j;
  std::sort(known.begin(), known.end());
  j["min"] = known.front();
  j["median"] = known[known.size() / 2];
  j["max"] = known.back();
  j["mean"] = std::accumulate(known.begin(), known.end(), 0.0) / static_cast<double>(known.size());
  return j;
}

}  // namespace

Json DescribeTable(Call& call) {
  Fields& fields = call.fields;
  const bool example = fields.Flag("example");
  const std::string text = example ? std::string(AirlineCsv()) : TextOfTable(fields);
  const RecipeOptions options{fields.Texts("categorical"), fields.Texts("date_format"), true};
  fields.CheckAllUsed();
  const RawTable table = ParseRawTable(text, kTableName, {{}, ReadAsText(options)});
  CheckCells(table.rows(), static_cast<double>(table.columns.size()), call.limits);
  Json document;
  document["schema"] = "instantgp/table/1";
  document["rows"] = table.rows();
  document["columns"] = Json::array();
  std::vector<int> rows(static_cast<std::size_t>(table.rows()));
  std::iota(rows.begin(), rows.end(), 0);
  for (std::size_t k = 0; k < table.columns.size(); ++k) {
    const RawColumn& column = table.columns[k];
    Json j = {{"column", column.name}};
    try {
      const Recipe recipe = Recipe::Fit(table, {static_cast<int>(k)}, rows, options);
      j["kind"] = Name(recipe.columns[0].kind);
      j["words"] = InWords(recipe.columns[0]);
    } catch (const Error& error) {  // of this column; others may be fine
      j["kind"] = "unreadable";
      j["words"] = error.what();
    }
    if (const auto* numbers = std::get_if<RawColumn::Numbers>(&column.cells)) j.update(SummaryOf(*numbers));
    document["columns"].push_back(std::move(j));
  }
  if (example) document["csv"] = text;
  return document;
}

}  // namespace instantgp::serve
