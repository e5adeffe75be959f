// `instantgp forecast`: the next steps of one series or of many.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "apps/cli/commands/process_group.h"
#include "apps/cli/options/common.h"
#include "apps/cli/report/documents.h"
#include "apps/cli/report/forecast_report.h"
#include "apps/cli/report/partial_output.h"
#include "apps/cli/terminal/interrupt.h"
#include "apps/cli/terminal/progress.h"
#include "apps/cli/terminal/terminal.h"
#include "instantgp/base/diagnosis.h"
#include "instantgp/base/error.h"
#include "instantgp/base/stopwatch.h"
#include "instantgp/base/thread_pool.h"

namespace instantgp::cli {
namespace {

constexpr char kForecastHelp[] = "Forecast the next steps of a time series, or of many.";

constexpr char kForecastExamples[] =
    R"(The table holds a column of times (dates, or numbers a constant step apart) and one of values; with --by it holds many
series, one below the other. Step and season follow from the dates. Eight Gaussian processes are fitted to each series
and averaged; median and intervals are quantiles of the mixture. A series that cannot be forecast is a line with its
reason.

With --output the forecasts of finished series are written as they come. Stopped with Ctrl-C they stay in
FILE.partial, and --resume goes on from there. Under mpirun the series are dealt out to all processes.

Examples:
  instantgp forecast sales.csv --horizon 12 --plot sales.svg
  instantgp forecast sales.csv --horizon 12 --backtest 5 --explain
  instantgp forecast all.csv --horizon 28 --by shop,item --target sold --output next.csv
  instantgp forecast load.csv --horizon 48 --season 24,168 --level 50,90
  mpirun -n 4 instantgp forecast all.csv --horizon 28 --by shop,item --output next.csv --threads 1)";

struct ForecastArguments {
  CommonOptions common;
  std::string data, time, target, by, season = "auto", level = "80,95", transform = "auto", format;
  std::string output, plot;
  int horizon = 0, backtest = 0, learn_priors = 0;
  bool explain = false, anomalies = false, fast = false, resume = false;
};

std::vector<double> Numbers(const std::string& list, const std::string& option) {
  std::vector<double> numbers;
  for (const std::string& part : SplitAtCommas(list)) {
    char* end = nullptr;
    const double value = std::strtod(part.c_str(), &end);
    if (part.empty() || *end != '\0' || !std::isfinite(value)) {
      throw Error(ErrorCode::kUsage, option + " takes numbers separated by commas, not '" + OneLine(part) + "'");
    }
    numbers.push_back(value);
  }
  return numbers;
}

std::string Summary(std::size_t series, std::size_t failed, double seconds, const std::string& where) {
  std::string text = std::to_string(series) + " series in " + Short(seconds) + " s, " +
                     Short(static_cast<double>(series) / std::max(seconds, 1e-3)) + " a second";
  if (failed > 0) text += "; " + std::to_string(failed) + " without a forecast, with the reason in its line";
  return text + (where.empty() ? "" : "; " + where) + "\n";
}

TableForecastOptions OptionsOf(const ForecastArguments& arguments) {
  TableForecastOptions all;
  ForecastOptions& options = all.forecast;
  all.seasons_from_calendar = arguments.season == "auto";
  all.backtest = arguments.backtest;
  options.horizon = arguments.horizon;
  options.transform = TransformChoiceFromName(arguments.transform);
  options.levels = Numbers(arguments.level, "--level");
  options.fast = arguments.fast;
  options.components = arguments.explain;
  options.anomalies = arguments.anomalies;
  if (arguments.season != "auto" && arguments.season != "none") options.seasons = Numbers(arguments.season, "--season");
  options.Validate();
  if (arguments.resume && arguments.output.empty()) {
    throw Error(ErrorCode::kUsage, "--resume goes on with the file of --output; name it");
  }
  if (arguments.resume && arguments.common.json) {
    throw Error(ErrorCode::kUsage, "--resume writes CSV; leave out --json");
  }
  return all;
}

void Wait(Communicator& group) {
  double nothing = 0;
  group.AllReduceSum(&nothing, 1);
}

// What is left of a run when its series are done.
struct ForecastOutcome {
  double finished = 0, failed = 0;     // series, of all processes
  std::vector<ForecastedSeries> kept;  // those to be shown
};

// Results leave a few hundred at a time, so that memory does not grow with their number. Over several processes the
// series are dealt out in turn.
ForecastOutcome ForecastAll(const ForecastArguments& arguments, const TableForecastOptions& all,
                            const SeriesTable& table, const ForecastLayout& layout, PartialOutput& output,
                            Communicator& group) {
  std::vector<std::size_t> todo;
  std::size_t left = 0;
  for (std::size_t k = 0; k < table.size(); ++k) {
    if (output.Done(k)) continue;
    if (left++ % static_cast<std::size_t>(group.size()) == static_cast<std::size_t>(group.rank())) todo.push_back(k);
  }
  constexpr std::size_t kChunk = 256;
  const bool keep = arguments.common.json || (todo.size() == 1 && left == 1);
  const bool to_stdout = arguments.output.empty() && !keep;
  ForecastOutcome outcome;
  ThreadPool pool(ResolveThreads(arguments.common.threads));
  Progress progress("series", arguments.common.quiet || todo.size() < 20 || group.rank() > 0);
  if (to_stdout) WriteStdout(ForecastHeader(layout));
  const Stopwatch clock;
  for (std::size_t begin = 0; begin < todo.size(); begin += kChunk) {
    const std::size_t count = std::min(kChunk, todo.size() - begin);
    std::vector<ForecastedSeries> chunk(count);
    std::string interrupted;
    try {
      pool.Run(static_cast<int>(count), [&](int k, int) {
        const auto place = static_cast<std::size_t>(k);
        chunk[place] = ForecastOf(table, todo[begin + place], all, StopToken());
      });
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kInterrupted) throw;
      interrupted = "interrupted while forecasting";
    }
    std::string rows;
    for (ForecastedSeries& one : chunk) {
      if (!one.forecast.ok && one.forecast.reason.empty()) continue;  // stopped before its turn
      outcome.finished += 1;
      outcome.failed += one.forecast.ok ? 0 : 1;
      rows += ForecastRows(layout, one);
      const bool drawn = !arguments.plot.empty() && outcome.kept.size() < 9;
      if (keep || drawn) outcome.kept.push_back(std::move(one));
    }
    if (to_stdout) WriteStdout(rows);
    output.Add(rows);
    if (!interrupted.empty()) {
      if (!arguments.output.empty()) {
        interrupted += "; " + std::to_string(output.recovered() + static_cast<std::size_t>(outcome.finished)) +
                       " finished series are in " + output.partial() + ", go on with --resume";
      }
      throw Error(ErrorCode::kInterrupted, interrupted);
    }
    const double done = static_cast<double>(begin + count), seconds = std::max(clock.Milliseconds() / 1000, 1e-3);
    progress.Update(static_cast<int>(begin + count), static_cast<int>(todo.size()),
                    seconds / done * (static_cast<double>(todo.size()) - done), Short(done / seconds) + " a second");
  }
  output.Close();
  return outcome;
}

