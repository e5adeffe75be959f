// Counters in the text format of Prometheus.
#pragma once

#include <array>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace instantgp::serve {

class Metrics {
 public:
  void Count(std::string_view route, int status, double seconds);
  std::string Text() const;

 private:
  static constexpr std::array<double, 10> kBuckets = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10, 60};
  struct Durations {
    std::array<long, kBuckets.size()> below = {};
    long count = 0;
    double sum = 0;
  };

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, long, std::less<>> requests_;
  std::map<std::string, Durations, std::less<>> durations_;
};

}  // namespace instantgp::serve
