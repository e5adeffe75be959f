// The M3 competition: 3,003 series with their held-out ends, forecast and scored.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "instantgp/forecast/score.h"

namespace instantgp {

struct ForecastingOptions {
  std::string data;  // folder with m3_yearly.csv, m3_quarterly.csv, m3_monthly.csv, m3_other.csv; those that are there
  bool quick = false;  // every twentieth series
  int threads = 0;
  std::stop_token stop;
  std::function<void(int done, int of, double seconds_left)> progress;
};

struct ForecastingRecord {
  std::string frequency;  // "monthly"
  std::string series;     // "N1402"
  std::string method;     // "forecast", "fast" or "naive"
  int n = 0;
  ForecastScore score;
  double ms = 0;  // of one thread
  std::string status = "ok";
};

struct ForecastingResult {
  std::vector<ForecastingRecord> records;
  std::string markdown;     // tables by frequency: all series, and those with odd numbers, which no prior was tuned on
  std::string records_csv;  // one line per record
};

// The files are long tables "series,index,value,part", part being train or test. Throws Error(kBadInput) when there is
// none, kInterrupted when a stop was requested.
ForecastingResult EvaluateForecasting(const ForecastingOptions& options);

}  // namespace instantgp
