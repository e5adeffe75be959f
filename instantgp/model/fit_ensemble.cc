#include "instantgp/model/fit_ensemble.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "instantgp/base/error.h"
#include "instantgp/base/normal.h"
#include "instantgp/base/stopwatch.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/kernel/structure_list.h"
#include "instantgp/model/amortised_structure.h"
#include "instantgp/model/methods.h"
#include "instantgp/model/spoken_columns.h"
#include "instantgp/model/weighting.h"

namespace instantgp {
namespace {

// Distinct kernels in the order of their canonical text, which does not depend on the order they were given in.
using Kernels = std::map<std::string, Expression>;

Kernels ParseAll(std::span<const std::string> texts, const std::vector<std::string>& column_names, const Recipe* recipe,
                 std::vector<std::string>& warnings) {
  if (texts.empty()) throw Error(ErrorCode::kUsage, "an ensemble needs at least one kernel");
  Kernels kernels;
  for (const std::string& text : texts) {
    Expression expression = ParseKernelOver(text, column_names, recipe);
    std::string canonical = Print(expression, column_names);
    const auto [place, added] = kernels.try_emplace(std::move(canonical), std::move(expression));
    if (!added) warnings.push_back("the kernel " + place->first + " is listed more than once and counts once");
  }
  return kernels;
}

// log p(y_i | the other rows) of every member, standardised y: (n, m).
Matrix LeftOutLogDensities(const std::vector<EnsembleMember>& members, ThreadPool& pool) {
  Matrix log_density(members.front().model.rows(), static_cast<Index>(members.size()));
  pool.Run(static_cast<int>(members.size()), [&](int k, int) {
    const LeaveOneOut loo = members[k].model.StandardizedLoo();
    const Vector& y = members[k].model.predictive().y();
    for (Index i = 0; i < y.size(); ++i) {
      log_density(i, k) = LogNormalDensity(y[i], loo.mean[i], std::sqrt(loo.variance[i]));
    }
  });
  return log_density;
}

Vector WeightsOf(const std::vector<EnsembleMember>& members, const EnsembleSummary& summary, ThreadPool& pool) {
  const auto count = static_cast<Index>(members.size());
  switch (summary.weighting) {
    case Weighting::kUniform:
      return Vector::Constant(count, 1.0 / static_cast<double>(count));
    case Weighting::kLoo:
      return StackingWeights(LeftOutLogDensities(members, pool)).weights;
    case Weighting::kBma:
    case Weighting::kTempered:
      break;
  }
  Vector scores(count);
  for (Index k = 0; k < count; ++k) {
    scores[k] = members[k].model.posterior().log_marginal_likelihood() / summary.temperature;
  }
  return SoftmaxWeights(scores);
}

// From attempts to the ensemble. `warnings` and `times` are what is known so far; `total` started with the fit.
Ensemble Assemble(const Kernels& kernels, std::vector<FitAttempt> attempts, const EnsembleOptions& options,
                  std::vector<std::string> warnings, TimeSplit times, ThreadPool& pool, const Stopwatch& total) {
  std::vector<EnsembleMember> members;
  std::vector<FailedMember> failed;
  const std::vector<std::string> common = warnings;
  auto text = kernels.begin();
  for (FitAttempt& attempt : attempts) {
    const std::string& kernel = (text++)->first;
    if (!attempt.model) {
      warnings.push_back(kernel + " was left out: " + attempt.failure);
      failed.push_back({kernel, attempt.failure});
      continue;
    }
    for (const std::string& warning : attempt.model->warnings()) {
      if (std::find(common.begin(), common.end(), warning) == common.end()) {
        warnings.push_back(kernel + ": " + warning);
      }
    }
    members.push_back({*std::move(attempt.model), 0});
  }
  if (members.empty()) {
    throw Error(ErrorCode::kNumerical,
                "no member of the ensemble could be fitted; the first failure: " + failed.front().reason);
  }
  EnsembleSummary summary;
  summary.method = Name(options.fit.method);
  summary.weighting = options.weighting;
  if (options.weighting == Weighting::kTempered) {
    summary.temperature = options.temperature > 0 ? options.temperature : std::sqrt(members.front().model.rows());
  }
  const Stopwatch clock;
  const Vector weights = WeightsOf(members, summary, pool);
  for (std::size_t k = 0; k < members.size(); ++k) members[k].weight = weights[static_cast<Index>(k)];
  times.optimize += clock.Milliseconds();
  times.total = total.Milliseconds();
  summary.time_ms = times;
  return Ensemble(std::move(members), std::move(failed), std::move(summary), std::move(warnings));
}

std::vector<Expression> ExpressionsOf(const Kernels& kernels) {
  std::vector<Expression> expressions;
  for (const auto& [text, expression] : kernels) expressions.push_back(expression);
  return expressions;
}

Ensemble FromEncoding(Session& session, const Encoding& encoding, const Kernels& kernels,
                      std::vector<std::string> warnings, const EnsembleOptions& options, const Stopwatch& total) {
  TimeSplit times;
  times.scale = encoding.scale_ms;
  times.encode = encoding.encode_ms;
  std::vector<FitAttempt> attempts = session.FitAll(encoding, ExpressionsOf(kernels), options.fit, &times);
  warnings.insert(warnings.end(), encoding.warnings.begin(), encoding.warnings.end());
  return Assemble(kernels, std::move(attempts), options, std::move(warnings), times, session.pool(), total);
}

void RequireExact(const EnsembleOptions& options) {
  if (!InfoOf(options.fit.method).sparse) return;
  throw Error(ErrorCode::kUsage, "ensembles need exact likelihoods, and svgp gives only a bound; use another method",
              {{"method", "oneshot"}});
}

}  // namespace

void EnsembleOptions::Validate() const {
  fit.Validate();
  if (!(temperature >= 0) || !std::isfinite(temperature)) {
    throw Error(ErrorCode::kUsage,
                "the temperature must be positive (or 0 for its default), got " + std::to_string(temperature),
                {{"temperature"}});
  }
}

std::vector<std::string> BuiltInKernels() {
  std::vector<std::string> kernels;
  for (const ColumnSymbols& symbols : BenchmarkStructures()) kernels.push_back(ShorthandText(symbols));
  return kernels;
}

Ensemble FitEnsemble(Session& session, const Dataset& data, std::span<const std::string> kernels,
                     const EnsembleOptions& options) {
  options.Validate();
  RequireExact(options);
  const Stopwatch total;
  std::vector<std::string> warnings;
  const Kernels parsed = ParseAll(kernels, data.column_names, data.recipe.get(), warnings);
  session.CheckMemory(data.rows(), options.fit, static_cast<int>(parsed.size()));
  if (InfoOf(options.fit.method).uses_network) {
    std::set<int> columns;
    for (const auto& [text, expression] : parsed) {
      AmortisedStructure(expression, data.column_names, options.fit.method);  // complain before the work starts
      for (const int column : ColumnsOf(expression)) columns.insert(column);
    }
    const Encoding encoding = session.Encode(data, {columns.begin(), columns.end()}, 0, options.fit.method);
    return FromEncoding(session, encoding, parsed, std::move(warnings), options, total);
  }
  TimeSplit times;
  std::vector<FitAttempt> attempts = session.FitAll(data, ExpressionsOf(parsed), options.fit, &times);
  const std::vector<std::string> of_data = Scaled(data).warnings;
  warnings.insert(warnings.end(), of_data.begin(), of_data.end());
  return Assemble(parsed, std::move(attempts), options, std::move(warnings), times, session.pool(), total);
}

Ensemble FitEnsemble(Session& session, const Encoding& encoding, std::span<const std::string> kernels,
                     const EnsembleOptions& options) {
  options.Validate();
  const Stopwatch total;
  std::vector<std::string> warnings;
  const Kernels parsed = ParseAll(kernels, encoding.column_names, encoding.scaler.recipe.get(), warnings);
  return FromEncoding(session, encoding, parsed, std::move(warnings), options, total);
}

Ensemble FitEnsemble(const Dataset& data, std::span<const std::string> kernels, const EnsembleOptions& options,
                     const SessionOptions& session) {
  Session own(session);
  return FitEnsemble(own, data, kernels, options);
}

}  // namespace instantgp
