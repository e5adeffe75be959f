#include "instantgp/model/fit_ensemble.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <mutex>
#include <numbers>
#include <optional>
#include <span>
#include <utility>

#include "instantgp/base/error.h"
#include "instantgp/base/stopwatch.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/kernel/parse.h"
#include "instantgp/kernel/structure_list.h"

namespace instantgp {
namespace {

// Distinct kernels in the order of their canonical text, which does not depend on the order they were given in.
using Kernels = std::map<std::string, Expression>;

Kernels ParseAll(std::span<const std::string> texts, const std::vector<std::string>& column_names,
                 std::vector<std::string>& warnings) {
  if (texts.empty()) throw Error(ErrorCode::kUsage, "an ensemble needs at least one kernel");
  Kernels kernels;
  for (const std::string& text : texts) {
    Expression expression = ParseKernel(text, column_names);
    std::string canonical = Print(expression, column_names);
    const auto [place, added] = kernels.try_emplace(std::move(canonical), std::move(expression));
    if (!added) warnings.push_back("the kernel " + place->first + " is listed twice and counts once");
  }
  return kernels;
}

void CheckMemory(int n, std::size_t members, int threads) {
  const double matrix = 8.0 * n * n;
  const double needed = matrix * (static_cast<double>(members) + 2.0 * threads);
  if (needed <= kExactMemoryLimit) return;
  char text[256];
  std::snprintf(text, sizeof text,
                "%zu factors of %d rows need about %.1f GiB; the limit is %.1f GiB. Use fewer kernels or a random part "
                "of the rows.",
                members, n, needed / std::pow(2.0, 30), kExactMemoryLimit / std::pow(2.0, 30));
  throw Error(ErrorCode::kLimit, text);
}

struct Attempt {
  std::optional<Model> model;
  std::string failure;
};

// Calls fit(k) for every kernel on the pool's threads; numerical failures become part of the result.
std::vector<Attempt> FitAll(const Kernels& kernels, const std::function<Model(int, const std::string&)>& fit,
                            const EnsembleOptions& options, ThreadPool& pool) {
  std::vector<const std::string*> texts;
  for (const auto& [text, expression] : kernels) texts.push_back(&text);
  std::vector<Attempt> attempts(texts.size());
  std::mutex progress_mutex;
  int done = 0;
  pool.Run(static_cast<int>(texts.size()), [&](int k, int) {
    if (options.fit.stop.stop_requested()) throw Error(ErrorCode::kInterrupted, "interrupted while fitting");
    try {
      attempts[k].model = fit(k, *texts[k]);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kNumerical) throw;
      attempts[k].failure = error.what();
    }
    if (options.fit.progress) {
      const std::lock_guard<std::mutex> lock(progress_mutex);
      options.fit.progress(++done, static_cast<int>(texts.size()));
    }
  });
  return attempts;
}

// log p(y_i | the other rows) of every member, standardised y: (n, m).
Matrix LeftOutLogDensities(const std::vector<EnsembleMember>& members, ThreadPool& pool) {
  Matrix log_density(members.front().model.rows(), static_cast<Index>(members.size()));
  pool.Run(static_cast<int>(members.size()), [&](int k, int) {
    const LeaveOneOut loo = members[k].model.posterior().Loo();
    const Vector residual = members[k].model.posterior().y() - loo.mean;
    log_density.col(k) =
        -0.5 * ((2 * std::numbers::pi * loo.variance.array()).log() + residual.array().square() / loo.variance.array());
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
Ensemble Assemble(const Kernels& kernels, std::vector<Attempt> attempts, const EnsembleOptions& options,
                  std::vector<std::string> warnings, TimeSplit times, ThreadPool& pool, const Stopwatch& total) {
  std::vector<EnsembleMember> members;
  std::vector<FailedMember> failed;
  const std::vector<std::string> common = warnings;
  auto text = kernels.begin();
  for (Attempt& attempt : attempts) {
    const std::string& kernel = (text++)->first;
    if (!attempt.model) {
      warnings.push_back(kernel + " is left out: " + attempt.failure);
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
                "no member of the ensemble could be fitted; the first says: " + failed.front().reason);
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

// In parts of equal size, whatever the threads.
std::vector<Matrix> DecodeAll(const TrainedNetwork& network, const Encoding& encoding,
                              const std::vector<Structure>& structures, ThreadPool& pool) {
  constexpr std::size_t kPart = 6;
  std::vector<Matrix> thetas(structures.size());
  pool.Run(static_cast<int>((structures.size() + kPart - 1) / kPart), [&](int part, int) {
    const std::size_t first = kPart * static_cast<std::size_t>(part);
    const std::size_t count = std::min(kPart, structures.size() - first);
    std::vector<Matrix> own = network.Decode(encoding, std::span(structures).subspan(first, count));
    std::move(own.begin(), own.end(), thetas.begin() + static_cast<std::ptrdiff_t>(first));
  });
  return thetas;
}

Ensemble FromEncoding(const Encoding& encoding, const Kernels& kernels, std::vector<std::string> warnings,
                      const EnsembleOptions& options, ThreadPool& pool, const Stopwatch& total) {
  const TrainedNetwork& network = options.fit.network != nullptr ? *options.fit.network : TrainedNetwork::Embedded();
  std::vector<Structure> structures;
  for (const auto& [text, expression] : kernels) {
    structures.push_back(AmortisedStructure(expression, encoding.column_names, options.fit.method));
  }
  TimeSplit times;
  times.scale = encoding.scale_ms;
  times.encode = encoding.encode_ms;
  Stopwatch clock;
  const std::vector<Matrix> thetas = DecodeAll(network, encoding, structures, pool);
  times.decode = clock.Milliseconds();
  FitOptions each = options.fit;
  each.threads = 1;
  each.pool = nullptr;
  each.progress = {};
  clock = Stopwatch();
  std::vector<Attempt> attempts = FitAll(
      kernels, [&](int k, const std::string&) { return FitDecoded(encoding, structures[k], thetas[k], each); }, options,
      pool);
  times.factorize = clock.Milliseconds();
  warnings.insert(warnings.end(), encoding.warnings.begin(), encoding.warnings.end());
  return Assemble(kernels, std::move(attempts), options, std::move(warnings), times, pool, total);
}

int ThreadsFor(const EnsembleOptions& options, std::size_t kernels) {
  return std::min(ResolveThreads(options.fit.threads), static_cast<int>(kernels));
}

}  // namespace

void EnsembleOptions::Validate() const {
  fit.Validate();
  if (!(temperature >= 0) || !std::isfinite(temperature)) {
    throw Error(ErrorCode::kUsage,
                "the temperature must be positive (or 0 for its default), got " + std::to_string(temperature));
  }
}

std::vector<std::string> BuiltInKernels() {
  std::vector<std::string> kernels;
  for (const ColumnSymbols& symbols : BenchmarkStructures()) kernels.push_back(ShorthandText(symbols));
  return kernels;
}

Ensemble FitEnsemble(const Dataset& data, std::span<const std::string> kernels, const EnsembleOptions& options) {
  options.Validate();
  if (options.fit.method == Method::kSvgp) {
    throw Error(ErrorCode::kUsage,
                "ensembles weigh exact likelihoods, of which svgp has only a bound; use another method");
  }
  const Stopwatch total;
  std::vector<std::string> warnings;
  const Kernels parsed = ParseAll(kernels, data.column_names, warnings);
  ThreadPool pool(ThreadsFor(options, parsed.size()));
  CheckMemory(data.rows(), parsed.size(), pool.threads());
  if (options.fit.method == Method::kOneShot || options.fit.method == Method::kRefine) {
    std::vector<int> columns;
    for (const auto& [text, expression] : parsed) {
      AmortisedStructure(expression, data.column_names, options.fit.method);  // complain before the work starts
      for (const int column : ColumnsOf(expression)) columns.push_back(column);
    }
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    const TrainedNetwork& network = options.fit.network != nullptr ? *options.fit.network : TrainedNetwork::Embedded();
    Encoding encoding = network.Encode(data, columns, &pool);
    const std::vector<std::string> of_data = DataWarnings(data, encoding.scaler);
    encoding.warnings.insert(encoding.warnings.begin(), of_data.begin(), of_data.end());
    return FromEncoding(encoding, parsed, std::move(warnings), options, pool, total);
  }
  FitOptions each = options.fit;
  each.threads = 1;
  each.pool = nullptr;
  each.progress = {};
  const Stopwatch clock;
  std::vector<Attempt> attempts = FitAll(
      parsed, [&](int, const std::string& text) { return Fit(data, text, each); }, options, pool);
  TimeSplit times;
  times.optimize = clock.Milliseconds();
  const std::vector<std::string> of_data = DataWarnings(data, Scaler::Fit(data.X, data.y));
  warnings.insert(warnings.end(), of_data.begin(), of_data.end());
  return Assemble(parsed, std::move(attempts), options, std::move(warnings), times, pool, total);
}

Ensemble FitEnsembleEncoded(const Encoding& encoding, std::span<const std::string> kernels,
                            const EnsembleOptions& options) {
  options.Validate();
  const Stopwatch total;
  std::vector<std::string> warnings;
  const Kernels parsed = ParseAll(kernels, encoding.column_names, warnings);
  ThreadPool pool(ThreadsFor(options, parsed.size()));
  CheckMemory(static_cast<int>(encoding.X.rows()), parsed.size(), pool.threads());
  return FromEncoding(encoding, parsed, std::move(warnings), options, pool, total);
}

}  // namespace instantgp
