#include "instantgp/model/session.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

#include "instantgp/base/error.h"
#include "instantgp/base/stopwatch.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/averaged_posterior.h"
#include "instantgp/gp/cholesky.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/gp/sparse_posterior.h"
#include "instantgp/inference/hypotheses_from_data.h"
#include "instantgp/inference/oneshot.h"
#include "instantgp/inference/parameter_draws.h"
#include "instantgp/inference/refine.h"
#include "instantgp/inference/svgp.h"
#include "instantgp/inference/type2_ml.h"
#include "instantgp/kernel/fixed.h"
#include "instantgp/kernel/log_parameters.h"
#include "instantgp/model/amortised_structure.h"
#include "instantgp/model/methods.h"
#include "instantgp/model/spoken_columns.h"
#include "instantgp/network/config.h"

namespace instantgp {
namespace {

constexpr int kSomeInducing = 500;       // what messages propose
constexpr std::size_t kDecodeBatch = 6;  // structures decoded together: larger batches gain nothing on two threads

double Gibibytes(double bytes) { return bytes / std::pow(2.0, 30); }

// Memory in messages: "37.3 GiB".
std::string Size(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GiB", Gibibytes(bytes));
  return text;
}

Type2Options ToType2(const FitOptions& options, std::stop_token stop, ThreadPool* pool) {
  Type2Options type2;
  type2.optimizer =
      options.method == Method::kAdam || options.method == Method::kMultiStart ? Optimizer::kAdam : Optimizer::kLbfgs;
  type2.map = options.method == Method::kMap || options.map;
  type2.max_steps = options.steps.value_or(0);
  type2.restarts = options.restarts;
  type2.seed = options.seed;
  type2.pool = pool;
  type2.stop = std::move(stop);
  type2.progress = options.progress;
  return type2;
}

FitSummary SummaryOf(const FitOptions& options, const ScaledTable& table) {
  FitSummary summary;
  summary.method = Name(options.method);
  summary.map = options.map;
  summary.time_ms.scale = table.scale_ms;
  return summary;
}

void AddType2(const Type2Result& result, FitSummary& summary, std::vector<std::string>& warnings) {
  summary.evaluations += result.evaluations;
  summary.steps = result.steps;
  summary.rejected = result.rejected;
  summary.starts = result.starts;
  summary.stop_reason = Describe(result.reason);
  summary.nlml_start = result.nlml_start;
  summary.nlml = result.nlml;
  if (result.reason == StopReason::kMaxSteps) {
    warnings.push_back("stopped at the step limit (" + std::to_string(result.steps) +
                       "); more steps may improve the fit");
  }
}

void WarnOfJitter(const Posterior& posterior, std::vector<std::string>& warnings) {
  if (posterior.jitter() <= 0) return;
  char text[128];
  std::snprintf(text, sizeof text, "a jitter of %.1e was added to the covariance's diagonal to factorise it",
                posterior.jitter());
  warnings.push_back(text);
}

void RequireNoTransform(const FitOptions& options) {
  if (options.transform == TransformChoice::kNone) return;
  throw Error(ErrorCode::kUsage,
              "a transform is for the fit of one kernel to a table; encodings, ensembles and search take targets as "
              "they are",
              {{"transform", "none"}});
}

void RequireNetworkMethod(const FitOptions& options) {
  RequireNoTransform(options);
  if (options.method == Method::kNeighbours) {
    throw Error(ErrorCode::kUsage,
                "the method neighbours reads the table itself, in parts; an encoding, an ensemble or an update of an "
                "exact model needs another method",
                {{"method", "oneshot"}});
  }
  if (InfoOf(options.method).uses_network) return;
  throw Error(ErrorCode::kUsage,
              "an encoding serves the methods that ask the network, not " + std::string(Name(options.method)) +
                  "; fit the data itself",
              {{"method", "oneshot"}});
}

}  // namespace

Session::Session(SessionOptions options) : options_(std::move(options)) { options_.Validate(); }
Session::~Session() = default;

const TrainedNetwork& Session::network(Method method) const {
  const bool ahgp = method == Method::kAhgp;
  if (options_.network == nullptr) return ahgp ? TrainedNetwork::EmbeddedAhgp() : TrainedNetwork::Embedded();
  if (ahgp && options_.network->config().family != NetworkFamily::kAhgp) {
    throw Error(ErrorCode::kUsage,
                "the method ahgp needs weights of the ahgp family; these belong to the network '" +
                    options_.network->config().name + "'. Leave the weights out, or use the method oneshot",
                {{"method", "oneshot"}});
  }
  return *options_.network;
}

ThreadPool& Session::pool() {
  if (!pool_) pool_ = std::make_unique<ThreadPool>(ResolveThreads(options_.threads));
  return *pool_;
}

ThreadPool* Session::PoolFor(int n) { return n < kTwoPartSize ? nullptr : &pool(); }

void Session::StopIfAsked(std::string_view doing) const {
  if (options_.stop.stop_requested()) {
    throw Error(ErrorCode::kInterrupted, "interrupted while " + std::string(doing));
  }
}

void Session::CheckMemory(int n, const FitOptions& options) const {
  if (options.method == Method::kNeighbours) return;  // depends on the columns too: FitNeighbours
  const double needed = EstimateCost(n, options).bytes, limit = options_.memory_limit;
  if (needed <= limit) return;
  const std::string some = std::to_string(kSomeInducing);
  if (InfoOf(options.method).sparse) {
    throw Error(ErrorCode::kLimit,
                "a sparse fit of " + std::to_string(n) + " rows with " +
                    std::to_string(ResolveInducing(options.inducing, n)) + " inducing points needs about " +
                    Size(needed) + " for its matrices; the limit is " + Size(limit) +
                    ". Use fewer inducing points, for example " + some + ".",
                {{"inducing", some}});
  }
  const int most = static_cast<int>(std::sqrt(limit / (needed / n / n)));
  throw Error(ErrorCode::kLimit,
              "an exact fit of " + std::to_string(n) + " rows needs about " + Size(needed) +
                  " for its matrices; the limit is " + Size(limit) + " (" + std::to_string(most) +
                  " rows). Use the method neighbours, which predicts from the nearest rows, the method svgp with " +
                  some + " inducing points, or fit a random subset of the rows.",
              {{"method", "neighbours"}});
}

int Session::MostExactRows(int factors) const {
  return static_cast<int>(std::sqrt(options_.memory_limit / (EstimateCost(1, {}).bytes * factors)));
}

void Session::CheckMemory(int n, const FitOptions& options, int models) const {
  if (models == 1) return CheckMemory(n, options);
  const int threads = std::min(ResolveThreads(options_.threads), models);
  const double needed = 8.0 * n * n * (models + 2.0 * threads);  // the factors kept, and the work of each thread
  if (needed <= options_.memory_limit) return;
  throw Error(ErrorCode::kLimit, std::to_string(models) + " factors of " + std::to_string(n) + " rows need about " +
                                     Size(needed) + "; the limit is " + Size(options_.memory_limit) +
                                     ". Use fewer kernels or a random subset of the rows.");
}

Encoding Session::Encode(const Dataset& data, std::vector<int> columns, int most_rows, Method method) {
  Encoding encoding = network(method).Encode(data, std::move(columns), &pool(), most_rows);
  StopIfAsked("encoding");
  return encoding;
}

Model Session::FitUnder(const TargetTransform& transform, const Dataset& data, std::string_view kernel,
                        const FitOptions& asked_options) {
  const FitOptions options = ResolveForRows(asked_options, data.rows(), options_.memory_limit);
  const bool asks_network = InfoOf(options.method).uses_network;
  if (asks_network) network(options.method);  // reading the weights, once in a process, is not part of a fit's time
  const Stopwatch total;
  const Expression expression = ParseKernelOver(kernel, data.column_names, data.recipe.get());
  CheckMemory(data.rows(), options);
  const std::vector<std::string> remarks = GapWarnings(expression, data.recipe.get());
  if (!asks_network) {
    ScaledTable table = Scaled(data, transform);
    table.warnings.insert(table.warnings.end(), remarks.begin(), remarks.end());
    return Fit(std::move(table), expression, options);
  }
  const Structure structure = AmortisedStructure(expression, data.column_names, options.method);
  if (options.method == Method::kNeighbours) {
    ScaledTable table = Scaled(data, transform);
    table.warnings.insert(table.warnings.end(), remarks.begin(), remarks.end());
    const bool instead_of_exact = asked_options.method != Method::kNeighbours;
    return FitNeighbours(std::move(table), expression, structure, options, instead_of_exact, total);
  }
  Encoding encoding = network(options.method).Encode(Scaled(data, transform), structure.columns, &pool());
  StopIfAsked("encoding");
  encoding.warnings.insert(encoding.warnings.end(), remarks.begin(), remarks.end());
  return FitDecoded(encoding, structure, &expression, nullptr, options, kParameterDraws, &pool(), total);
}

Model Session::Fit(const Encoding& encoding, std::string_view kernel, const FitOptions& options) {
  options.Validate();
  RequireNetworkMethod(options);
  const Stopwatch total;
  const Expression expression = ParseKernelOver(kernel, encoding.column_names, encoding.scaler.recipe.get());
  CheckMemory(encoding.rows(), options);
  const Structure structure = AmortisedStructure(expression, encoding.column_names, options.method);
  return FitDecoded(encoding, structure, &expression, nullptr, options, kParameterDraws, &pool(), total);
}

Model Session::Fit(const Encoding& encoding, const Expression& kernel, const Matrix& hypotheses,
                   const FitOptions& options) {
  options.Validate();
  RequireNetworkMethod(options);
  CheckMemory(encoding.rows(), options);
  const Structure structure = AmortisedStructure(kernel, encoding.column_names, options.method);
  return FitDecoded(encoding, structure, &kernel, &hypotheses, options, kParameterDraws, &pool(), Stopwatch());
}

Model Session::Fit(ScaledTable table, const Expression& expression, const FitOptions& options,
                   const LogParameters* start) {
  options.Validate();
  if (options.method == Method::kNeighbours) {
    const Structure structure = AmortisedStructure(expression, table.column_names, options.method);
    return FitNeighbours(std::move(table), expression, structure, options, false, Stopwatch());
  }
  CheckMemory(table.rows(), options);
  ThreadPool* threads = options.method == Method::kMultiStart ? &pool() : PoolFor(table.rows());
  return FitScaled(std::move(table), expression, options, start, threads);
}

// Chooses among the decoded parameters, and for refine polishes; `total` started with the fit.
Model Session::FitDecoded(const Encoding& encoding, const Structure& structure, const Expression* kernel,
                          const Matrix* hypotheses, const FitOptions& options, int draws, ThreadPool* pool,
                          const Stopwatch& total, const std::map<int, std::vector<Wave>>* waves,
                          const LogParameters* near) const {
  const TrainedNetwork& asked = network(options.method);
  FitSummary summary = SummaryOf(options, encoding);
  summary.time_ms.encode = encoding.encode_ms;
  std::vector<std::string> warnings = encoding.warnings;
  OneShot found = InferOneShot(asked, encoding, structure,
                               {.pool = pool,
                                .decoded = hypotheses,
                                .bare = options.method == Method::kOneShot && options.steps == 0,
                                .leave_steps = options.method == Method::kRefine && !options.steps,
                                .kernel = kernel,
                                .draws = options.method == Method::kOneShot ? draws : 0,
                                .waves = waves,
                                .near = near});
  summary.time_ms.decode = found.decode_ms;
  summary.time_ms.factorize = found.factorize_ms;
  summary.evaluations = found.evaluations;
  summary.stop_reason = found.stepped ? "one forward pass, a few steps down the likelihood" : "one forward pass";
  summary.nlml = summary.nlml_start = found.posterior.nlml();

  if (options.method == Method::kRefine) {
    Stopwatch clock;
    Type2Options type2 = ToType2(options, options_.stop, pool);
    const Scaler& scaler = encoding.scaler;
    if (kernel != nullptr) type2.fixed = FixedRowsOf(*kernel, scaler.x_range, scaler.y_std);
    const Type2Result result =
        Refine(ToExpression(structure), encoding.X, encoding.y, found.posterior.theta(), found.other, type2);
    summary.time_ms.optimize = clock.Milliseconds();
    StopIfAsked("refining");
    // Under ML the better end is the smaller NLML; under MAP the optimiser only accepts better posterior densities.
    if (result.ok && (options.map || result.nlml <= summary.nlml)) {
      const double before = summary.nlml;
      AddType2(result, summary, warnings);
      summary.nlml_start = before;  // the one-shot point, not where the polish began
      clock = Stopwatch();
      found.posterior = Posterior(found.posterior.expression(), encoding.X, encoding.y, result.theta);
      summary.time_ms.factorize += clock.Milliseconds();
    }
  }
  WarnOfJitter(found.posterior, warnings);
  if (found.draws.cols() > 0) {
    const Stopwatch clock;
    AveragedPosterior averaged(std::move(found.posterior), found.draws, pool);
    summary.time_ms.factorize += clock.Milliseconds();
    summary.time_ms.total = total.Milliseconds();
    return Model(std::move(averaged), encoding.scaler, encoding.column_names, encoding.target_name, std::move(summary),
                 std::move(warnings));
  }
  summary.time_ms.total = total.Milliseconds();
  return Model(std::move(found.posterior), encoding.scaler, encoding.column_names, encoding.target_name,
               std::move(summary), std::move(warnings));
}

Model Session::FitScaled(ScaledTable table, const Expression& expression, const FitOptions& options,
                         const LogParameters* start, ThreadPool* pool) const {
  if (InfoOf(options.method).sparse) return FitSparse(std::move(table), expression, options, pool);
  FitSummary summary = SummaryOf(options, table);
  std::vector<std::string> warnings = std::move(table.warnings);
  Stopwatch clock;
  Type2Options type2 = ToType2(options, options_.stop, pool);
  type2.fixed = FixedRowsOf(expression, table.scaler.x_range, table.scaler.y_std);
  const bool many = options.method == Method::kMultiStart && start == nullptr;
  const Type2Result result =
      many ? FitMultiStart(expression, table.X, table.y, type2)
           : FitType2(expression, table.X, table.y, type2, start != nullptr ? *start : LogParameters());
  summary.time_ms.optimize = clock.Milliseconds();
  StopIfAsked("fitting");
  if (!result.ok) throw Error(ErrorCode::kNumerical, "the fit failed: " + result.message);
  AddType2(result, summary, warnings);

  clock = Stopwatch();
  Posterior posterior(expression, std::move(table.X), std::move(table.y), result.theta);
  summary.time_ms.factorize = clock.Milliseconds();
  WarnOfJitter(posterior, warnings);
  TimeSplit& times = summary.time_ms;
  times.total = times.scale + times.optimize + times.factorize;
  return Model(std::move(posterior), std::move(table.scaler), std::move(table.column_names),
               std::move(table.target_name), std::move(summary), std::move(warnings));
}

Model Session::FitSparse(ScaledTable table, const Expression& expression, const FitOptions& options,
                         ThreadPool* pool) const {
  SvgpOptions svgp;
  svgp.inducing = options.inducing;
  svgp.max_steps = options.steps.value_or(0);
  svgp.seed = options.seed;
  svgp.pool = pool;
  svgp.stop = options_.stop;
  svgp.progress = options.progress;
  svgp.fixed = FixedRowsOf(expression, table.scaler.x_range, table.scaler.y_std);
  FitSummary summary = SummaryOf(options, table);
  Stopwatch clock;
  SvgpResult result = FitSvgp(expression, table.X, table.y, svgp);
  summary.time_ms.optimize = clock.Milliseconds();
  StopIfAsked("fitting");
  if (!result.ok) throw Error(ErrorCode::kNumerical, "the fit failed: " + result.message);
  summary.evaluations = result.evaluations;
  summary.steps = result.steps;
  summary.rejected = result.rejected;
  summary.stop_reason = Describe(result.reason);
  summary.nlml_start = result.negative_elbo_start;
  summary.nlml = result.negative_elbo;
  clock = Stopwatch();
  SparsePosterior posterior(expression, std::move(table.X), std::move(table.y), std::move(result.Z),
                            std::move(result.theta));
  TimeSplit& times = summary.time_ms;
  times.factorize = clock.Milliseconds();
  times.total = times.scale + times.optimize + times.factorize;
  return Model(std::move(posterior), std::move(table.scaler), std::move(table.column_names),
               std::move(table.target_name), std::move(summary), std::move(table.warnings));
}

std::vector<FitAttempt> Session::Loop(int count, const FitOptions& options, const std::function<Model(int)>& fit) {
  std::vector<FitAttempt> attempts(static_cast<std::size_t>(count));
  std::mutex progress_mutex;
  int done = 0;
  pool().Run(count, [&](int k, int) {
    StopIfAsked("fitting");
    try {
      attempts[k].model = fit(k);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kNumerical) throw;
      attempts[k].failure = error.what();
    }
    if (options.progress) {
      const std::lock_guard<std::mutex> lock(progress_mutex);
      options.progress(++done, count);
    }
  });
  return attempts;
}

