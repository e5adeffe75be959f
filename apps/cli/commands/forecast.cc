// `instantgp forecast`: the next steps of one series or of many.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <utility>

#include "apps/cli/options/common.h"
#include "apps/cli/report/forecast_report.h"
#include "apps/cli/terminal/interrupt.h"
#include "apps/cli/terminal/progress.h"
#include "apps/cli/terminal/terminal.h"
#include "instantgp/base/diagnosis.h"
#include "instantgp/base/error.h"
#include "instantgp/base/file.h"
#include "instantgp/base/stopwatch.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/data/csv_lexer.h"

namespace instantgp::cli {
namespace {

constexpr char kForecastHelp[] = "Forecast the next steps of a time series, or of many.";

constexpr char kForecastExamples[] =
    R"(The table holds a column of times (dates, or numbers a constant step apart) and one of values; with --by it holds many
series, one below the other. Step and season follow from the dates. Eight Gaussian processes are fitted to each series
and averaged; median and intervals are quantiles of the mixture. A series that cannot be forecast is a line with its reason.

With --output the forecasts of finished series are written as they come. Stopped with Ctrl-C they stay in
FILE.partial, and --resume goes on from there.

Examples:
  instantgp forecast sales.csv --horizon 12 --plot sales.svg
  instantgp forecast sales.csv --horizon 12 --backtest 5 --explain
  instantgp forecast all.csv --horizon 28 --by shop,item --target sold --output next.csv
  instantgp forecast load.csv --horizon 48 --season 24,168 --level 50,90)";

struct ForecastArguments {
  CommonOptions common;
  std::string data, time, target, by, season = "auto", level = "80,95", transform = "auto", format;
  std::string output, plot;
  int horizon = 0, backtest = 0;
  bool explain = false, anomalies = false, fast = false, resume = false;
};

std::vector<std::string> Split(const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= list.size() && !list.empty();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    parts.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<double> Numbers(const std::string& list, const std::string& option) {
  std::vector<double> numbers;
  for (const std::string& part : Split(list)) {
    char* end = nullptr;
    const double value = std::strtod(part.c_str(), &end);
    if (part.empty() || *end != '\0' || !std::isfinite(value)) {
      throw Error(ErrorCode::kUsage, option + " takes numbers separated by commas, not '" + OneLine(part) + "'");
    }
    numbers.push_back(value);
  }
  return numbers;
}

TransformChoice TransformFromName(const std::string& name) {
  if (name == "auto") return TransformChoice::kAuto;
  if (name == "none") return TransformChoice::kNone;
  if (name == "log") return TransformChoice::kLog;
  if (name == "boxcox") return TransformChoice::kBoxCox;
  throw Error(ErrorCode::kUsage,
              "--transform does not know '" + OneLine(name) + "'; use one of auto, none, log, boxcox");
}

// Lines of finished series, and which they are.
class PartialOutput {
 public:
  PartialOutput(std::string path, const std::string& header, std::size_t keys, bool resume)
      : path_(std::move(path)), partial_(path_ + ".partial") {
    if (path_.empty()) return;
    const bool found = resume && std::filesystem::exists(partial_);
    if (found) Recover(header, keys);
    stream_.open(partial_, found ? std::ios::app | std::ios::binary : std::ios::trunc | std::ios::binary);
    if (!found) stream_ << header;
    Flush();
  }

  bool Done(const std::vector<std::string>& key) const { return done_.contains(key); }
  std::size_t recovered() const { return done_.size(); }

  void Add(const std::string& rows) {
    if (path_.empty()) return;
    stream_ << rows;
    Flush();
  }

  // All series are there: the file gets its name.
  void Finish() {
    if (path_.empty()) return;
    stream_.close();
    std::error_code error;
    std::filesystem::rename(partial_, path_, error);
    if (error) throw Error(ErrorCode::kFailure, "cannot rename " + partial_ + " to " + path_ + ": " + error.message());
  }

  const std::string& partial() const { return partial_; }

 private:
  void Flush() {
    stream_.flush();
    if (!stream_) throw Error(ErrorCode::kFailure, "cannot write " + partial_);
  }

  // Keeps whole lines of series that are followed by another one; the last may be cut off in the middle.
  void Recover(const std::string& header, std::size_t keys) {
    const std::string text = ReadFile(partial_);
    if (!text.starts_with(header)) {
      throw Error(ErrorCode::kBadInput,
                  partial_ +
                      " was written with other options: its header differs. Remove it, or use the options it was "
                      "written with.");
    }
    const std::string complete = text.substr(0, text.rfind('\n') + 1);
    CsvLexer lexer(complete, ',');
    std::vector<CsvCell> cells;
    std::vector<std::string> key, last;
    std::string kept = header, pending;
    lexer.Next(cells);  // the header
    std::size_t line_begin = header.size();
    for (std::size_t end = 0; line_begin < complete.size(); line_begin = end) {
      end = complete.find('\n', line_begin) + 1;
      const std::string line = complete.substr(line_begin, end - line_begin);
      CsvLexer one(line, ',');
      if (!one.Next(cells) || cells.size() < keys) continue;
      key.clear();
      for (std::size_t k = 0; k < keys; ++k) key.push_back(cells[k].text());
      if (key != last && !pending.empty()) {
        kept += pending;
        done_.insert(last);
        pending.clear();
      }
      last = key;
      pending += line;
    }
    WriteFileAtomically(partial_, kept);
  }

  std::string path_, partial_;
  std::ofstream stream_;
  std::set<std::vector<std::string>> done_;
};

std::string Summary(std::size_t series, std::size_t failed, double seconds, const std::string& where) {
  std::string text = std::to_string(series) + " series in " + Short(seconds) + " s, " +
                     Short(static_cast<double>(series) / std::max(seconds, 1e-3)) + " a second";
  if (failed > 0) text += "; " + std::to_string(failed) + " without a forecast, with the reason in its line";
  return text + (where.empty() ? "" : "; " + where) + "\n";
}

void RunForecast(const ForecastArguments& arguments) {
  TableForecastOptions all;
  ForecastOptions& options = all.forecast;
  all.seasons_from_calendar = arguments.season == "auto";
  all.backtest = arguments.backtest;
  options.horizon = arguments.horizon;
  options.transform = TransformFromName(arguments.transform);
  options.levels = Numbers(arguments.level, "--level");
  options.fast = arguments.fast;
  options.components = arguments.explain;
  options.anomalies = arguments.anomalies;
  if (arguments.season != "auto" && arguments.season != "none") options.seasons = Numbers(arguments.season, "--season");
  options.Validate();
  if (arguments.resume && arguments.output.empty()) {
    throw Error(ErrorCode::kUsage, "--resume goes on with the file of --output; name it");
  }
  if (arguments.resume && arguments.common.json)
    throw Error(ErrorCode::kUsage, "--resume writes CSV; leave out --json");

  const Stopwatch clock;
  const SeriesTable table =
      SeriesTable::Read(arguments.data, {arguments.time, arguments.target, Split(arguments.by), arguments.format});
  const ForecastLayout layout{table.by_names(), table.time_name(), table.target_name(), options.levels};
  PartialOutput output(arguments.output, ForecastHeader(layout), layout.by_names.size(), arguments.resume);

  std::vector<std::size_t> todo;
  for (std::size_t k = 0; k < table.size(); ++k) {
    if (!output.Done(table.Key(k))) todo.push_back(k);
  }
  ThreadPool pool(ResolveThreads(arguments.common.threads));
  // Results leave in the order of the table, a few hundred at a time, so that memory does not grow with their number.
  constexpr std::size_t kChunk = 256;
  const bool keep = arguments.common.json || todo.size() == 1;
  std::vector<ForecastedSeries> kept;
  std::string csv = ForecastHeader(layout);
  std::size_t failed = 0, finished = 0;
  SetPatience(30);
  Progress progress("series", arguments.common.quiet || todo.size() < 20);
  const Stopwatch forecasting;
  for (std::size_t begin = 0; begin < todo.size(); begin += kChunk) {
    const std::size_t count = std::min(kChunk, todo.size() - begin);
    std::vector<ForecastedSeries> chunk(count);
    try {
      pool.Run(static_cast<int>(count), [&](int k, int) {
        const auto place = static_cast<std::size_t>(k);
        chunk[place] = ForecastOf(table, todo[begin + place], all, StopToken());
      });
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kInterrupted) throw;
      const std::string kept_in = arguments.output.empty()
                                      ? ""
                                      : "; " + std::to_string(output.recovered() + finished) +
                                            " finished series are in " + output.partial() + ", go on with --resume";
      throw Error(ErrorCode::kInterrupted, "interrupted while forecasting" + kept_in);
    }
    std::string rows;
    for (ForecastedSeries& one : chunk) {
      failed += one.forecast.ok ? 0 : 1;
      rows += ForecastRows(layout, one);
      const bool drawn = !arguments.plot.empty() && kept.size() < 9;
      if (keep || drawn) kept.push_back(std::move(one));
    }
    if (arguments.output.empty()) {
      csv += rows;
    } else {
      output.Add(rows);
    }
    finished += count;
    const double left =
        forecasting.Milliseconds() / 1000 / static_cast<double>(finished) * static_cast<double>(todo.size() - finished);
    progress.Update(static_cast<int>(finished), static_cast<int>(todo.size()), left);
  }
  output.Finish();
  const double seconds = clock.Milliseconds() / 1000;
  if (!arguments.plot.empty()) {
    OutputFiles files;
    files.Add(arguments.plot, ForecastPlot(layout, kept));
    files.Write(arguments.common.quiet);
  }

  if (arguments.common.json) {
    Json document;
    document["schema"] = "instantgp/forecast/1";
    document["series"] = Json::array();
    for (const ForecastedSeries& one : kept) document["series"].push_back(ForecastJson(layout, one));
    document["time_ms"] = {{"total", 1000 * seconds}, {"forecast", forecasting.Milliseconds()}};
    document["warnings"] = Json::array();
    WriteStdout(JsonText(std::move(document)));
    return;
  }
  const bool one = todo.size() == 1 && kept.size() == 1 && layout.by_names.empty();
  if (one && !kept[0].forecast.ok) {
    throw Error(ErrorCode::kBadInput, arguments.data + ": no forecast: " + kept[0].forecast.reason);
  }
  const std::string where = arguments.output.empty() ? "" : "wrote " + arguments.output;
  const std::string text =
      one ? ForecastText(layout, kept[0], arguments.explain) : Summary(finished, failed, seconds, where);
  if (arguments.output.empty() && !one) {
    WriteStdout(csv);
    if (!arguments.common.quiet) Message(text.substr(0, text.size() - 1));
    return;
  }
  WriteStdout(text);
}

}  // namespace

