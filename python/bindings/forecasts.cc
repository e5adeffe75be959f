// Forecasts of the series of a table, as Python sees them.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "instantgp/base/error.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/forecast/learn_priors.h"
#include "instantgp/forecast/table_forecast.h"
#include "python/bindings/bind.h"
#include "python/bindings/call.h"

namespace py = pybind11;
using namespace pybind11::literals;

namespace instantgp::python {
namespace {

py::dict ToDict(const ForecastedSeries& one) {
  py::dict d;
  d["key"] = one.series.key;
  d["ok"] = one.forecast.ok;
  d["reason"] = one.forecast.reason;
  d["step"] = one.series.step;
  d["season"] = one.seasons;
  d["values"] = one.series.values;
  d["transform"] = std::string(Name(one.forecast.transform));
  std::vector<std::string> notes = one.series.notes;
  notes.insert(notes.end(), one.forecast.notes.begin(), one.forecast.notes.end());
  d["notes"] = notes;
  const int n = static_cast<int>(one.series.values.size());
  std::vector<std::string> times, past;
  for (int i = 0; one.series.problem.empty() && i < n; ++i) past.push_back(one.series.TimeText(i));
  std::vector<double> mean, median, std;
  std::vector<std::vector<double>> lower, upper;
  for (std::size_t h = 0; h < one.forecast.steps.size(); ++h) {
    const ForecastStep& step = one.forecast.steps[h];
    times.push_back(one.series.TimeText(n + static_cast<int>(h)));
    mean.push_back(step.mean);
    median.push_back(step.median);
    std.push_back(step.std);
    lower.push_back(step.lower);
    upper.push_back(step.upper);
  }
  d["times"] = times;
  d["past"] = past;
  d["mean"] = mean;
  d["median"] = median;
  d["std"] = std;
  d["lower"] = lower;
  d["upper"] = upper;
  py::list structures;
  for (const ForecastMember& m : one.forecast.members) {
    structures.append(py::dict("kernel"_a = m.kernel, "words"_a = m.words,
                               "transform"_a = std::string(Name(m.transform)), "weight"_a = m.weight));
  }
  d["structures"] = structures;
  py::dict components;
  for (const ForecastComponent& c : one.forecast.components) components[py::str(c.name)] = c.values;
  d["components"] = components;
  py::list anomalies;
  for (const ForecastAnomaly& a : one.forecast.anomalies) {
    anomalies.append(py::dict("time"_a = one.series.TimeText(a.index), "value"_a = a.value, "expected"_a = a.expected,
                              "lower95"_a = a.lower95, "upper95"_a = a.upper95, "score"_a = a.score));
  }
  d["anomalies"] = anomalies;
  if (one.backtest && one.backtest->steps > 0) {
    d["backtest"] = py::dict("mase"_a = one.backtest->mase, "smape"_a = one.backtest->smape,
                             "scrps"_a = one.backtest->scrps, "coverage95"_a = one.backtest->coverage95,
                             "naive_mase"_a = one.backtest->naive_mase, "steps"_a = one.backtest->steps);
  } else {
    d["backtest"] = py::none();
  }
  return d;
}

TableForecastOptions OptionsFrom(int horizon, const std::optional<std::vector<double>>& season,
                                 const std::string& transform, bool fast) {
  TableForecastOptions options;
  options.forecast.horizon = horizon;
  options.forecast.transform = TransformChoiceFromName(transform);
  options.forecast.fast = fast;
  options.seasons_from_calendar = !season.has_value();
  if (season) options.forecast.seasons = *season;
  return options;
}

py::dict ForecastTable(const std::string& csv, const std::string& time, const std::string& target,
                       const std::vector<std::string>& by, const std::string& date_format, int horizon,
                       const std::optional<std::vector<double>>& season, const std::vector<double>& levels,
                       const std::string& transform, bool fast, int backtest, bool components, bool anomalies,
                       int threads, const std::string& priors) {
  TableForecastOptions options = OptionsFrom(horizon, season, transform, fast);
  options.forecast.levels = levels;
  options.forecast.components = components;
  options.forecast.anomalies = anomalies;
  options.backtest = backtest;
  if (!priors.empty()) options.forecast.priors = ForecastPriors::FromText(priors);
  options.forecast.Validate();
  std::vector<ForecastedSeries> all;
  std::optional<SeriesTable> table;
  RunInterruptible([&](const std::stop_token& stop) {
    table = SeriesTable::Parse(csv, "the table", {time, target, by, date_format});
    all.resize(table->size());
    ThreadPool pool(ResolveThreads(threads));
    pool.Run(static_cast<int>(all.size()), [&](int k, int) {
      all[static_cast<std::size_t>(k)] = ForecastOf(*table, static_cast<std::size_t>(k), options, stop);
    });
  });
  py::list series;
  for (const ForecastedSeries& one : all) series.append(ToDict(one));
  return py::dict("series"_a = series, "time"_a = table->time_name(), "target"_a = table->target_name(),
                  "dates"_a = table->has_dates());
}

// As text, which is what ForecastTable takes.
std::string LearnForecastPriors(const std::string& csv, const std::string& time, const std::string& target,
                                const std::vector<std::string>& by, const std::string& date_format, int horizon,
                                const std::optional<std::vector<double>>& season, const std::string& transform,
                                bool fast, int count, std::uint64_t seed, int threads) {
  const TableForecastOptions options = OptionsFrom(horizon, season, transform, fast);
  options.forecast.Validate();
  std::string text;
  RunInterruptible([&](const std::stop_token& stop) {
    const SeriesTable table = SeriesTable::Parse(csv, "the table", {time, target, by, date_format});
    text = LearnPriorsOf(table, options, count, seed, threads, stop).Text();
  });
  return text;
}

std::vector<std::size_t> SampleOfKeys(const std::vector<std::vector<std::string>>& keys, std::size_t count,
                                      std::uint64_t seed) {
  return SampleOfSeries(
      keys.size(), [&](std::size_t k) -> const std::vector<std::string>& { return keys[k]; }, count, seed);
}

// Which columns of a table hold times and values.
py::dict ForecastColumns(const std::string& csv, const std::string& time, const std::string& target,
                         const std::vector<std::string>& by, const std::string& date_format) {
  const SeriesTable table = SeriesTable::Parse(csv, "the table", {time, target, by, date_format});
  return py::dict("time"_a = table.time_name(), "target"_a = table.target_name());
}

}  // namespace

void BindForecasts(py::module_& module) {
  module.def("forecast_columns", &ForecastColumns, "csv"_a, "time"_a, "target"_a, "by"_a, "date_format"_a);
  module.def("forecast", &ForecastTable, "csv"_a, "time"_a, "target"_a, "by"_a, "date_format"_a, "horizon"_a,
             "season"_a, "levels"_a, "transform"_a, "fast"_a, "backtest"_a, "components"_a, "anomalies"_a, "threads"_a,
             "priors"_a = "");
  module.def("learn_forecast_priors", &LearnForecastPriors, "csv"_a, "time"_a, "target"_a, "by"_a, "date_format"_a,
             "horizon"_a, "season"_a, "transform"_a, "fast"_a, "count"_a, "seed"_a, "threads"_a);
  module.def("sample_of_series", &SampleOfKeys, "keys"_a, "count"_a, "seed"_a);
}

}  // namespace instantgp::python
