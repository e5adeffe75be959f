// What every command shares: common options, output helpers, and how a command registers itself.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "instantgp/base/matrix.h"

namespace instantgp::cli {

using Json = nlohmann::ordered_json;

struct CommonOptions {
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  std::uint64_t seed = 0;
  int threads = 0;
};

// --json --seed --threads --quiet --verbose --version.
void AddCommonOptions(CLI::App& command, CommonOptions& options);

// Help as we print it: the whole command in the usage line, options without CLI11's remarks on ranges and exclusions.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
};

// What main runs once the arguments are understood.
struct Selected {
  std::function<void()> run;
};

// Each adds one subcommand, whose callback sets selected.run.
void RegisterFit(CLI::App& app, Selected& selected);
void RegisterPredict(CLI::App& app, Selected& selected);
void RegisterEnsemble(CLI::App& app, Selected& selected);
void RegisterSearch(CLI::App& app, Selected& selected);
void RegisterUpdate(CLI::App& app, Selected& selected);
void RegisterSimulate(CLI::App& app, Selected& selected);
void RegisterTrain(CLI::App& app, Selected& selected);
void RegisterForecast(CLI::App& app, Selected& selected);
void RegisterEvaluate(CLI::App& app, Selected& selected);
void RegisterServe(CLI::App& app, Selected& selected);  // apps/serve
void RegisterInfo(CLI::App& app, Selected& selected);

// Files to be written together once everything that can fail has been computed.
class OutputFiles {
 public:
  void Add(std::string path, std::string bytes);
  // A file that `write` makes at the path given to it, without a copy in memory of all its bytes.
  void Add(std::string path, std::function<void(const std::string& path)> write);
  // Atomic each; says "wrote PATH" on stderr unless quiet.
  void Write(bool quiet) const;

 private:
  std::vector<std::pair<std::string, std::function<void(const std::string&)>>> files_;
};

// The document as text. Numbers that are not finite become null and add a line to document["warnings"].
std::string JsonText(Json document);

Json ToJson(const Vector& values);
Json RowsToJson(const Matrix& values);  // list of rows

// Four significant digits, for people; "out of range" for what a double cannot hold.
std::string Short(double value);
// A text table with two blanks between columns; the first `left` columns are aligned left, the others right. Every line
// is indented by two blanks.
std::string FormatTable(const std::vector<std::vector<std::string>>& rows, int left);
// "a,b" as a and b; nothing for an empty list.
std::vector<std::string> SplitAtCommas(const std::string& list);
// "1 row", "2 rows"
std::string Count(long number, const std::string& noun);

}  // namespace instantgp::cli
