// POST /v1/forecast
#include "apps/cli/report/documents.h"
#include "apps/cli/report/forecast_report.h"
#include "apps/serve/api/endpoints.h"
#include "apps/serve/api/tables.h"
#include "instantgp/base/error.h"
#include "instantgp/base/stopwatch.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/forecast/table_forecast.h"

namespace instantgp::serve {
namespace {

TransformChoice TransformOf(const std::string& name) {
  if (name == "none") return TransformChoice::kNone;
  if (name == "log") return TransformChoice::kLog;
  return name == "boxcox" ? TransformChoice::kBoxCox : TransformChoice::kAuto;
}

TableForecastOptions ReadForecast(Fields& fields) {
  TableForecastOptions all;
  ForecastOptions& options = all.forecast;
  const std::optional<int> horizon = fields.OptionalInt("horizon", 1, 100000);
  if (!horizon) throw Error(ErrorCode::kUsage, "the request needs 'horizon', the steps to forecast", {{"horizon"}});
  options.horizon = *horizon;
  all.backtest = fields.Int("backtest", 0, 1000, 0);
  options.transform = TransformOf(fields.OneOf("transform", {"auto", "none", "log", "boxcox"}));
  options.levels = fields.Numbers("level", {80, 95});
  options.fast = fields.Flag("fast");
  options.components = fields.Flag("explain");
  options.anomalies = fields.Flag("anomalies");
  const Json* season = fields.Raw("season");
  all.seasons_from_calendar = season == nullptr || *season == "auto";
  if (!all.seasons_from_calendar && *season != "none") options.seasons = fields.Numbers("season");
  options.Validate();
  return all;
}

}  // namespace

Json ForecastTable(Call& call) {
  Fields& fields = call.fields;
  const Stopwatch clock;
  const TableForecastOptions options = ReadForecast(fields);
  const SeriesTableOptions columns{fields.Text("time"), fields.Text("target"), fields.Texts("by"),
                                   fields.Text("date_format")};
  const bool plot = fields.Flag("plot");
  const std::string text = TextOfTable(fields);
  fields.CheckAllUsed();
  const SeriesTable table = SeriesTable::Parse(text, kTableName, columns);
  CheckCells(static_cast<double>(table.rows()), 2, call.limits);
  CheckCells(static_cast<double>(table.size()), options.forecast.horizon * 8.0, call.limits);
  const cli::ForecastLayout layout{table.by_names(), table.time_name(), table.target_name(), options.forecast.levels};
  const Stopwatch forecasting;
  std::vector<ForecastedSeries> series(table.size());
  ThreadPool pool(table.size() > 1 ? call.threads : 1);
  pool.Run(static_cast<int>(table.size()), [&](int k, int) {
    const auto place = static_cast<std::size_t>(k);
    series[place] = ForecastOf(table, place, options, call.request.stop);
  });
  Json document = cli::ForecastDocument(layout, series, clock.Milliseconds(), forecasting.Milliseconds());
  if (plot) document["plot"] = cli::ForecastPlot(layout, series, options.forecast.components);
  return document;
}

}  // namespace instantgp::serve
