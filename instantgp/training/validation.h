// A fixed set of datasets of one component, never trained on, and how far the network's answers are from the best known
// ones.
//
//   gap to the truth   = NLML(best hypothesis) - NLML(true parameters),            positives
//   gap to type-2 ML   = NLML(best hypothesis) - NLML(L-BFGS from the standard start),  all, the given structure
// per point, in nats. The true parameters are not the optimum: the gap to the truth can be negative.
#pragma once

#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "instantgp/base/thread_pool.h"
#include "instantgp/network/network.h"
#include "instantgp/simulate/distribution.h"
#include "instantgp/training/communicator.h"
#include "instantgp/training/config.h"

namespace instantgp {

struct GapSummary {
  int count = 0;
  double mean = 0;
  double median = 0;
  double p90 = 0;
};
// Quantiles by linear interpolation; all zero for an empty list.
GapSummary Summarize(std::vector<double> gaps);

struct ValidationReport {
  GapSummary truth;
  std::map<int, GapSummary> truth_by_d;
  GapSummary truth_with_per;
  GapSummary truth_without_per;
  GapSummary type2;  // count 0 when not asked for
  GapSummary type2_positives;
  int failed = 0;  // no hypothesis could be factorised
  // The lower the better: mean over positives of the gap cut at validation.gap_limit, so that a few hopeless datasets
  // cannot decide which weights are kept. A failed dataset counts the limit.
  double score = 0;
};

class ValidationSet {
 public:
  // Draws the datasets of the paper's distribution, every other one a positive, the rest negatives; or of the tables
  // component, all positives. With several ranks each works on its share.
  ValidationSet(const TrainingConfig& config, ThreadPool& pool, Communicator& communicator,
                ComponentKind component = ComponentKind::kPaper);

  // NLML of type-2 ML for every dataset, from `cache_path` when it holds them for the same set, else by optimisation
  // (rank 0 then writes the file; an empty path: no file). An unusable cache is recomputed. When a stop is requested on
  // any rank the values stay empty.
  void FitType2(const std::string& cache_path, std::stop_token stop);

  ValidationReport Evaluate(const Network<float>& network, const float* weights);

  const std::vector<Simulated>& datasets() const { return datasets_; }
  // Per point, at the true parameters; NaN for negatives.
  const std::vector<double>& truth_nlml() const { return truth_nlml_; }
  // Empty before FitType2.
  const std::vector<double>& type2_nlml() const { return type2_nlml_; }

 private:
  // Runs body(i, worker) for this rank's share of the set and adds up `values` over the ranks.
  void Share(std::vector<double>& values, const std::function<double(int, int)>& body);

  void DrawPaper(const TrainingConfig& config);
  void DrawTables(const TrainingConfig& config);
  // Fills truth_nlml_[i].
  void EvaluateTruth(int i);

  ThreadPool& pool_;
  Communicator& communicator_;
  double gap_limit_ = 1;
  std::string key_;  // names the set in the cache
  std::vector<Simulated> datasets_;
  std::vector<double> truth_nlml_;
  std::vector<double> type2_nlml_;
};

}  // namespace instantgp
