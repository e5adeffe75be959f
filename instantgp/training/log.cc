#include "instantgp/training/log.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "instantgp/base/error.h"
#include "instantgp/base/file.h"
#include "instantgp/plot/figure.h"

namespace instantgp {
namespace {

using Json = nlohmann::ordered_json;

// The scalar columns, in order: visit(name, field). Shared by CSV and JSON, reading and writing.
template <typename Record, typename Visit>
void VisitColumns(Record& r, Visit&& visit) {
  visit("step", r.step), visit("datasets", r.datasets), visit("minutes", r.minutes), visit("progress", r.progress);
  visit("max_d", r.max_d), visit("loss", r.loss), visit("gradient_norm", r.gradient_norm);
  visit("learning_rate", r.learning_rate), visit("datasets_per_second", r.datasets_per_second);
  visit("clipped_share", r.clipped_share), visit("skipped", r.skipped);
  visit("selection", r.selection), visit("score", r.validation.score), visit("failed", r.validation.failed);
}
template <typename Report, typename Visit>
void VisitSummaries(Report& v, Visit&& visit) {
  visit("gap", v.truth), visit("gap_per", v.truth_with_per), visit("gap_no_per", v.truth_without_per);
  visit("type2_gap", v.type2), visit("type2_gap_positives", v.type2_positives);
}

// The columns of the tables component; in JSON its figures are an object of their own, "tables".
template <typename Report, typename Visit>
void VisitTables(Report& v, Visit&& visit) {
  visit("score", v.score), visit("failed", v.failed);
}
template <typename Report, typename Visit>
void VisitTablesSummaries(Report& v, Visit&& visit) {
  visit("gap", v.truth), visit("gap_per", v.truth_with_per), visit("gap_no_per", v.truth_without_per);
}

std::string Number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.8g", value);
  return text;
}
std::string Number(std::int64_t value) { return std::to_string(value); }
std::string Number(int value) { return std::to_string(value); }

Json Write(const GapSummary& s) { return {{"count", s.count}, {"mean", s.mean}, {"median", s.median}, {"p90", s.p90}}; }
GapSummary ReadSummary(const Json& json) {
  return {json.at("count").get<int>(), json.at("mean").get<double>(), json.at("median").get<double>(),
          json.at("p90").get<double>()};
}

Json WriteByD(const std::map<int, GapSummary>& by_d) {
  Json json = Json::object();
  for (const auto& [d, summary] : by_d) json[std::to_string(d)] = Write(summary);
  return json;
}
std::map<int, GapSummary> ReadByD(const Json& json) {
  std::map<int, GapSummary> by_d;
  for (const auto& [d, summary] : json.items()) by_d[std::stoi(d)] = ReadSummary(summary);
  return by_d;
}

// Cuts the file to `bytes`, or creates it.
void Prepare(const std::string& path, std::int64_t bytes) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::exists(path, error)) {
    WriteFileAtomically(path, "");
    return;
  }
  const auto size = static_cast<std::int64_t>(fs::file_size(path, error));
  if (!error && size > bytes) fs::resize_file(path, static_cast<std::uintmax_t>(bytes), error);
  if (error) throw Error(ErrorCode::kFailure, "cannot truncate the log '" + path + "': " + error.message());
}

std::int64_t AppendTo(const std::string& path, const std::string& text) {
  std::ofstream file;
  do {  // a signal while it is opened is no error
    errno = 0;
    file.clear();
    file.open(path, std::ios::app | std::ios::binary);
  } while (!file && errno == EINTR);
  file << text << std::flush;
  if (!file) {
    throw Error(ErrorCode::kFailure,
                "cannot write the log '" + path + "'; check that the folder is writable and that the disk is not full");
  }
  return static_cast<std::int64_t>(file.tellp());
}

}  // namespace

std::string CsvHeader() {
  LogRecord record;
  std::string line;
  VisitColumns(record, [&](const char* key, const auto&) { line += (line.empty() ? "" : ",") + std::string(key); });
  VisitSummaries(record.validation, [&](const char* key, const GapSummary&) {
    for (const char* what : {"mean", "median", "p90"}) line += "," + std::string(key) + "_" + what;
  });
  VisitTables(record.validation, [&](const char* key, const auto&) { line += ",tables_" + std::string(key); });
  VisitTablesSummaries(record.validation, [&](const char* key, const GapSummary&) {
    for (const char* what : {"mean", "median", "p90"}) line += ",tables_" + std::string(key) + "_" + what;
  });
  return line + "\n";
}

std::string ToCsvLine(const LogRecord& record) {
  std::string line;
  VisitColumns(record, [&](const char*, const auto& value) { line += (line.empty() ? "" : ",") + Number(value); });
  VisitSummaries(record.validation, [&](const char*, const GapSummary& s) {
    for (const double value : {s.mean, s.median, s.p90}) line += "," + (s.count > 0 ? Number(value) : std::string());
  });
  const ValidationReport tables = record.tables.value_or(ValidationReport{});
  VisitTables(tables,
              [&](const char*, const auto& value) { line += "," + (record.tables ? Number(value) : std::string()); });
  VisitTablesSummaries(tables, [&](const char*, const GapSummary& s) {
    for (const double value : {s.mean, s.median, s.p90}) line += "," + (s.count > 0 ? Number(value) : std::string());
  });
  return line + "\n";
}

