// Session's fit of a table: under the transform of the target that was asked for, or the one the targets speak for.
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "instantgp/base/check.h"
#include "instantgp/base/error.h"
#include "instantgp/base/stopwatch.h"
#include "instantgp/gp/predictive.h"
#include "instantgp/model/session.h"

namespace instantgp {
namespace {

// Error(kBadInput) naming the first target that the transform does not allow.
[[noreturn]] void Refuse(TransformKind kind, const Dataset& data) {
  const bool log = kind == TransformKind::kLog;
  Index row = 0;
  while (row + 1 < data.y.size() && (log ? data.y[row] > 0 : data.y[row] >= 0)) ++row;
  char value[32];
  std::snprintf(value, sizeof value, "%.6g", data.y[row]);
  const bool roots = log && data.y.minCoeff() >= 0;
  throw Error(ErrorCode::kBadInput,
              "the transform " + std::string(Name(kind)) + " needs a target that is " +
                  (log ? "positive" : "nowhere negative and not always 0") + ", but '" + data.target_name + "' is " +
                  value + " in row " + std::to_string(row + 1) + ". " +
                  (roots ? "The transform boxcox, a square root, allows zeros." : "Fit the target as it is."),
              {{"transform", roots && data.y.maxCoeff() > 0 ? "boxcox" : "none"}});
}

// nullopt where the values do not allow it. A forecast shifts zeros under a logarithm; a table has no scale of time on
// which a shift would wash out, and half of its smallest value would be a choice that matters.
std::optional<TargetTransform> TransformOf(TransformKind kind, const Dataset& data) {
  if (kind == TransformKind::kLog && !(data.y.minCoeff() > 0)) return std::nullopt;
  return TargetTransform::Fit(kind, {data.y.data(), static_cast<std::size_t>(data.y.size())});
}

TransformKind KindOf(TransformChoice choice) {
  switch (choice) {
    case TransformChoice::kNone:
      return TransformKind::kNone;
    case TransformChoice::kLog:
      return TransformKind::kLog;
    case TransformChoice::kBoxCox:
      return TransformKind::kBoxCox;
    case TransformChoice::kAuto:
      break;
  }
  INSTANTGP_CHECK(false);
  return TransformKind::kNone;
}

// What the evidence for a transform must be above that for none, which needs no explaining: strong evidence by the
// usual scales (Kass and Raftery 1995), and more than two fits to the same rows differ by chance of where their steps
// end. It matters where values vary by little about a large mean, and all transforms are nearly straight.
constexpr double kStrongEvidence = 3;

// log p(y) in the units of y: the density of scaled targets, and the Jacobian.
double LogEvidence(const Model& model) { return -model.rows() * (model.predictive().nlml() + model.LogUnit()); }

}  // namespace

Model Session::Fit(const Dataset& data, std::string_view kernel, const FitOptions& options) {
  options.Validate();
  if (options.transform != TransformChoice::kAuto) {
    const TransformKind kind = KindOf(options.transform);
    const std::optional<TargetTransform> transform = TransformOf(kind, data);
    if (!transform) Refuse(kind, data);
    return FitUnder(*transform, data, kernel, options);
  }
  const Stopwatch total;
  std::optional<Model> best;
  std::optional<Error> failure;
  double most = 0;
  std::vector<std::pair<TransformKind, double>> tried;
  for (const TransformKind kind : {TransformKind::kNone, TransformKind::kLog, TransformKind::kBoxCox}) {
    const std::optional<TargetTransform> transform = TransformOf(kind, data);
    if (!transform) continue;
    try {
      Model model = FitUnder(*transform, data, kernel, options);
      tried.emplace_back(kind, LogEvidence(model));
      const double worth = tried.back().second - (kind == TransformKind::kNone ? 0 : kStrongEvidence);
      if (best && !(worth > most)) continue;
      most = worth;
      best = std::move(model);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kNumerical) throw;
      failure = error;
    }
  }
  if (!best) throw Error(*failure);
  FitSummary summary = best->summary();
  summary.transforms = std::move(tried);
  summary.time_ms.total = total.Milliseconds();
  return best->WithSummary(std::move(summary));
}

}  // namespace instantgp
