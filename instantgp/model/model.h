// A fitted model: data, scaling, expression, parameters and the factorisation; predicts in the user's units.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "instantgp/base/export.h"
#include "instantgp/base/matrix.h"
#include "instantgp/data/scaler.h"
#include "instantgp/gp/prediction.h"
#include "instantgp/model/prediction.h"

namespace instantgp {

class AveragedPosterior;
class NeighbourPosterior;
class Posterior;
class Predictive;
class SparsePosterior;
struct Recipe;

struct PredictOptions {
  int threads = 0;  // 0: as the machine has
  std::stop_token stop = {};
  std::function<void(std::int64_t done, std::int64_t of)> progress = {};  // from any thread, one call at a time
};

struct TimeSplit {  // milliseconds
  double scale = 0, encode = 0, decode = 0, optimize = 0, factorize = 0, total = 0;
};

// How the parameters came about.
struct FitSummary {
  std::string method;  // "oneshot", "ml", "svgp", ...
  bool map = false;    // refine: whether the priors were part of what it optimised
  int evaluations = 0;
  int steps = 0;
  int rejected = 0;
  int starts = 1;
  std::string stop_reason;
  double nlml_start = 0;  // per point
  double nlml = 0;        // per point
  int inferred_rows = 0;  // the first so many rows determined the parameters, later ones were added; 0: all did
  // Where the transform of the target was to be found: each that the values allow with the log evidence of the targets
  // under it, in their own units (svgp: its bound; neighbours: the density of rows left out). Empty otherwise.
  std::vector<std::pair<TransformKind, double>> transforms = {};
  TimeSplit time_ms;
};

// One row of the parameter report.
struct ReportedParameter {
  int dimension = 1;  // 1-based column number
  std::string column;
  std::string symbol;               // the addend: "SE*LIN"
  std::string name;                 // "variance", with the factor in front for product symbols: "SE variance"
  double value = 0;                 // scaled units
  double value_original_units = 0;  // of a transformed target g(y): variances are in the units of g(y)
  // Of a lengthscale or period along dates, what the value in original units counts ("months") and how people say it
  // ("12 months, yearly"); empty for others.
  std::string unit = {};
  std::string in_words = {};
};

// Immutable; copies share the factorisation.
class INSTANTGP_EXPORT Model {
 public:
  Model(Posterior posterior, Scaler scaler, std::vector<std::string> column_names, std::string target_name,
        FitSummary summary, std::vector<std::string> warnings);
  Model(SparsePosterior posterior, Scaler scaler, std::vector<std::string> column_names, std::string target_name,
        FitSummary summary, std::vector<std::string> warnings);
  Model(AveragedPosterior posterior, Scaler scaler, std::vector<std::string> column_names, std::string target_name,
        FitSummary summary, std::vector<std::string> warnings);
  Model(NeighbourPosterior posterior, Scaler scaler, std::vector<std::string> column_names, std::string target_name,
        FitSummary summary, std::vector<std::string> warnings);

  Prediction Predict(const Matrix& X_new, Noise noise = Noise::kObserved) const;
  // A model from neighbours works on several threads, says how far it is and can be stopped; the others do not.
  Prediction Predict(const Matrix& X_new, Noise noise, const PredictOptions& options) const;
  Vector PredictMean(const Matrix& X_new) const;
  Matrix PredictCov(const Matrix& X_new, Noise noise = Noise::kObserved) const;
  Matrix Sample(const Matrix& X_new, int count, std::uint64_t seed,
                Noise noise = Noise::kObserved) const;  // (m, count)
  LeaveOneOut Loo() const;                              // user's units; exact models only
  LeaveOneOut StandardizedLoo() const;                  // the same of scaled targets
  Scores Score(const Matrix& X_new, const Vector& y_new) const;

  std::string KernelText() const;       // canonical
  std::string KernelShortText() const;  // the shorthand where there is one
  std::vector<ReportedParameter> Parameters() const;
  double NoiseVariance() const;               // scaled units
  double NoiseVarianceOriginalUnits() const;  // y's units squared, of a transformed target those of g(y)
  double AmplitudeOriginalUnits() const;      // collapsed prior standard deviation, units as of the noise
  // mean_i log dy_i/dy_scaled_i over the rows: what turns an NLL per row of scaled targets into one in y's units.
  double LogUnit() const;

  // How many sets of parameters predictions are averaged over, with equal weights; 0: the ones shown are the only ones.
  int AveragedOver() const;
  Matrix Draws() const;  // (p + 1, AveragedOver()): their logarithms in the order of the parameters, of the noise last
  // The same rows and the same parameters to show, with predictions averaged over other draws; without any, by the
  // parameters shown alone. Draws whose covariance cannot be factorised are left out. Throws Error: kBadInput for draws
  // that do not fit the kernel, kUsage for a sparse model, kNumerical when none of the draws is left.
  Model Averaged(const Matrix& draws) const;

  const Predictive& predictive() const { return *predictive_; }
  const SparsePosterior* sparse() const { return sparse_; }             // null: the model is exact
  const AveragedPosterior* averaged() const { return averaged_; }       // null: AveragedOver() is 0
  const NeighbourPosterior* neighbours() const { return neighbours_; }  // null: the model uses all rows
  // Of an exact model, at the parameters shown; Error(kUsage) for a sparse one and for one from neighbours.
  const Posterior& posterior() const;
  const Scaler& scaler() const { return scaler_; }
  // How the columns of the user's table became the model's (data/recipe.h); null: they are numbers, and are the same.
  const Recipe* recipe() const { return scaler_.recipe.get(); }
  const TargetTransform& transform() const { return scaler_.transform; }
  const FitSummary& summary() const { return summary_; }
  Model WithSummary(FitSummary summary) const;  // the same with another account of how it came about
  const std::vector<std::string>& warnings() const { return warnings_; }
  const std::vector<std::string>& column_names() const { return column_names_; }
  const std::string& target_name() const { return target_name_; }
  int rows() const;
  int columns() const;

 private:
  Model(std::shared_ptr<const Predictive> predictive, Scaler scaler, std::vector<std::string> column_names,
        std::string target_name, FitSummary summary, std::vector<std::string> warnings);

  std::shared_ptr<const Predictive> predictive_;
  // predictive_ by its type; of an averaged one exact_ is the centre.
  const AveragedPosterior* averaged_;
  const Posterior* exact_;
  const SparsePosterior* sparse_;
  const NeighbourPosterior* neighbours_;
  Scaler scaler_;
  std::vector<std::string> column_names_;
  std::string target_name_;
  FitSummary summary_;
  std::vector<std::string> warnings_;
};

// One safetensors file with JSON metadata (docs/formats/model.md). Load checks version, checksum, names, shapes,
// finiteness.
inline constexpr int kMostDraws = 256;  // in a file
INSTANTGP_EXPORT std::string SerializeModel(const Model& model);
INSTANTGP_EXPORT Model ParseModel(std::string_view bytes, const std::string& origin);
INSTANTGP_EXPORT void SaveModel(const Model& model, const std::string& path);
INSTANTGP_EXPORT Model LoadModel(const std::string& path);

}  // namespace instantgp