std::string ToJsonLine(const LogRecord& record) {
  Json json = Json::object();
  VisitColumns(record, [&](const char* key, const auto& value) { json[key] = value; });
  VisitSummaries(record.validation, [&](const char* key, const GapSummary& s) { json[key] = Write(s); });
  json["gap_by_d"] = WriteByD(record.validation.truth_by_d);
  if (record.tables) {
    Json& tables = json["tables"] = Json::object();
    VisitTables(*record.tables, [&](const char* key, const auto& value) { tables[key] = value; });
    VisitTablesSummaries(*record.tables, [&](const char* key, const GapSummary& s) { tables[key] = Write(s); });
    tables["gap_by_d"] = WriteByD(record.tables->truth_by_d);
  }
  return json.dump() + "\n";
}

LogRecord ParseJsonLine(const std::string& line) {
  try {
    const Json json = Json::parse(line);
    LogRecord record;
    VisitColumns(record, [&](const char* key, auto& value) { json.at(key).get_to(value); });
    VisitSummaries(record.validation, [&](const char* key, GapSummary& s) { s = ReadSummary(json.at(key)); });
    record.validation.truth_by_d = ReadByD(json.at("gap_by_d"));
    if (json.contains("tables")) {
      const Json& tables = json.at("tables");
      ValidationReport& report = record.tables.emplace();
      VisitTables(report, [&](const char* key, auto& value) { tables.at(key).get_to(value); });
      VisitTablesSummaries(report, [&](const char* key, GapSummary& s) { s = ReadSummary(tables.at(key)); });
      report.truth_by_d = ReadByD(tables.at("gap_by_d"));
    }
    return record;
  } catch (const std::exception& error) {
    throw Error(ErrorCode::kBadInput, std::string("a line of the training log cannot be read: ") + error.what());
  }
}

TrainingLog::TrainingLog(const std::string& folder, std::int64_t csv_bytes, std::int64_t jsonl_bytes)
    : csv_path_(folder + "/log.csv"), jsonl_path_(folder + "/log.jsonl") {
  Prepare(csv_path_, csv_bytes);
  Prepare(jsonl_path_, jsonl_bytes);
  csv_bytes_ = static_cast<std::int64_t>(std::filesystem::file_size(csv_path_));
  jsonl_bytes_ = static_cast<std::int64_t>(std::filesystem::file_size(jsonl_path_));
  if (csv_bytes_ == 0) csv_bytes_ = AppendTo(csv_path_, CsvHeader());
  std::istringstream lines(ReadFile(jsonl_path_));
  for (std::string line; std::getline(lines, line);) records_.push_back(ParseJsonLine(line));
}

void TrainingLog::Append(const LogRecord& record) {
  csv_bytes_ = AppendTo(csv_path_, ToCsvLine(record));
  jsonl_bytes_ = AppendTo(jsonl_path_, ToJsonLine(record));
  records_.push_back(record);
}

std::string LearningCurveSvg(const std::vector<LogRecord>& records) {
  const auto count = static_cast<Index>(records.size());
  Vector datasets(count), loss(count), mean(count), median(count), p90(count), type2(count), tables(count);
  bool with_tables = false;
  for (Index i = 0; i < count; ++i) {
    const LogRecord& r = records[i];
    datasets[i] = static_cast<double>(r.datasets) / 1000;
    loss[i] = r.loss;
    mean[i] = r.validation.truth.mean;
    median[i] = r.validation.truth.median;
    p90[i] = r.validation.truth.p90;
    type2[i] = r.validation.type2.count > 0 ? r.validation.type2.median : std::nan("");
    tables[i] = r.tables ? r.tables->truth.mean : std::nan("");
    with_tables = with_tables || r.tables;
  }
  plot::Figure figure(1, 2);
  figure.At(0, 0).Title("Training loss").XLabel("thousand datasets").YLabel("loss per dataset").Line(datasets, loss);
  plot::Axes& gaps = figure.At(0, 1);
  gaps.Title("Validation").XLabel("thousand datasets").YLabel("NLML gap per point").YScale(plot::Scale::kLog);
  gaps.Line(datasets, p90, {plot::PaletteColor(2)}, "90th percentile");
  gaps.Line(datasets, mean, {plot::PaletteColor(1)}, "mean");
  gaps.Line(datasets, median, {plot::PaletteColor(0)}, "median");
  gaps.Line(datasets, type2, {plot::PaletteColor(3), 1.6, true}, "median to type-2 ML");
  if (with_tables) gaps.Line(datasets, tables, {plot::PaletteColor(4), 1.6, true}, "mean on tables");
  return figure.ToSvg();
}

}  // namespace instantgp
