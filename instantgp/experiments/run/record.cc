#include "instantgp/experiments/run/record.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "instantgp/base/error.h"
#include "instantgp/base/from_chars.h"
#include "instantgp/data/csv_lexer.h"

namespace instantgp {
namespace {

constexpr std::array<std::pair<const char*, Metric>, 9> kNumbers = {{{"rmse", &Record::rmse},
                                                                     {"nll", &Record::nll},
                                                                     {"nlml", &Record::nlml},
                                                                     {"coverage50", &Record::coverage50},
                                                                     {"coverage90", &Record::coverage90},
                                                                     {"coverage95", &Record::coverage95},
                                                                     {"crps", &Record::crps},
                                                                     {"seconds", &Record::seconds},
                                                                     {"cpu_seconds", &Record::cpu_seconds}}};

std::string HeaderLine() {
  std::string line = "dataset,split,structure,method";
  for (const auto& [name, member] : kNumbers) line += std::string(",") + name;
  return line + ",evaluations,status";
}

std::string Quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r#; \t") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? "\"\"" : c == '\n' || c == '\r' ? " " : std::string(1, c);
  return quoted + "\"";
}

std::string NumberText(double value) {
  if (!std::isfinite(value)) return "";
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

template <typename T>
bool ReadNumber(const std::string& text, T& value) {
  const auto [end, error] = FromChars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

void SetScores(const PredictiveScores& scores, Record& record) {
  record.rmse = scores.rmse;
  record.nll = scores.nll;
  record.coverage50 = scores.coverage50;
  record.coverage90 = scores.coverage90;
  record.coverage95 = scores.coverage95;
  record.crps = scores.crps;
}

std::string RecordsToCsv(const std::vector<Record>& records) {
  std::string text = HeaderLine() + "\n";
  for (const Record& r : records) {
    text += Quoted(r.dataset) + "," + std::to_string(r.split) + "," + Quoted(r.structure) + "," + Quoted(r.method);
    for (const auto& [name, member] : kNumbers) text += "," + NumberText(r.*member);
    text += "," + std::to_string(r.evaluations) + "," + Quoted(r.status) + "\n";
  }
  return text;
}

std::vector<Record> RecordsFromCsv(std::string_view text, const std::string& origin) {
  const std::string header = HeaderLine();
  std::vector<Record> records;
  const auto fail = [&](int line, const std::string& what) {
    throw Error(ErrorCode::kBadInput,
                origin + ", line " + std::to_string(line) + ": " + what +
                    "; this is not a file of records. Choose another folder for the results or remove it.");
  };
  CsvLexer lexer(text, ',');
  std::vector<CsvCell> cells;
  bool first = true;
  while (lexer.Next(cells)) {
    if (first) {
      std::string names;
      for (const CsvCell& task : cells) names += (names.empty() ? "" : ",") + task.text();
      if (names != header) fail(lexer.line(), "the header is not '" + header + "'");
      first = false;
      continue;
    }
    if (cells.size() != kNumbers.size() + 6) fail(lexer.line(), "the number of cells is wrong");
    Record r;
    r.dataset = cells[0].text();
    r.structure = cells[2].text();
    r.method = cells[3].text();
    r.status = cells.back().text();
    bool good = ReadNumber(cells[1].text(), r.split) && ReadNumber(cells[kNumbers.size() + 4].text(), r.evaluations);
    for (std::size_t k = 0; k < kNumbers.size(); ++k) {
      const std::string number = cells[4 + k].text();
      good = good && (number.empty() || ReadNumber(number, r.*kNumbers[k].second));
    }
    if (!good) fail(lexer.line(), "a cell is not a number");
    records.push_back(std::move(r));
  }
  if (!lexer.problem().empty()) fail(lexer.problem_line(), lexer.problem());
  if (first) fail(1, "it is empty");
  return records;
}

std::string RecordsToJson(const std::vector<Record>& records) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Record& r : records) {
    nlohmann::ordered_json row = {
        {"dataset", r.dataset}, {"split", r.split}, {"structure", r.structure}, {"method", r.method}};
    for (const auto& [name, member] : kNumbers) {
      row[name] = std::isfinite(r.*member) ? nlohmann::ordered_json(r.*member) : nlohmann::ordered_json(nullptr);
    }
    row["evaluations"] = r.evaluations;
    row["status"] = r.status;
    list.push_back(std::move(row));
  }
  return list.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace instantgp
