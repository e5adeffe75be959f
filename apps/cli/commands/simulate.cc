// `instantgp simulate`: datasets from the training distribution or from a given kernel.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

#include "apps/cli/options/common.h"
#include "apps/cli/terminal/interrupt.h"
#include "apps/cli/terminal/terminal.h"
#include "instantgp/base/error.h"
#include "instantgp/base/version.h"
#include "instantgp/data/csv.h"
#include "instantgp/kernel/parameters.h"
#include "instantgp/simulate/distribution.h"
#include "instantgp/simulate/from_kernel.h"

namespace instantgp::cli {
namespace {

constexpr char kSimulateHelp[] = "Draw datasets from the training distribution or from a given kernel.";

constexpr char kSimulateExamples[] =
    R"(Without --kernel, the structure, its parameters, n and d are drawn like the network's training data. With --kernel,
the parameters are drawn from their priors unless --parameters and --noise fix them. Inputs are uniform on (0, 1).
The first lines of the CSV are comments that say what it was drawn from.

Examples:
  instantgp simulate --seed 7 > data.csv
  instantgp simulate --kernel "SE + PER" --n 100 --parameters 1,0.2,0.5,1,0.25 --noise 0.01 --out data.csv
  instantgp simulate --count 20 --d 2 --out datasets/)";

struct SimulateArguments {
  CommonOptions common;
  std::optional<int> n, d;
  std::string kernel, out;
  std::vector<double> parameters;
  std::optional<double> noise;
  int count = 1;
};

// One drawn dataset with what it was drawn from.
struct Drawn {
  Matrix X;
  Vector y;
  Expression expression;
  LogParameters theta;
};

KernelRequest RequestOf(const SimulateArguments& options) {
  KernelRequest request;
  request.kernel = options.kernel;
  if (options.n) request.n = *options.n;
  request.d = options.d;
  request.parameters = options.parameters;
  request.noise_variance = options.noise;
  return request;
}

void CheckOptions(const SimulateArguments& options) {
  const bool parameters = !options.parameters.empty() || options.noise;
  if (parameters && options.kernel.empty()) {
    throw Error(ErrorCode::kUsage, "--parameters and --noise go with a kernel; add --kernel EXPR");
  }
  if (options.count > 1 && options.out.empty() && !options.common.json) {
    throw Error(ErrorCode::kUsage, "several datasets need a folder (--out DIR) or --json");
  }
  // A fixed --n is checked here for both kinds of draws.
  RequestOf(options).Validate();
}

Drawn DrawFromKernel(const SimulateArguments& options, std::uint64_t index) {
  KernelDraw draw = SimulateKernel(RequestOf(options), options.common.seed, index);
  return {std::move(draw.function.X), std::move(draw.function.y), std::move(draw.expression),
          std::move(draw.function.theta)};
}

Drawn DrawFromDistribution(const SimulateArguments& options, std::uint64_t index) {
  SimulationOptions simulation;
  simulation.n = options.n;
  simulation.d = options.d;
  simulation.positives_only = true;
  Simulated draw = Simulate(simulation, options.common.seed, index);
  return {std::move(draw.X), std::move(draw.y), ToExpression(draw.truth), std::move(draw.theta)};
}

std::string CsvOf(const Drawn& drawn, const SimulateArguments& options, std::uint64_t index) {
  const std::vector<std::string> columns = DefaultColumnNames(static_cast<int>(drawn.X.cols()));
  std::string text = "# instantgp " + std::string(kVersion) + " simulate, seed " + std::to_string(options.common.seed) +
                     ", dataset " + std::to_string(index) + "\n# kernel: " + Print(drawn.expression, columns) + "\n";
  const ParameterTable table(drawn.expression);
  for (std::size_t i = 0; i < table.size(); ++i) {
    char value[32];
    std::snprintf(value, sizeof value, "%.17g", std::exp(drawn.theta[static_cast<Index>(i)]));
    text += "# " + std::string(Name(table[i].elementary)) + "(" + columns[table[i].column] + ") " +
            std::string(Name(table[i].kind)) + ": " + value + "\n";
  }
  char noise[32];
  std::snprintf(noise, sizeof noise, "%.17g", std::exp(drawn.theta.noise()));
  text += std::string("# noise variance: ") + noise + "\n";
  std::vector<std::string> names = columns;
  names.push_back("y");
  Matrix values(drawn.X.rows(), drawn.X.cols() + 1);
  values << drawn.X, drawn.y;
  return text + FormatCsv(names, values);
}

Json JsonOf(const Drawn& drawn, std::uint64_t index) {
  const std::vector<std::string> columns = DefaultColumnNames(static_cast<int>(drawn.X.cols()));
  Json j;
  j["index"] = index;
  j["kernel"] = Print(drawn.expression, columns);
  j["n"] = drawn.X.rows();
  j["d"] = drawn.X.cols();
  j["parameters"] = Json::array();
  const ParameterTable table(drawn.expression);
  for (std::size_t i = 0; i < table.size(); ++i) {
    j["parameters"].push_back(
        {{"dimension", table[i].column + 1},
         {"column", columns[table[i].column]},
         {"symbol", table[i].symbol},
         {"name", std::string(Name(table[i].elementary)) + " " + std::string(Name(table[i].kind))},
         {"value", std::exp(drawn.theta[static_cast<Index>(i)])}});
  }
  j["noise_variance"] = std::exp(drawn.theta.noise());
  j["X"] = RowsToJson(drawn.X);
  j["y"] = ToJson(drawn.y);
  return j;
}

std::string FileName(const SimulateArguments& options, int k) {
  if (options.count == 1) return options.out;
  std::string number = std::to_string(k + 1);
  const std::size_t digits = std::max<std::size_t>(3, std::to_string(options.count).size());
  number.insert(0, digits - number.size(), '0');
  return (std::filesystem::path(options.out) / ("simulated-" + number + ".csv")).string();
}

void RunSimulate(const SimulateArguments& options) {
  CheckOptions(options);
  const bool to_files = !options.out.empty() && options.out != "-";
  if (to_files && options.count > 1) {
    std::error_code failed;
    std::filesystem::create_directories(options.out, failed);
    if (failed) throw Error(ErrorCode::kFailure, "cannot create the folder " + options.out + ": " + failed.message());
  }
  Json datasets = Json::array();
  std::string text;
  for (int k = 0; k < options.count; ++k) {
    if (StopToken().stop_requested()) throw Error(ErrorCode::kInterrupted, "interrupted");
    const Drawn drawn = options.kernel.empty() ? DrawFromDistribution(options, k) : DrawFromKernel(options, k);
    if (options.common.json) datasets.push_back(JsonOf(drawn, k));
    if (to_files) {
      OutputFiles file;
      file.Add(FileName(options, k), CsvOf(drawn, options, k));
      file.Write(options.common.quiet || options.count > 1);
    } else if (!options.common.json) {
      text += CsvOf(drawn, options, k);
    }
  }
  if (to_files && options.count > 1 && !options.common.quiet) {
    Message("wrote " + Count(options.count, "dataset") + " to " + options.out);
  }
  if (options.common.json) {
    Json document;
    document["schema"] = "instantgp/simulate/1";
    document["version"] = kVersion;
    document["seed"] = options.common.seed;
    document["datasets"] = std::move(datasets);
    document["warnings"] = Json::array();
    text = JsonText(std::move(document));
  }
  WriteStdout(text);
}

}  // namespace

