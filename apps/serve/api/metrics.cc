#include "apps/serve/api/metrics.h"

#include <cstdio>

namespace instantgp::serve {
namespace {

std::string Digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

}  // namespace

void Metrics::Count(std::string_view route, int status, double seconds) {
  const std::string name(route.empty() ? "other" : route);  // unknown addresses together: their number has no bound
  const std::lock_guard<std::mutex> lock(mutex_);
  ++requests_[{name, status}];
  Durations& durations = durations_[name];
  for (std::size_t k = 0; k < kBuckets.size(); ++k) durations.below[k] += seconds <= kBuckets[k] ? 1 : 0;
  ++durations.count;
  durations.sum += seconds;
}

std::string Metrics::Text() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::string text =
      "# HELP instantgp_requests_total Requests answered, by address and status; 499 is a client that went away.\n"
      "# TYPE instantgp_requests_total counter\n";
  for (const auto& [key, count] : requests_) {
    text += "instantgp_requests_total{path=\"" + key.first + "\",status=\"" + std::to_string(key.second) + "\"} " +
            std::to_string(count) + "\n";
  }
  text +=
      "# HELP instantgp_request_seconds From the first byte of a request to its answer.\n"
      "# TYPE instantgp_request_seconds histogram\n";
  for (const auto& [name, durations] : durations_) {
    const std::string label = "{path=\"" + name + "\"";
    for (std::size_t k = 0; k < kBuckets.size(); ++k) {
      text += "instantgp_request_seconds_bucket" + label + ",le=\"" + Digits(kBuckets[k]) + "\"} " +
              std::to_string(durations.below[k]) + "\n";
    }
    text += "instantgp_request_seconds_bucket" + label + ",le=\"+Inf\"} " + std::to_string(durations.count) + "\n";
    text += "instantgp_request_seconds_sum" + label + "} " + Digits(durations.sum) + "\n";
    text += "instantgp_request_seconds_count" + label + "} " + std::to_string(durations.count) + "\n";
  }
  return text;
}

}  // namespace instantgp::serve