std::vector<FitAttempt> Session::FitAll(const Encoding& encoding, std::span<const Expression> kernels,
                                        const FitOptions& options, TimeSplit* times,
                                        const std::vector<LogParameters>* near) {
  options.Validate();
  RequireNetworkMethod(options);
  std::vector<Structure> structures;
  for (const Expression& kernel : kernels) {
    structures.push_back(AmortisedStructure(kernel, encoding.column_names, options.method));
  }
  CheckMemory(encoding.rows(), options, static_cast<int>(kernels.size()));
  // In batches of equal size, whatever the threads. Beside them the waves of the data, once for all kernels: with four
  // kernels of 50 rows that have periods they would be a fifth of the time.
  Stopwatch clock;
  ColumnWaves waves;
  if (options.method != Method::kAhgp) {
    for (std::size_t k = 0; k < structures.size(); ++k) {
      if (near != nullptr && (*near)[k].size() > 0) continue;
      for (const int column : ColumnsWithPeriods(structures[k])) waves[column];
    }
  }
  std::vector<Matrix> hypotheses(structures.size());
  const TrainedNetwork& asked = network(options.method);
  const int batches = static_cast<int>((structures.size() + kDecodeBatch - 1) / kDecodeBatch);
  pool().Run(static_cast<int>(waves.size()) + batches, [&](int k, int) {
    if (k < static_cast<int>(waves.size())) {
      auto& [column, found] = *std::next(waves.begin(), k);
      found = WavesOf(encoding.X, encoding.y, column);
      return;
    }
    const int batch = k - static_cast<int>(waves.size());
    const std::size_t first = kDecodeBatch * static_cast<std::size_t>(batch);
    const std::size_t count = std::min(kDecodeBatch, structures.size() - first);
    std::vector<Matrix> own = asked.Decode(encoding, std::span(structures).subspan(first, count));
    std::move(own.begin(), own.end(), hypotheses.begin() + static_cast<std::ptrdiff_t>(first));
  });
  const double decode_ms = clock.Milliseconds();
  FitOptions each = options;
  each.progress = {};
  clock = Stopwatch();
  std::vector<FitAttempt> attempts = Loop(static_cast<int>(kernels.size()), options, [&](int k) {
    // Several kernels are an average themselves, and go without draws.
    const int draws = kernels.size() == 1 ? kParameterDraws : 0;
    const LogParameters* own = near != nullptr && (*near)[k].size() > 0 ? &(*near)[k] : nullptr;
    return FitDecoded(encoding, structures[k], &kernels[k], &hypotheses[k], each, draws, nullptr, Stopwatch(),
                      own != nullptr ? nullptr : &waves, own);
  });
  if (times != nullptr) {
    times->decode = decode_ms;
    times->factorize = clock.Milliseconds();
  }
  return attempts;
}

std::vector<FitAttempt> Session::FitAll(const Dataset& data, std::span<const Expression> kernels,
                                        const FitOptions& options, TimeSplit* times) {
  options.Validate();
  RequireNoTransform(options);
  CheckMemory(data.rows(), options, static_cast<int>(kernels.size()));
  if (InfoOf(options.method).uses_network) return FitAll(Encode(data, {}, 0, options.method), kernels, options, times);
  FitOptions each = options;
  each.progress = {};
  const Stopwatch clock;
  const ScaledTable table = Scaled(data);
  std::vector<FitAttempt> attempts = Loop(static_cast<int>(kernels.size()), options,
                                          [&](int k) { return FitScaled(table, kernels[k], each, nullptr, nullptr); });
  if (times != nullptr) times->optimize = clock.Milliseconds();
  return attempts;
}

}  // namespace instantgp