void RegisterSimulate(CLI::App& app, Selected& selected) {
  auto options = std::make_shared<SimulateArguments>();
  CLI::App* command = app.add_subcommand("simulate", kSimulateHelp);
  command->add_option("--n", options->n, "Rows [10 to 250 at random; 100 with --kernel]")
      ->type_name("N")
      ->check(CLI::Range(1, 10000000));
  command->add_option("--d", options->d, "Input columns x1..xD [1 to 8 at random; with --kernel, as it needs]")
      ->type_name("D")
      ->check(CLI::Range(1, 1000));
  command->add_option("-k,--kernel", options->kernel, "Kernel expression over x1, x2, ...")->type_name("EXPR");
  command->add_option("--parameters", options->parameters, "Kernel parameters, in the order in which they are printed")
      ->type_name("V,V,...")
      ->delimiter(',');
  command->add_option("--noise", options->noise, "Noise variance")->type_name("V");
  command->add_option("--count", options->count, "Number of datasets [1]")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  command->add_option("-o,--out", options->out, "File, or folder for several datasets [stdout]")->type_name("PATH");
  AddCommonOptions(*command, options->common);
  command->footer(kSimulateExamples);
  command->callback([options, &selected] { selected.run = [options] { RunSimulate(*options); }; });
}

}  // namespace instantgp::cli
