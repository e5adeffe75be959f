#include "instantgp/experiments/protocols/forecasting.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <utility>

#include "instantgp/base/error.h"
#include "instantgp/base/file.h"
#include "instantgp/base/stopwatch.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/data/csv_lexer.h"
#include "instantgp/data/csv_number.h"
#include "instantgp/forecast/forecast.h"

namespace instantgp {
namespace {

struct Frequency {
  const char* name;
  int season;  // 1: none
};
constexpr Frequency kFrequencies[] = {{"yearly", 1}, {"quarterly", 4}, {"monthly", 12}, {"other", 1}};

struct HeldOutSeries {
  const Frequency* frequency = nullptr;
  std::string name;
  std::vector<double> history, future;
};

std::vector<HeldOutSeries> ReadSeries(const std::string& path, const Frequency& frequency) {
  const std::string text = ReadFile(path);
  CsvLexer lexer(text, ',');
  std::vector<CsvCell> cells;
  std::vector<HeldOutSeries> all;
  const auto fail = [&](const std::string& what) {
    throw Error(ErrorCode::kBadInput, path + ", line " + std::to_string(lexer.line()) + ": " + what +
                                          "; expected series,index,value,part with part train or test");
  };
  if (!lexer.Next(cells)) fail("the file is empty");
  while (lexer.Next(cells)) {
    if (cells.size() != 4) fail("found " + std::to_string(cells.size()) + " cells");
    const CellValue value = ReadCell(cells[2].raw, false);
    if (value.kind != CellKind::kNumber) fail("the value is not a number");
    const std::string name = cells[0].text(), part = cells[3].text();
    if (all.empty() || all.back().name != name) all.push_back({&frequency, name, {}, {}});
    if (part != "train" && part != "test") fail("the part is neither train nor test");
    (part == "train" ? all.back().history : all.back().future).push_back(value.value);
  }
  return all;
}

bool IsOdd(const std::string& name) { return !name.empty() && (name.back() - '0') % 2 != 0; }

// The seasonal naive forecast has errors and no distribution.
ForecastingRecord NaiveRecord(const ForecastingRecord& of) {
  ForecastingRecord record = of;
  record.method = "naive";
  record.ms = 0;
  record.score = {};
  record.score.mase = of.score.naive_mase;
  record.score.steps = of.score.steps;
  return record;
}

ForecastingRecord Run(const HeldOutSeries& series, bool fast, const std::stop_token& stop) {
  ForecastingRecord record{series.frequency->name,
                           series.name,
                           fast ? "fast" : "forecast",
                           static_cast<int>(series.history.size()),
                           {},
                           0,
                           "ok"};
  ForecastOptions options;
  options.horizon = static_cast<int>(series.future.size());
  if (series.frequency->season > 1) options.seasons = {static_cast<double>(series.frequency->season)};
  options.fast = fast;
  const Stopwatch clock;
  const Forecasted forecast = Forecast(series.history, options, stop);
  record.ms = clock.Milliseconds();
  if (!forecast.ok) {
    record.status = forecast.reason;
    return record;
  }
  record.score = ScoreForecast(series.history, series.frequency->season, forecast, series.future);
  return record;
}

struct Averages {
  int count = 0;
  ForecastScore mean;
  double median_ms = 0;
};

template <typename Keep>
Averages Average(const std::vector<ForecastingRecord>& records, const Keep& keep) {
  Averages out;
  std::vector<double> times;
  for (const ForecastingRecord& r : records) {
    if (r.status != "ok" || !keep(r)) continue;
    ++out.count;
    out.mean.mase += r.score.mase;
    out.mean.smape += r.score.smape;
    out.mean.scrps += r.score.scrps;
    out.mean.msis += r.score.msis;
    out.mean.coverage95 += r.score.coverage95;
    times.push_back(r.ms);
  }
  if (out.count == 0) return out;
  for (double* sum : {&out.mean.mase, &out.mean.smape, &out.mean.scrps, &out.mean.msis, &out.mean.coverage95}) {
    *sum /= out.count;
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  out.median_ms = times[times.size() / 2];
  return out;
}

std::string Line(const std::string& label, const std::string& method, const Averages& a) {
  char text[200];
  if (method == "naive") {
    std::snprintf(text, sizeof text, "| %s | seasonal naive | %d | | %.3f | | | | |\n", label.c_str(), a.count,
                  a.mean.mase);
  } else {
    std::snprintf(text, sizeof text, "| %s | %s | %d | %.2f | %.3f | %.3f | %.2f | %.1f | %.1f |\n", label.c_str(),
                  method.c_str(), a.count, a.mean.smape, a.mean.mase, a.mean.scrps, a.mean.msis, a.mean.coverage95,
                  a.median_ms);
  }
  return text;
}

// sMAPE as published for the same series: Makridakis and Hibon (2000), Oreshkin et al. (2020), Fiorucci et al. (2016).
constexpr char kPublished[] =
    "\nPublished sMAPE, yearly / quarterly / monthly / other / all: Theta 16.90 / 8.96 / 13.85 / 4.41 / 13.01; "
    "ForecastPro 17.14 / 9.77 / 13.86 / 4.60 / 13.19; DOTM 15.94 / 9.28 / 13.74 / 4.58 / 12.90; N-BEATS-I+G 15.93 / "
    "8.84 / 13.11 / 4.24 / 12.37.\n";

std::string Markdown(const std::vector<ForecastingRecord>& records) {
  std::string text =
      "# M3\n\nMeasures as in instantgp/forecast/score.h, averaged over the horizon, then over series; time is the "
      "median of one thread. Kernels, priors and the tempering of weights were chosen on the series with even "
      "numbers; a first set of kernels and priors came from a study that had looked at all.\n";
  for (const bool odd : {false, true}) {
    text += odd ? "\n## Series with odd numbers\n\n" : "\n## All series\n\n";
    text += "| frequency | method | series | sMAPE | MASE | sCRPS | MSIS | 95 % coverage | ms |\n";
    text += "|---|---|---|---|---|---|---|---|---|\n";
    for (const char* method : {"forecast", "fast", "naive"}) {
      for (const Frequency& frequency : kFrequencies) {
        const Averages a = Average(records, [&](const ForecastingRecord& r) {
          return r.frequency == frequency.name && r.method == method && (!odd || IsOdd(r.series));
        });
        if (a.count > 0) text += Line(frequency.name, method, a);
      }
      const Averages a =
          Average(records, [&](const ForecastingRecord& r) { return r.method == method && (!odd || IsOdd(r.series)); });
      if (a.count > 0) text += Line("all", method, a);
    }
  }
  return text + kPublished;
}

std::string Csv(const std::vector<ForecastingRecord>& records) {
  std::string text = "frequency,series,method,n,smape,mase,scrps,msis,coverage95,ms,status\n";
  for (const ForecastingRecord& r : records) {
    char line[256];
    std::snprintf(line, sizeof line, "%s,%s,%s,%d,%.17g,%.17g,%.17g,%.17g,%.17g,%.3f,", r.frequency.c_str(),
                  r.series.c_str(), r.method.c_str(), r.n, r.score.smape, r.score.mase, r.score.scrps, r.score.msis,
                  r.score.coverage95, r.ms);
    text += line + r.status + "\n";
  }
  return text;
}

}  // namespace

ForecastingResult EvaluateForecasting(const ForecastingOptions& options) {
  std::vector<HeldOutSeries> all;
  for (const Frequency& frequency : kFrequencies) {
    const std::string path = options.data + "/m3_" + frequency.name + ".csv";
    if (!std::filesystem::exists(path)) continue;
    std::vector<HeldOutSeries> some = ReadSeries(path, frequency);
    for (std::size_t k = 0; k < some.size(); ++k) {
      if (!options.quick || k % 20 == 0) all.push_back(std::move(some[k]));
    }
  }
  if (all.empty()) {
    throw Error(ErrorCode::kBadInput,
                "no file m3_yearly.csv, m3_quarterly.csv, m3_monthly.csv or m3_other.csv in '" + options.data + "'",
                {{"data"}});
  }
  ForecastingResult result;
  result.records.resize(3 * all.size());
  ThreadPool pool(ResolveThreads(options.threads));
  std::mutex mutex;
  int done = 0;
  const Stopwatch clock;
  pool.Run(static_cast<int>(all.size()), [&](int k, int) {
    const auto place = 3 * static_cast<std::size_t>(k);
    const HeldOutSeries& series = all[static_cast<std::size_t>(k)];
    result.records[place] = Run(series, false, options.stop);
    result.records[place + 1] = Run(series, true, options.stop);
    result.records[place + 2] = NaiveRecord(result.records[place]);
    if (!options.progress) return;
    const std::lock_guard lock(mutex);
    ++done;
    const double each = clock.Milliseconds() / 1000 / done;
    options.progress(done, static_cast<int>(all.size()),
                     each * static_cast<double>(all.size() - static_cast<std::size_t>(done)));
  });
  result.markdown = Markdown(result.records);
  result.records_csv = Csv(result.records);
  return result;
}

}  // namespace instantgp
