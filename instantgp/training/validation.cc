#include "instantgp/training/validation.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "instantgp/base/error.h"
#include "instantgp/base/file.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/inference/ranking.h"
#include "instantgp/inference/type2_ml.h"

namespace instantgp {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

double Quantile(const std::vector<double>& sorted, double q) {
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

bool HasPer(const Structure& structure) {
  for (const std::vector<BaseSymbol>& addends : structure.symbols) {
    for (const BaseSymbol symbol : addends) {
      const auto factors = FactorsOf(symbol);
      if (std::find(factors.begin(), factors.end(), Elementary::kPER) != factors.end()) return true;
    }
  }
  return false;
}

// What the datasets of the set depend on, as text.
std::string KeyOf(const SimulationOptions& options, const ValidationConfig& validation) {
  nlohmann::json key = {{"seed", validation.seed},
                        {"datasets", validation.datasets},
                        {"min_n", options.min_n},
                        {"max_n", options.max_n},
                        {"max_d", options.max_d},
                        {"addend_p", options.addend_p},
                        {"dimension_p", options.dimension_p},
                        {"symbols", options.symbols},
                        {"version", 1}};
  return key.dump();
}

}  // namespace

GapSummary Summarize(std::vector<double> gaps) {
  GapSummary out;
  out.count = static_cast<int>(gaps.size());
  if (gaps.empty()) return out;
  double sum = 0;
  for (const double gap : gaps) sum += gap;
  out.mean = sum / static_cast<double>(gaps.size());
  std::sort(gaps.begin(), gaps.end());
  out.median = Quantile(gaps, 0.5);
  out.p90 = Quantile(gaps, 0.9);
  return out;
}

ValidationSet::ValidationSet(const TrainingConfig& config, ThreadPool& pool, Communicator& communicator,
                             ComponentKind component)
    : pool_(pool), communicator_(communicator), gap_limit_(config.validation.gap_limit) {
  const bool tables = component == ComponentKind::kTables;
  const int count = tables ? config.validation.tables_datasets : config.validation.datasets;
  datasets_.resize(count);
  truth_nlml_.assign(count, kNotANumber);
  if (tables) {
    DrawTables(config);
  } else {
    DrawPaper(config);
  }
}

void ValidationSet::DrawPaper(const TrainingConfig& config) {
  SimulationOptions options = config.Simulation();
  options.positives_only = false;
  key_ = KeyOf(options, config.validation);
  pool_.Run(static_cast<int>(datasets_.size()), [&](int i, int) {
    SimulationOptions own = options;
    own.positive_p = i % 2 == 0 ? 1 : 0;
    datasets_[i] = Simulate(own, config.validation.seed, i);
    EvaluateTruth(i);
  });
}

void ValidationSet::DrawTables(const TrainingConfig& config) {
  TableOptions options = config.Tables();
  options.positives_only = true;
  pool_.Run(static_cast<int>(datasets_.size()), [&](int i, int) {
    datasets_[i] = SimulateTable(options, config.validation.tables_seed, i);
    EvaluateTruth(i);
  });
}

void ValidationSet::EvaluateTruth(int i) {
  const Simulated& data = datasets_[i];
  if (!data.positive) return;
  NlmlWorkspace workspace;
  const NlmlValue value = NegativeLogMarginalLikelihood(Covariance(ToExpression(data.truth)), data.X, data.y,
                                                        data.theta, nullptr, workspace);
  if (value.ok) truth_nlml_[i] = value.nlml;
}

void ValidationSet::Share(std::vector<double>& values, const std::function<double(int, int)>& body) {
  const int count = static_cast<int>(datasets_.size());
  const int ranks = communicator_.size();
  const int own = (count - communicator_.rank() + ranks - 1) / ranks;
  values.assign(count, 0.0);
  pool_.Run(own, [&](int k, int worker) {
    const int i = communicator_.rank() + k * ranks;
    values[i] = body(i, worker);
  });
  communicator_.AllReduceSum(values.data(), values.size());
}

void ValidationSet::FitType2(const std::string& cache_path, std::stop_token stop) {
  // Rank 0 looks into the cache for all; a sum over the ranks tells them.
  const auto count = datasets_.size();
  std::vector<double> values(count, 0.0);
  double found = 0;
  if (communicator_.rank() == 0 && !cache_path.empty() && std::filesystem::exists(cache_path)) {
    const nlohmann::json json = nlohmann::json::parse(ReadFile(cache_path), nullptr, false);
    if (json.is_object() && json.value("key", "") == key_ && json.contains("nlml") && json["nlml"].is_array() &&
        json["nlml"].size() == count) {
      found = 1;
      for (std::size_t i = 0; i < count; ++i) {
        values[i] = json["nlml"][i].is_number() ? json["nlml"][i].get<double>() : kNotANumber;
      }
    }
  }
  communicator_.AllReduceSum(&found, 1);
  if (found > 0) {
    communicator_.AllReduceSum(values.data(), values.size());
    type2_nlml_ = std::move(values);
    return;
  }
  Share(values, [&](int i, int) {
    const Simulated& data = datasets_[i];
    if (stop.stop_requested()) return kNotANumber;
    Type2Options options;
    options.stop = stop;
    const Type2Result result = instantgp::FitType2(ToExpression(data.given), data.X, data.y, options);
    return result.ok ? result.nlml : kNotANumber;
  });
  double stopped = stop.stop_requested();
  communicator_.AllReduceSum(&stopped, 1);
  if (stopped > 0) return;
  type2_nlml_ = values;
  if (communicator_.rank() == 0 && !cache_path.empty()) {
    nlohmann::json nlml = nlohmann::json::array();
    for (const double value : values) nlml.push_back(value);  // NaN is written as null
    WriteFileAtomically(cache_path, nlohmann::json({{"key", key_}, {"nlml", nlml}}).dump());
  }
}

ValidationReport ValidationSet::Evaluate(const Network<float>& network, const float* weights) {
  struct Worker {
    Workspace<float> network;
    Embedding<float> encoding;
    NlmlWorkspace nlml;
    Matrix theta;
  };
  std::vector<Worker> workers(pool_.threads());
  const std::optional<ClosedFormScale> scale = ScaleOf(network.config());
  std::vector<double> nlml;
  Share(nlml, [&](int i, int w) {
    Worker& worker = workers[w];
    const Simulated& data = datasets_[i];
    network.Encode(weights, data.X, data.y, worker.network, &worker.encoding);
    const Structure asked = network.Asked(data.given);
    network.Decode(weights, worker.encoding, asked, worker.network, &worker.theta);
    const ChosenHypothesis best =
        ChooseHypothesis(Covariance(ToExpression(asked)), data.X, data.y, worker.theta, scale, worker.nlml);
    return best.ok ? best.nlml : kNotANumber;
  });

  ValidationReport report;
  std::vector<double> truth, with_per, without_per, type2, type2_positives;
  std::map<int, std::vector<double>> by_d;
  double score = 0;
  int positives = 0;
  for (std::size_t i = 0; i < datasets_.size(); ++i) {
    const Simulated& data = datasets_[i];
    const bool ok = std::isfinite(nlml[i]);
    report.failed += !ok;
    if (std::isfinite(truth_nlml_[i])) {
      const double gap = nlml[i] - truth_nlml_[i];
      ++positives;
      score += ok ? std::min(gap, gap_limit_) : gap_limit_;
      if (ok) {
        truth.push_back(gap);
        by_d[static_cast<int>(data.X.cols())].push_back(gap);
        (HasPer(data.truth) ? with_per : without_per).push_back(gap);
      }
    }
    if (ok && !type2_nlml_.empty() && std::isfinite(type2_nlml_[i])) {
      type2.push_back(nlml[i] - type2_nlml_[i]);
      if (data.positive) type2_positives.push_back(type2.back());
    }
  }
  report.truth = Summarize(truth);
  for (auto& [d, gaps] : by_d) report.truth_by_d[d] = Summarize(gaps);
  report.truth_with_per = Summarize(with_per);
  report.truth_without_per = Summarize(without_per);
  report.type2 = Summarize(type2);
  report.type2_positives = Summarize(type2_positives);
  report.score = positives > 0 ? score / positives : 0;
  return report;
}

}  // namespace instantgp
