// What a run writes down at every validation: CSV for people and spreadsheets, JSON lines with all details, a curve.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "instantgp/training/validation.h"

namespace instantgp {

struct LogRecord {
  std::int64_t step = 0;
  std::int64_t datasets = 0;
  double minutes = 0;
  double progress = 0;
  double loss = 0;           // mean over the datasets since the last record
  double gradient_norm = 0;  // mean over the steps since the last record, before clipping
  double learning_rate = 0;
  double datasets_per_second = 0;
  double clipped_share = 0;
  std::int64_t skipped = 0;     // since the start
  int max_d = 0;                // the most columns drawn at this stage
  double selection = 0;         // the score that selects the best weights: the mean over the mixture's components
  ValidationReport validation;  // on the paper's distribution
  std::optional<ValidationReport> tables;  // on the tables component, when the mixture has one
};

std::string CsvHeader();
std::string ToCsvLine(const LogRecord& record);
std::string ToJsonLine(const LogRecord& record);
// What ToJsonLine writes; Error(kBadInput) otherwise.
LogRecord ParseJsonLine(const std::string& line);

// FOLDER/log.csv and FOLDER/log.jsonl.
class TrainingLog {
 public:
  // Keeps the first csv_bytes and jsonl_bytes of existing logs and drops what a lost run wrote after its last
  // checkpoint. Error(kFailure) when they cannot be written.
  TrainingLog(const std::string& folder, std::int64_t csv_bytes, std::int64_t jsonl_bytes);

  void Append(const LogRecord& record);
  std::int64_t csv_bytes() const { return csv_bytes_; }
  std::int64_t jsonl_bytes() const { return jsonl_bytes_; }
  const std::vector<LogRecord>& records() const { return records_; }

 private:
  std::string csv_path_;
  std::string jsonl_path_;
  std::int64_t csv_bytes_ = 0;
  std::int64_t jsonl_bytes_ = 0;
  std::vector<LogRecord> records_;
};

// Training loss, and the validation gaps on a logarithmic scale, over datasets seen.
std::string LearningCurveSvg(const std::vector<LogRecord>& records);

}  // namespace instantgp