void RegisterForecast(CLI::App& app, Selected& selected) {
  auto options = std::make_shared<ForecastArguments>();
  CLI::App* command = app.add_subcommand("forecast", kForecastHelp);
  command->add_option("DATA.csv", options->data, "Table with times and values; - is standard input")->required();
  command->add_option("--horizon", options->horizon, "Steps to forecast")->type_name("H")->required();
  command->add_option("--time", options->time, "Column of times [the first of dates, else the first]")
      ->type_name("COLUMN");
  command->add_option("-t,--target", options->target, "Column of values [the last]")->type_name("COLUMN");
  command->add_option("--by", options->by, "Columns that tell series apart, separated by commas")->type_name("COLUMNS");
  command->add_option("--format", options->format, "How dates are written, for example %d.%m.%y")->type_name("FORMAT");
  command->add_option("--season", options->season, "auto, none, or periods in steps: 12 or 7,365.25 [auto]")
      ->type_name("LIST");
  command->add_option("--level", options->level, "Levels of the intervals in percent [80,95]")->type_name("LIST");
  command->add_option("--transform", options->transform, "auto, none, log or boxcox [auto]")->type_name("NAME");
  command->add_option("--backtest", options->backtest, "Score forecasts from K earlier ends of the series")
      ->type_name("K")
      ->check(CLI::Range(0, 1000));
  command->add_flag("--explain", options->explain, "Show trend, seasons and the kernels that were averaged");
  command->add_flag("--anomalies", options->anomalies, "List values of the past that do not fit");
  command->add_flag("--fast", options->fast, "Two fits a series instead of eight");
  command->add_option("-o,--output", options->output, "Write forecasts as CSV")->type_name("FILE");
  command->add_option("--plot", options->plot, "Draw up to nine series (SVG)")->type_name("FILE");
  command->add_flag("--resume", options->resume, "Go on with what an interrupted run left in FILE.partial");
  AddCommonOptions(*command, options->common);
  command->footer(kForecastExamples);
  command->callback([options, &selected] { selected.run = [options] { RunForecast(*options); }; });
}

}  // namespace instantgp::cli