// "priors learned from 200 series: held-out score 0.97 of that with the library's"
std::string LearningText(const ForecastPriors::Learning& learning) {
  const std::string from = std::to_string(learning.series) + " series";
  if (learning.share == 0) return "the library's priors forecast the last steps of " + from + " best and were kept";
  return "priors learned from " + from + (learning.share < 1 ? ", half way" : "") + ": held-out score " +
         Short(learning.score) + " of that with the library's";
}

// Priors of a run: learned by one process for all, and kept for a run that resumes this one.
ForecastPriors LearnOnce(const ForecastArguments& arguments, const TableForecastOptions& all, const SeriesTable& table,
                         PartialOutput& output, Communicator& group) {
  std::string text;
  if (group.rank() == 0) {
    text = output.KeptPriors();
    if (text.empty()) {
      text = LearnPriorsOf(table, all, arguments.learn_priors, arguments.common.seed, arguments.common.threads,
                           StopToken())
                 .Text();
      output.KeepPriors(text);
    }
  }
  return ForecastPriors::FromText(BroadcastText(group, std::move(text)));
}

void ForecastTogether(const ForecastArguments& arguments, Communicator& group) {
  TableForecastOptions all = OptionsOf(arguments);
  if (group.size() > 1 && (arguments.output.empty() || arguments.common.json || !arguments.plot.empty())) {
    throw Error(ErrorCode::kUsage,
                "several processes write their forecasts to a file of CSV: name it with --output, and leave out --json "
                "and --plot");
  }
  const Stopwatch clock;
  const SeriesTable table = SeriesTable::Read(
      arguments.data, {arguments.time, arguments.target, SplitAtCommas(arguments.by), arguments.format});
  const ForecastLayout layout{table.by_names(), table.time_name(), table.target_name(), all.forecast.levels};
  PartialOutput output(arguments.output, ForecastHeader(layout), table, all.forecast.horizon);
  if (group.rank() == 0) output.Prepare(arguments.resume, arguments.learn_priors > 0);
  Wait(group);
  if (arguments.learn_priors > 0) all.forecast.priors = LearnOnce(arguments, all, table, output, group);
  output.Recover();
  Wait(group);
  output.Open(group.rank());
  SetPatience(30);
  const Stopwatch forecasting;
  ForecastOutcome outcome = ForecastAll(arguments, all, table, layout, output, group);
  double counts[2] = {outcome.finished, outcome.failed};
  group.AllReduceSum(counts, 2);
  if (group.rank() > 0) return;
  output.Finish(group.size());
  const double seconds = clock.Milliseconds() / 1000;
  if (!arguments.plot.empty()) {
    OutputFiles files;
    files.Add(arguments.plot, ForecastPlot(layout, outcome.kept, arguments.explain));
    files.Write(arguments.common.quiet);
  }
  if (arguments.common.json) {
    WriteStdout(JsonText(
        ForecastDocument(layout, outcome.kept, 1000 * seconds, forecasting.Milliseconds(), all.forecast.priors)));
    return;
  }
  const bool one = table.size() == 1 && outcome.kept.size() == 1 && layout.by_names.empty();
  if (one && !outcome.kept[0].forecast.ok) {
    throw Error(ErrorCode::kBadInput, arguments.data + ": no forecast: " + outcome.kept[0].forecast.reason);
  }
  std::string where = arguments.output.empty() ? "" : "wrote " + arguments.output;
  if (arguments.learn_priors > 0) {
    const std::string learned = LearningText(all.forecast.priors.learning());
    where = where.empty() ? learned : learned + "; " + where;
  }
  const std::string text =
      one ? ForecastText(layout, outcome.kept[0], arguments.explain)
          : Summary(static_cast<std::size_t>(counts[0]), static_cast<std::size_t>(counts[1]), seconds, where);
  if (arguments.output.empty() && !one) {
    if (!arguments.common.quiet) Message(text.substr(0, text.size() - 1));
    return;
  }
  WriteStdout(text);
}

