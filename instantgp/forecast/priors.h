// What is known about the parameters of a forecast's kernels before a series is seen: log theta ~ N(mean, std^2).
//
// The library brings its own (series_kernel.cc). Many series of one kind say better what is usual among them
// (learn_priors.h): those are kept here by name, as "walk.seasons.WIE.variance", and put in place of ours. As text they
// go into files and to other processes, to the last digit.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "instantgp/base/export.h"

namespace instantgp {

struct INSTANTGP_EXPORT LogNormalPrior {
  double mean = 0, std = 1;  // of the logarithm
  bool operator==(const LogNormalPrior&) const = default;
};

class INSTANTGP_EXPORT ForecastPriors {
 public:
  ForecastPriors() = default;  // nothing learned
  // What Text() wrote. Error(kBadInput) naming the line for anything else.
  static ForecastPriors FromText(std::string_view text);
  std::string Text() const;

  void Set(const std::string& name, const LogNormalPrior& prior);
  std::optional<LogNormalPrior> Find(const std::string& name) const;
  bool empty() const { return priors_.empty(); }
  const std::map<std::string, LogNormalPrior>& all() const { return priors_; }

  // How they were learned.
  struct Learning {
    int series = 0;    // that took part
    double share = 0;  // of the way from the library's priors to what the series say; 0: the library's forecast best
    double score = 1;  // of forecasts of what was held out, as a part of the score of the library's priors
    bool operator==(const Learning&) const = default;
  };
  const Learning& learning() const { return learning_; }
  void set_learning(const Learning& learning) { learning_ = learning; }
  bool operator==(const ForecastPriors&) const = default;

 private:
  std::map<std::string, LogNormalPrior> priors_;
  Learning learning_;
};

}  // namespace instantgp
