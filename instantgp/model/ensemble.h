// Many structures as one model: a weighted mixture of fitted Gaussian processes on the same data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "instantgp/base/export.h"
#include "instantgp/base/matrix.h"
#include "instantgp/model/mixture.h"
#include "instantgp/model/model.h"

namespace instantgp {

class ThreadPool;

// How members are weighted:
// kBma       softmax of the log marginal likelihoods: the posterior over structures under a uniform prior
// kTempered  the same with the log likelihoods divided by a temperature; with hundreds of rows plain BMA is nearly
//            winner-takes-all
// kLoo       stacking: the weights with the best mean log density of left-out rows
// kUniform   all the same
enum class Weighting { kBma, kTempered, kLoo, kUniform };
INSTANTGP_EXPORT std::string_view Name(Weighting weighting);
INSTANTGP_EXPORT std::optional<Weighting> WeightingFromName(std::string_view name);
INSTANTGP_EXPORT std::string ListWeightings();  // "bma, tempered, ..." for messages

struct INSTANTGP_EXPORT EnsembleMember {
  Model model;
  double weight = 0;
};

// A structure that was asked for and could not be fitted.
struct INSTANTGP_EXPORT FailedMember {
  std::string kernel;  // canonical text
  std::string reason;
};

struct INSTANTGP_EXPORT EnsembleSummary {
  std::string method;  // of every member: "oneshot", ...
  Weighting weighting = Weighting::kBma;
  double temperature = 1;  // kTempered
  TimeSplit time_ms;       // wall clock: decode is the batch, factorize the loop over structures, optimize the weights
};

// Members are ordered by weight, largest first, equal ones by their kernel's text, whatever the order they came in.
// Const methods may run in parallel.
class INSTANTGP_EXPORT Ensemble {
 public:
  // At least one member; all fitted to the same rows, with targets as they are. Weights are at least 0 and sum to 1.
  Ensemble(std::vector<EnsembleMember> members, std::vector<FailedMember> failed, EnsembleSummary summary,
           std::vector<std::string> warnings);

  // User's units. `pool` (may be null) works on several members at once; the result does not depend on it.
  Mixture Predict(const Matrix& X_new, Noise noise = Noise::kObserved, ThreadPool* pool = nullptr) const;
  // Exact: sum_k w_k (C_k + (mean_k - mean)(mean_k - mean)^T).
  Matrix PredictCov(const Matrix& X_new, Noise noise = Noise::kObserved) const;
  // (m, count): each a joint sample of a member drawn by weight.
  Matrix Sample(const Matrix& X_new, int count, std::uint64_t seed, Noise noise = Noise::kObserved) const;
  // The density is the mixture's, coverage95 that of the interval between the mixture's quantiles.
  Scores Score(const Matrix& X_new, const Vector& y_new) const;
  // The mixture of the members' left-out means, user's units.
  Vector LooMean() const;

  const std::vector<EnsembleMember>& members() const { return members_; }
  const std::vector<FailedMember>& failed() const { return failed_; }
  const EnsembleSummary& summary() const { return summary_; }
  const std::vector<std::string>& warnings() const { return warnings_; }
  const std::vector<std::string>& column_names() const { return members_.front().model.column_names(); }
  const std::string& target_name() const { return members_.front().model.target_name(); }
  const Scaler& scaler() const { return members_.front().model.scaler(); }
  const Recipe* recipe() const { return scaler().recipe.get(); }
  int rows() const { return members_.front().model.rows(); }
  int columns() const { return members_.front().model.columns(); }
  // How many members the ensemble is worth: exp of the entropy of the weights, 1 to m.
  double EffectiveMembers() const;

 private:
  std::vector<EnsembleMember> members_;
  std::vector<FailedMember> failed_;
  EnsembleSummary summary_;
  std::vector<std::string> warnings_;
};

// One safetensors file that holds the members' model files (docs/formats/model.md).
INSTANTGP_EXPORT std::string SerializeEnsemble(const Ensemble& ensemble);
INSTANTGP_EXPORT Ensemble ParseEnsemble(std::string_view bytes, const std::string& origin);
INSTANTGP_EXPORT void SaveEnsemble(const Ensemble& ensemble, const std::string& path);
INSTANTGP_EXPORT Ensemble LoadEnsemble(const std::string& path);
inline constexpr char kEnsembleFormat[] = "instantgp/ensemble";

}  // namespace instantgp