void RunForecast(const ForecastArguments& arguments) {
  const std::unique_ptr<Communicator> group = OpenProcessGroup();
  RunTogether(*group, [&] { ForecastTogether(arguments, *group); });
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
  command->add_option("--date-format,--format", options->format, "How dates are written, for example %d.%m.%y")
      ->type_name("FORMAT");
  command->add_option("--season", options->season, "auto, none, or periods in steps: 12 or 7,365.25 [auto]")
      ->type_name("LIST");
  command->add_option("--level", options->level, "Levels of the intervals in percent [80,95]")->type_name("LIST");
  command->add_option("--transform", options->transform, "auto, none, log or boxcox [auto]")->type_name("NAME");
  command->add_option("--backtest", options->backtest, "Score forecasts from K earlier ends of the series")
      ->type_name("K")
      ->check(CLI::Range(0, 1000));
  command->add_flag("--explain", options->explain, "Show trend, seasons and the kernels that were averaged");
  command->add_flag("--anomalies", options->anomalies, "List values of the past that do not fit");
  command
      ->add_option("--learn-priors", options->learn_priors,
                   "With --by: first learn from N of the series what is usual among them [0]")
      ->type_name("N")
      ->check(CLI::Range(0, 100000));
  command->add_flag("--fast", options->fast, "Two fits a series instead of eight");
  command->add_option("-o,--output", options->output, "Write forecasts as CSV")->type_name("FILE");
  command->add_option("--plot", options->plot, "Draw up to nine series (SVG)")->type_name("FILE");
  command->add_flag("--resume", options->resume, "Go on with what an interrupted run left in FILE.partial");
  AddCommonOptions(*command, options->common);
  command->footer(kForecastExamples);
  command->callback([options, &selected] { selected.run = [options] { RunForecast(*options); }; });
}

}  // namespace instantgp::cli
