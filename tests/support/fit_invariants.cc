#include "tests/support/fit_invariants.h"

#include <cmath>

#include "instantgp/gp/predictive.h"

namespace instantgp::testing {
namespace {

std::string BrokenPrediction(const Prediction& p) {
  if (!p.mean.allFinite()) return "a mean is not finite";
  if (!p.std.allFinite()) return "a standard deviation is not finite";
  if ((p.std.array() < 0).any()) return "a standard deviation is negative";
  const Vector lower = p.Lower(0.95), upper = p.Upper(0.95), median = p.Median();
  if (!lower.allFinite() || !upper.allFinite()) return "an end of an interval is not finite";
  if ((lower.array() > median.array()).any() || (median.array() > upper.array()).any())
    return "an interval is reversed";
  return "";
}

std::string BrokenJoint(const Model& model, const Matrix& X_new) {
  const Matrix cov = model.PredictCov(X_new);
  if (!cov.allFinite()) return "a covariance is not finite";
  if ((cov.diagonal().array() < 0).any()) return "a variance is negative";
  if (!model.Sample(X_new, 2, 1).allFinite()) return "a sample is not finite";
  return "";
}

std::string BrokenReports(const Model& model) {
  for (const ReportedParameter& parameter : model.Parameters()) {
    if (!std::isfinite(parameter.value) || !(parameter.value > 0)) return "parameter " + parameter.name + " (scaled)";
    if (!std::isfinite(parameter.value_original_units)) return "parameter " + parameter.name + " in original units";
  }
  if (!(model.NoiseVariance() > 0) || !std::isfinite(model.NoiseVariance())) return "the noise variance";
  if (!std::isfinite(model.summary().nlml)) return "the likelihood is not finite";
  if (model.sparse() != nullptr || model.neighbours() != nullptr) return "";
  const LeaveOneOut loo = model.Loo();
  if (!loo.mean.allFinite() || !loo.variance.allFinite() || !std::isfinite(loo.nll)) return "a left-out score";
  return "";
}

std::string BrokenFile(const Model& model, const Matrix& X_new, const Prediction& observed, bool same_bits) {
  const std::string bytes = SerializeModel(model);
  const Model again = ParseModel(bytes, "its own bytes");
  const Prediction same = again.Predict(X_new);
  if (same_bits && (same.mean != observed.mean || same.std != observed.std))
    return "read back it predicts something else";
  if (SerializeModel(again) != bytes) return "written again it is another file";
  return "";
}

}  // namespace

std::string BrokenInvariant(const Model& model, const Matrix& X_new, bool same_bits, Invariants which) {
  const Prediction observed = model.Predict(X_new), latent = model.Predict(X_new, Noise::kLatent);
  std::string broken = BrokenPrediction(observed);
  if (broken.empty()) broken = BrokenPrediction(latent);
  if (!broken.empty()) return broken;
  if (model.transform().none() && (latent.std.array() > observed.std.array() * (1 + 1e-9)).any()) {
    return "noise makes a prediction surer";
  }
  const bool all = which == Invariants::kAll;
  if (all || which == Invariants::kJoint) broken = BrokenJoint(model, X_new);
  if (broken.empty() && (all || which == Invariants::kReports)) broken = BrokenReports(model);
  if (broken.empty() && (all || which == Invariants::kFile)) broken = BrokenFile(model, X_new, observed, same_bits);
  return broken;
}

}  // namespace instantgp::testing
