#include "apps/cli/options/common.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <mutex>

#include "apps/cli/terminal/interrupt.h"
#include "apps/cli/terminal/terminal.h"
#include "instantgp/base/file.h"
#include "instantgp/base/version.h"

namespace instantgp::cli {
namespace {

// Cells as wide as a terminal shows them: UTF-8 continuation bytes take no place.
std::size_t DisplayWidth(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

void ReplaceNonFinite(Json& value, const std::string& path, std::vector<std::string>& warnings) {
  if (value.is_number_float() && !std::isfinite(value.get<double>())) {
    warnings.push_back(path + " is not a finite number and is printed as null");
    value = nullptr;
  } else if (value.is_object()) {
    for (auto& [key, item] : value.items()) ReplaceNonFinite(item, path.empty() ? key : path + "." + key, warnings);
  } else if (value.is_array()) {
    std::size_t i = 0;
    for (Json& item : value) ReplaceNonFinite(item, path + "[" + std::to_string(i++) + "]", warnings);
  }
}

}  // namespace

std::string HelpFormatter::make_usage(const CLI::App* app, std::string name) const {
  std::string usage = "\nUsage: instantgp";
  if (!app->get_parent()) {
    usage += " COMMAND [OPTIONS]";
  } else {
    usage += " " + (name.empty() ? app->get_name() : name);
    for (const CLI::Option* option : app->get_options([](const CLI::Option* o) { return o->get_positional(); })) {
      const std::string argument = option->get_name(true);
      usage += " " + (option->get_required() ? argument : "[" + argument + "]");
    }
    usage += " [OPTIONS]";
  }
  return usage + "\n";
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  if (option->get_type_size() == 0) return "";
  const std::string type = option->get_type_name();  // "N:INT in [0 - 10]"
  const std::string plain = type.substr(0, type.find(':'));
  return plain.empty() ? "" : " " + plain;
}

void AddCommonOptions(CLI::App& command, CommonOptions& options) {
  const char* group = "Common options";
  command.add_flag("--json", options.json, "Print one JSON document instead of text")->group(group);
  command.add_option("--seed", options.seed, "Seed for everything random [0]")->type_name("N")->group(group);
  command.add_option("--threads", options.threads, "Worker threads [0: one per core]")
      ->type_name("N")
      ->check(CLI::Range(0, 1024))
      ->group(group);
  auto* quiet = command.add_flag("-q,--quiet", options.quiet, "Print no progress and no notes on stderr")->group(group);
  command.add_flag("-v,--verbose", options.verbose, "Print more details")->excludes(quiet)->group(group);
  command.set_version_flag("--version", std::string("instantgp ") + kVersion, "Print the version")->group(group);
  command.set_help_flag();  // made anew, so that its group comes last
  command.set_help_flag("-h,--help", "Print this help")->group(group);
}

void OutputFiles::Add(std::string path, std::string bytes) {
  Add(std::move(path), [bytes = std::move(bytes)](const std::string& to) { WriteFileAtomically(to, bytes); });
}

void OutputFiles::Add(std::string path, std::function<void(const std::string& path)> write) {
  files_.emplace_back(std::move(path), std::move(write));
}

void OutputFiles::Write(bool quiet) const {
  const std::lock_guard<std::mutex> lock(WriteMutex());
  for (const auto& [path, write] : files_) {
    write(path);
    if (!quiet) Message("wrote " + path);
  }
}

std::string JsonText(Json document) {
  std::vector<std::string> added;
  ReplaceNonFinite(document, "", added);
  for (std::string& warning : added) document["warnings"].push_back(std::move(warning));
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json ToJson(const Vector& values) { return Json(std::vector<double>(values.begin(), values.end())); }

Json RowsToJson(const Matrix& values) {
  Json rows = Json::array();
  for (Index i = 0; i < values.rows(); ++i) rows.push_back(ToJson(values.row(i)));
  return rows;
}

std::string Short(double value) {
  if (!std::isfinite(value)) return "out of range";
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::string FormatTable(const std::vector<std::vector<std::string>>& rows, int left) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t j = 0; j < row.size(); ++j) widths[j] = std::max(widths[j], DisplayWidth(row[j]));
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line = " ";
    for (std::size_t j = 0; j < row.size(); ++j) {
      const std::string padding(widths[j] - DisplayWidth(row[j]), ' ');
      const bool first = j == 0;
      line += (first ? " " : "  ");
      line += static_cast<int>(j) < left ? row[j] + padding : padding + row[j];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string Count(long number, const std::string& noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

std::vector<std::string> SplitAtCommas(const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= list.size() && !list.empty();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    parts.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace instantgp::cli
