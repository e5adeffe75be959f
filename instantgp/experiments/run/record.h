// One row of an experiment: a method on one training set, scored on its test set.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "instantgp/model/scores.h"

namespace instantgp {

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// All scores on targets standardised by the training part. NaN where there is no value: a fit that failed has only a
// status.
struct Record {
  std::string dataset;
  int split = 0;
  std::string structure;  // kernel text
  std::string method;
  double rmse = kUnknown;
  double nll = kUnknown;
  double nlml = kUnknown;  // of the training part, per point; svgp: its bound
  double coverage50 = kUnknown, coverage90 = kUnknown, coverage95 = kUnknown;
  double crps = kUnknown;
  double seconds = kUnknown;  // wall time from table to fitted model
  // Of the one thread that fits: what `seconds` would be on a machine with nothing else to do. Ratios are taken of it.
  double cpu_seconds = kUnknown;
  int evaluations = 0;        // of the objective
  std::string status = "ok";  // or "numerical: ...", "limit: ..."

  bool ok() const { return status == "ok"; }
};

void SetScores(const PredictiveScores& scores, Record& record);

// A number of a record by its column's name, for tables and figures.
using Metric = double Record::*;

// A header line and a row each; numbers with 17 digits, so that reading gives the same bits back.
std::string RecordsToCsv(const std::vector<Record>& records);
// Throws Error(kBadInput) naming origin and line when it is not what RecordsToCsv writes.
std::vector<Record> RecordsFromCsv(std::string_view text, const std::string& origin);

// A list of objects with the CSV's names; null where there is no value.
std::string RecordsToJson(const std::vector<Record>& records);

}  // namespace instantgp
