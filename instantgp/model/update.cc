#include "instantgp/model/update.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <utility>

#include "instantgp/base/check.h"
#include "instantgp/base/error.h"
#include "instantgp/base/normal.h"
#include "instantgp/base/stopwatch.h"
#include "instantgp/gp/averaged_posterior.h"
#include "instantgp/gp/cholesky.h"
#include "instantgp/gp/neighbour_posterior.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/gp/sparse_posterior.h"
#include "instantgp/inference/rescaled_parameters.h"
#include "instantgp/inference/trained_network.h"
#include "instantgp/model/amortised_structure.h"
#include "instantgp/model/methods.h"

namespace instantgp {
namespace {

constexpr double kNoiseFactors[] = {1, 0.1, 10};  // of the variance
constexpr double kLeastLogNoise = -20;            // a standard deviation of 5e-5 of the target's

std::string Written(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

void CheckRows(const Model& model, const Matrix& X, const Vector& y) {
  const auto fail = [](const std::string& what) { throw Error(ErrorCode::kBadInput, what); };
  if (X.cols() != model.columns()) {
    fail("the model was fitted to " + std::to_string(model.columns()) + " input columns, the new rows have " +
         std::to_string(X.cols()) + ". Give the columns it was fitted to, in order.");
  }
  if (X.rows() == 0 || y.size() != X.rows()) {
    fail("an update needs at least one row and one target for every row; got " + std::to_string(X.rows()) +
         " rows and " + std::to_string(y.size()) + " targets");
  }
  for (Index i = 0; i < X.rows(); ++i) {
    if (!X.row(i).allFinite() || !std::isfinite(y[i])) {
      fail("row " + std::to_string(i + 1) + " of the new rows holds a value that is not finite. Remove the row.");
    }
    if (!std::isfinite(model.transform().Forward(y[i]))) {
      fail("row " + std::to_string(i + 1) + " of the new rows has the target " + Written(y[i]) +
           ", which the model's transform (" + std::string(Name(model.transform().kind())) +
           ") does not allow. Fit all rows again without it.");
    }
  }
}

// By Wilson and Hilferty the cube root of chi^2_m / m is nearly normal with mean 1 - 2/(9m) and variance 2/(9m).
double StandardScore(double mean_square, double m) {
  const double variance = 2 / (9 * m);
  return (std::cbrt(mean_square) - (1 - variance)) / std::sqrt(variance);
}

// From standardised residuals and standard deviations of the rows since the last inference, the last `newest` of them
// new.
Drift DriftOf(const Vector& z, const Vector& std, Index newest) {
  Drift drift;
  const double m = static_cast<double>(z.size());
  drift.rows = static_cast<int>(z.size());
  drift.mean_square = z.squaredNorm() / m;
  drift.expected = std.array().log().mean() + kHalfLog2Pi + 0.5;
  drift.score = drift.expected + 0.5 * (drift.mean_square - 1);
  drift.standard_score = StandardScore(drift.mean_square, m);
  const double count = static_cast<double>(newest);
  const double of_newest = StandardScore(z.tail(newest).squaredNorm() / count, count);
  drift.drifting = std::max(std::abs(drift.standard_score), std::abs(of_newest)) > kDriftLimit;
  return drift;
}

Drift ExactDrift(const Posterior& all, Index inferred_rows, Index newest) {
  Vector z = all.y();
  SolveLower(all.L(), z);
  const Index m = z.size() - inferred_rows;
  return DriftOf(z.tail(m), all.L().diagonal().tail(m), newest);
}

// Without a factor over all rows each new row counts by itself.
Drift RowByRowDrift(const Predictive& before, const Matrix& X, const Vector& y) {
  Vector mean, std;
  before.MeanAndStd(X, Noise::kObserved, &mean, &std);
  return DriftOf((y - mean).cwiseQuotient(std), std, y.size());
}

ScaledTable InModelScale(const Model& model, const Posterior& extended) {
  ScaledTable table;
  table.scaler = model.scaler();
  table.X = extended.X();
  table.y = extended.y();
  table.column_names = model.column_names();
  table.target_name = model.target_name();
  table.warnings = model.warnings();
  return table;
}

Model ReinferByNetwork(Session& session, const Model& model, const Posterior& extended, const FitOptions& options) {
  const Structure structure = AmortisedStructure(extended.expression(), model.column_names(), options.method);
  const TrainedNetwork& network = session.network(options.method);
  // The network reads the rows as it was trained to, scaled to [0, 1] by their own range; its answer is brought back.
  const Dataset rows{extended.X(), extended.y(), model.column_names(), model.target_name()};
  Encoding encoding = session.Encode(rows, structure.columns, 0, options.method);
  const Matrix answer = InOuterUnits(extended.expression(), network.Decode(encoding, structure), encoding.scaler);
  // Beside it the parameters so far, also with other noise: what is left of the targets changes most as rows come in.
  Matrix theta(answer.rows(), answer.cols() + static_cast<Index>(std::size(kNoiseFactors)));
  theta.leftCols(answer.cols()) = answer;
  Index column = answer.cols();
  for (const double factor : kNoiseFactors) {
    LogParameters so_far = extended.theta();
    so_far.noise() = std::max(so_far.noise() + std::log(factor), kLeastLogNoise);
    theta.col(column++) = so_far;
  }
  encoding.scaler = model.scaler();
  encoding.X = extended.X();
  encoding.y = extended.y();
  return session.Fit(encoding, extended.expression(), theta, options);
}

UpdateResult UpdateSparse(const Model& model, const Matrix& X, const Vector& y, const UpdateOptions& options) {
  if (options.reinfer == Reinfer::kAlways || options.method) {
    throw Error(ErrorCode::kUsage,
                "a sparse model (of the method svgp) takes new rows with its parameters and inducing points kept; for "
                "new ones fit all rows again");
  }
  const SparsePosterior& before = *model.sparse();
  Matrix all_X(before.X().rows() + X.rows(), X.cols());
  all_X << before.X(), X;
  Vector all_y(all_X.rows());
  all_y << before.y(), y;
  const Drift drift = RowByRowDrift(before, X, y);
  SparsePosterior posterior(before.expression(), std::move(all_X), std::move(all_y), before.parts().Z, before.theta());
  FitSummary summary = model.summary();
  summary.nlml = posterior.nlml();
  std::vector<std::string> warnings = model.warnings();
  if (drift.drifting && options.reinfer == Reinfer::kWhenDrifting) {
    warnings.push_back("the new rows contradict the model; fit all rows again");
  }
  return {Model(std::move(posterior), model.scaler(), model.column_names(), model.target_name(), std::move(summary),
                std::move(warnings)),
          false, drift};
}

// As the model was fitted, unless another method is asked for: with the priors where they were part of it.
FitOptions OptionsOf(const Model& model, const UpdateOptions& options) {
  FitOptions fit;
  fit.method = options.method.value_or(MethodFromName(model.summary().method).value_or(Method::kMl));
  fit.map = model.summary().map && fit.method == Method::kRefine;
  if (options.steps > 0) fit.steps = options.steps;
  return fit;
}

// All rows anew, in the scale they have. Only this method takes so many.
Model ReinferNeighbours(Session& session, const Model& model, const Matrix& X, const Vector& y, FitOptions options) {
  if (options.method == Method::kOneShot || options.method == Method::kRefine) {
    options.every_lengthscale = options.method == Method::kRefine;
    options.method = Method::kNeighbours;
  }
  if (options.method != Method::kNeighbours) {
    throw Error(
        ErrorCode::kUsage,
        std::string("a model from neighbours is inferred again by the method neighbours (or refine, which tunes "
                    "every lengthscale), not ") +
            std::string(Name(options.method)) + "; for that fit all rows again",
        {{"method", "neighbours"}});
  }
  const NeighbourPosterior& before = *model.neighbours();
  ScaledTable table;
  table.scaler = model.scaler();
  table.X.resize(before.X().rows() + X.rows(), X.cols());
  table.X << before.X(), X;
  table.y.resize(table.X.rows());
  table.y << before.y(), y;
  table.column_names = model.column_names();
  table.target_name = model.target_name();
  table.warnings = model.warnings();
  return session.Fit(std::move(table), before.expression(), options);
}

// The rows join those that are searched; where they contradict the model, its parameters are found again.
UpdateResult UpdateNeighbours(Session& session, const Model& model, const Matrix& X, const Vector& y,
                              const UpdateOptions& options) {
  const Stopwatch total;
  const NeighbourPosterior& before = *model.neighbours();
  const Drift drift = RowByRowDrift(before, X, y);
  if (options.reinfer == Reinfer::kAlways || (options.reinfer == Reinfer::kWhenDrifting && drift.drifting)) {
    return {ReinferNeighbours(session, model, X, y, OptionsOf(model, options)), true, drift};
  }
  FitSummary summary = model.summary();
  if (summary.inferred_rows == 0) summary.inferred_rows = model.rows();
  NeighbourPosterior posterior = before.Extended(X, y, &session.pool());
  summary.time_ms = {};
  summary.time_ms.total = total.Milliseconds();
  return {Model(std::move(posterior), model.scaler(), model.column_names(), model.target_name(), std::move(summary),
                model.warnings()),
          false, drift};
}

}  // namespace

UpdateResult Update(Session& session, const Model& model, const Matrix& X_new, const Vector& y_new,
                    const UpdateOptions& options) {
  CheckRows(model, X_new, y_new);
  const Stopwatch total;
  const Matrix X = model.scaler().ScaleX(X_new);
  const Vector y = model.scaler().ScaleY(y_new);
  if (model.sparse() != nullptr) return UpdateSparse(model, X, y, options);
  if (model.neighbours() != nullptr) return UpdateNeighbours(session, model, X, y, options);
  const Posterior& before = model.posterior();
  const int rows = model.rows() + static_cast<int>(X.rows());
  const int most = session.MostExactRows(1 + model.AveragedOver());
  if (rows > most) {
    throw Error(ErrorCode::kLimit,
                "with the new rows the model would have " + std::to_string(rows) + "; the memory limit allows " +
                    std::to_string(most) +
                    (model.AveragedOver() > 0 ? " for one averaged over " + std::to_string(model.AveragedOver()) +
                                                    " sets of parameters. Fit all rows again."
                                              : " for an exact one. Fit all rows again by the method neighbours."));
  }
  const Index inferred = model.summary().inferred_rows > 0 ? model.summary().inferred_rows : model.rows();
  Posterior extended = before.Extended(X, y);
  const Drift drift = ExactDrift(extended, inferred, y.size());
  if (options.reinfer == Reinfer::kAlways || (options.reinfer == Reinfer::kWhenDrifting && drift.drifting)) {
    const FitOptions fit = OptionsOf(model, options);
    const MethodInfo& method = InfoOf(fit.method);
    if (method.sparse) {
      throw Error(ErrorCode::kUsage, "an exact model cannot become a sparse one by an update; fit all rows again");
    }
    if (method.uses_network) return {ReinferByNetwork(session, model, extended, fit), true, drift};
    return {session.Fit(InModelScale(model, extended), extended.expression(), fit, &extended.theta()), true, drift};
  }
  FitSummary summary = model.summary();
  summary.inferred_rows = static_cast<int>(inferred);
  summary.nlml = extended.nlml();
  summary.time_ms = {};
  if (const AveragedPosterior* averaged = model.averaged()) {
    ThreadPool* const pool = rows < kTwoPartSize ? nullptr : &session.pool();
    AveragedPosterior all = averaged->Extended(X, y, pool);
    summary.time_ms.factorize = summary.time_ms.total = total.Milliseconds();
    return {Model(std::move(all), model.scaler(), model.column_names(), model.target_name(), std::move(summary),
                  model.warnings()),
            false, drift};
  }
  summary.time_ms.factorize = summary.time_ms.total = total.Milliseconds();
  return {Model(std::move(extended), model.scaler(), model.column_names(), model.target_name(), std::move(summary),
                model.warnings()),
          false, drift};
}

UpdateResult Update(const Model& model, const Matrix& X_new, const Vector& y_new, const UpdateOptions& options,
                    const SessionOptions& session) {
  Session own(session);
  return Update(own, model, X_new, y_new, options);
}

}  // namespace instantgp
