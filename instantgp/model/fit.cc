#include "instantgp/model/fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>

#include "instantgp/base/check.h"
#include "instantgp/base/error.h"
#include "instantgp/base/stopwatch.h"
#include "instantgp/inference/hypotheses_from_data.h"
#include "instantgp/inference/oneshot.h"
#include "instantgp/inference/refine.h"
#include "instantgp/inference/svgp.h"
#include "instantgp/inference/type2_ml.h"
#include "instantgp/kernel/parse.h"

namespace instantgp {
namespace {

constexpr std::array<std::pair<Method, std::string_view>, 8> kMethods = {{{Method::kOneShot, "oneshot"},
                                                                          {Method::kRefine, "refine"},
                                                                          {Method::kMl, "ml"},
                                                                          {Method::kAdam, "adam"},
                                                                          {Method::kMultiStart, "multistart"},
                                                                          {Method::kMap, "map"},
                                                                          {Method::kSvgp, "svgp"},
                                                                          {Method::kAhgp, "ahgp"}}};

// Columns, hypotheses and halves of a matrix are what one fit can share out.
constexpr int kMostUsefulThreads = 8;

constexpr int kSomeInducing = 500;  // what messages propose

void CheckMemory(int n, const FitOptions& options) {
  const double needed = EstimateCost(n, options).bytes;
  if (needed <= kExactMemoryLimit) return;
  char text[320];
  const double gib = std::pow(2.0, 30);
  if (options.method == Method::kSvgp) {
    std::snprintf(text, sizeof text,
                  "a sparse fit of %d rows with %d inducing points needs about %.1f GiB for its matrices; the limit is "
                  "%.1f GiB. Ask for fewer with --inducing, for example %d.",
                  n, ResolveInducing(options.inducing, n), needed / gib, kExactMemoryLimit / gib, kSomeInducing);
  } else {
    std::snprintf(text, sizeof text,
                  "an exact fit of %d rows needs about %.1f GiB for its matrices; the limit is %.1f GiB (%d rows). "
                  "Use --method svgp --inducing %d, or fit a random part of the rows.",
                  n, needed / gib, kExactMemoryLimit / gib,
                  static_cast<int>(std::sqrt(kExactMemoryLimit / (needed / n / n))), kSomeInducing);
  }
  throw Error(ErrorCode::kLimit, text);
}

Type2Options ToType2(const FitOptions& options) {
  Type2Options type2;
  type2.optimizer =
      options.method == Method::kAdam || options.method == Method::kMultiStart ? Optimizer::kAdam : Optimizer::kLbfgs;
  type2.map = options.method == Method::kMap || (options.method == Method::kRefine && options.map);
  type2.max_steps = options.steps;
  type2.restarts = options.restarts;
  type2.seed = options.seed;
  type2.threads = options.threads;
  type2.stop = options.stop;
  type2.progress = options.progress;
  return type2;
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
                       "); more --steps may improve the fit");
  }
}

void WarnOfJitter(const Posterior& posterior, std::vector<std::string>& warnings) {
  if (posterior.jitter() <= 0) return;
  char text[128];
  std::snprintf(text, sizeof text, "a jitter of %.1e was added to the covariance's diagonal to factorise it",
                posterior.jitter());
  warnings.push_back(text);
}

bool UsesNetwork(Method method) {
  return method == Method::kOneShot || method == Method::kRefine || method == Method::kAhgp;
}

const TrainedNetwork& NetworkOf(const FitOptions& options) {
  const bool ahgp = options.method == Method::kAhgp;
  if (options.network == nullptr) return ahgp ? TrainedNetwork::EmbeddedAhgp() : TrainedNetwork::Embedded();
  if (ahgp && options.network->config().family != NetworkFamily::kAhgp) {
    throw Error(ErrorCode::kUsage,
                "--method ahgp needs weights of the ahgp family; the given ones are of the network '" +
                    options.network->config().name + "'. Leave --weights out, or use --method oneshot");
  }
  return *options.network;
}

// The threads of one fit: the caller's, or own ones.
class FitThreads {
 public:
  explicit FitThreads(const FitOptions& options) : pool_(options.pool) {
    if (pool_ != nullptr) return;
    pool_ = &own_.emplace(std::min(ResolveThreads(options.threads), kMostUsefulThreads));
  }
  ThreadPool* pool() { return pool_; }

 private:
  std::optional<ThreadPool> own_;
  ThreadPool* pool_;
};

// Chooses among the decoded parameters, and for refine polishes; `total` started with the fit.
Model FitFromDecoded(const Encoding& encoding, const Expression& expression, const Structure& structure,
                     const Matrix& decoded, double decode_ms, const FitOptions& options, ThreadPool* pool,
                     const Stopwatch& total) {
  FitSummary summary;
  summary.method = Name(options.method);
  summary.time_ms.scale = encoding.scale_ms;
  summary.time_ms.encode = encoding.encode_ms;
  std::vector<std::string> warnings = encoding.warnings;

  summary.time_ms.decode = decode_ms;
  Stopwatch clock;
  // The AHGP baseline stands as it is.
  const bool ahgp_baseline = options.method == Method::kAhgp;
  const Matrix theta = ahgp_baseline ? decoded : WithHypothesesFromData(structure, encoding.X, encoding.y, decoded);
  const std::optional<ClosedFormScale> scale = ScaleOf(NetworkOf(options).config());
  OneShot found = ChoosePosterior(structure, encoding.X, encoding.y, theta, scale, pool,
                                  ahgp_baseline ? GradientStep::kNo : GradientStep::kYes);
  summary.time_ms.factorize = clock.Milliseconds();
  summary.evaluations = found.evaluations;
  summary.stop_reason = found.stepped ? "one forward pass, one step down the gradient" : "one forward pass";
  summary.nlml = summary.nlml_start = found.posterior.nlml();

  if (options.method == Method::kRefine) {
    clock = Stopwatch();
    const Type2Result result =
        Refine(structure, encoding.X, encoding.y, theta, scale, found.posterior.theta(), ToType2(options), pool);
    summary.time_ms.optimize = clock.Milliseconds();
    if (options.stop.stop_requested()) throw Error(ErrorCode::kInterrupted, "interrupted while refining");
    // Under ML the better end is the smaller NLML; under MAP the optimiser only accepts better posterior densities.
    if (result.ok && (options.map || result.nlml <= summary.nlml)) {
      const double before = summary.nlml;
      AddType2(result, summary, warnings);
      summary.nlml_start = before;  // the one-shot point, not where the polish began
      clock = Stopwatch();
      found.posterior = Posterior(expression, encoding.X, encoding.y, result.theta);
      summary.time_ms.factorize += clock.Milliseconds();
    }
  }
  WarnOfJitter(found.posterior, warnings);
  summary.time_ms.total = total.Milliseconds();
  return Model(std::move(found.posterior), encoding.scaler, encoding.column_names, encoding.target_name,
               std::move(summary), std::move(warnings));
}

Model FitFromEncoding(const Encoding& encoding, const Expression& expression, const Structure& structure,
                      const FitOptions& options, ThreadPool* pool, const Stopwatch& total) {
  const Stopwatch clock;
  const Matrix theta = NetworkOf(options).Decode(encoding, structure, pool);
  return FitFromDecoded(encoding, expression, structure, theta, clock.Milliseconds(), options, pool, total);
}

void RequireNetworkMethod(const FitOptions& options) {
  if (!UsesNetwork(options.method)) {
    throw Error(ErrorCode::kUsage, "an encoding serves the methods oneshot, refine and ahgp, not " +
                                       std::string(Name(options.method)) + "; fit the data itself");
  }
}

// From scaled data; `summary` and `warnings` hold what is known so far.
Model FitSparse(const Dataset& data, const Expression& expression, Scaler scaler, Matrix X, Vector y,
                const FitOptions& options, FitSummary summary, std::vector<std::string> warnings,
                const Stopwatch& total) {
  SvgpOptions svgp;
  svgp.inducing = options.inducing;
  svgp.max_steps = options.steps;
  svgp.seed = options.seed;
  svgp.threads = options.threads;
  svgp.stop = options.stop;
  svgp.progress = options.progress;
  Stopwatch clock;
  SvgpResult result = FitSvgp(expression, X, y, svgp);
  summary.time_ms.optimize = clock.Milliseconds();
  if (options.stop.stop_requested()) throw Error(ErrorCode::kInterrupted, "interrupted while fitting");
  if (!result.ok) throw Error(ErrorCode::kNumerical, "the fit failed: " + result.message);
  summary.evaluations = result.evaluations;
  summary.steps = result.steps;
  summary.rejected = result.rejected;
  summary.stop_reason = Describe(result.reason);
  summary.nlml_start = result.negative_elbo_start;
  summary.nlml = result.negative_elbo;
  clock = Stopwatch();
  SparsePosterior posterior(expression, std::move(X), std::move(y), std::move(result.Z), std::move(result.theta));
  summary.time_ms.factorize = clock.Milliseconds();
  summary.time_ms.total = total.Milliseconds();
  return Model(std::move(posterior), std::move(scaler), data.column_names, data.target_name, std::move(summary),
               std::move(warnings));
}

}  // namespace

std::vector<std::string> DataWarnings(const Dataset& data, const Scaler& scaler) {
  std::vector<std::string> warnings;
  for (int k = 0; k < data.columns(); ++k) {
    if (scaler.constant_column[k]) {
      warnings.push_back("column '" + data.column_names[k] + "' is constant: it carries no information");
    }
  }
  if (scaler.constant_target && data.rows() > 1) {
    warnings.push_back("the target '" + data.target_name + "' is constant: the model predicts that value everywhere");
  }
  if (data.rows() < 3) {
    warnings.push_back("only " + std::to_string(data.rows()) + " rows: parameters are hardly determined");
  }
  return warnings;
}

Structure AmortisedStructure(const Expression& expression, const std::vector<std::string>& column_names,
                             Method method) {
  std::optional<Structure> structure = ToStructure(expression);
  if (!structure) {
    throw Error(ErrorCode::kBadInput,
                "the network cannot answer for this kernel: " + WhyOutsideFamily(expression, column_names) +
                    ". Use --method ml instead of " + std::string(Name(method)) + ".");
  }
  return *std::move(structure);
}

FitCost EstimateCost(int n, const FitOptions& options) {
  // Matrices held at once: the factor and its copy in the model; an optimiser's work matrix and gradient besides.
  const double count = n;
  if (options.method == Method::kSvgp) {
    const double m = ResolveInducing(options.inducing, n);
    return {SvgpMemory(n, static_cast<Index>(m)), 300 * (5 * count * m * m + 6 * m * m * m) / 20e9};
  }
  const bool once = options.method == Method::kOneShot || options.method == Method::kAhgp;
  const double factorisations = once ? 1 : options.method == Method::kMultiStart ? 150.0 * options.restarts : 50;
  const double operations = count * count * count * (once ? 1.0 / 3 : 1.5);
  return {(once ? 2.0 : 3.0) * 8 * count * count, factorisations * operations / 20e9};
}

std::string_view Name(Method method) {
  for (const auto& [value, name] : kMethods) {
    if (value == method) return name;
  }
  return "";
}

std::optional<Method> MethodFromName(std::string_view name) {
  for (const auto& [value, text] : kMethods) {
    if (text == name) return value;
  }
  return std::nullopt;
}

std::string ListMethods() {
  std::string list;
  for (const auto& [value, name] : kMethods) list += (list.empty() ? "" : ", ") + std::string(name);
  return list;
}

void FitOptions::Validate() const {
  if (steps < 0) throw Error(ErrorCode::kUsage, "steps must not be negative, got " + std::to_string(steps));
  if (restarts < 1) throw Error(ErrorCode::kUsage, "restarts must be at least 1, got " + std::to_string(restarts));
  if (inducing < 0) throw Error(ErrorCode::kUsage, "inducing must not be negative, got " + std::to_string(inducing));
  if (threads < 0) throw Error(ErrorCode::kUsage, "threads must not be negative, got " + std::to_string(threads));
}

Model Fit(const Dataset& data, std::string_view kernel, const FitOptions& options) {
  options.Validate();
  const bool with_network = UsesNetwork(options.method);
  if (with_network) NetworkOf(options);  // reading the weights, once in a process, is not part of a fit's time
  const Stopwatch total;
  const Expression expression = ParseKernel(kernel, data.column_names);
  CheckMemory(data.rows(), options);
  if (with_network) {
    const Structure structure = AmortisedStructure(expression, data.column_names, options.method);
    FitThreads threads(options);
    Encoding encoding = NetworkOf(options).Encode(data, structure.columns, threads.pool());
    if (options.stop.stop_requested()) throw Error(ErrorCode::kInterrupted, "interrupted while encoding");
    const std::vector<std::string> of_data = DataWarnings(data, encoding.scaler);
    encoding.warnings.insert(encoding.warnings.begin(), of_data.begin(), of_data.end());
    return FitFromEncoding(encoding, expression, structure, options, threads.pool(), total);
  }
  FitSummary summary;
  summary.method = Name(options.method);

  Stopwatch clock;
  Scaler scaler = Scaler::Fit(data.X, data.y);
  Matrix X = scaler.ScaleX(data.X);
  Vector y = scaler.ScaleY(data.y);
  std::vector<std::string> warnings = DataWarnings(data, scaler);
  summary.time_ms.scale = clock.Milliseconds();
  if (options.method == Method::kSvgp) {
    return FitSparse(data, expression, std::move(scaler), std::move(X), std::move(y), options, std::move(summary),
                     std::move(warnings), total);
  }

  clock = Stopwatch();
  const Type2Options type2 = ToType2(options);
  const Type2Result result = options.method == Method::kMultiStart ? FitMultiStart(expression, X, y, type2)
                                                                   : FitType2(expression, X, y, type2);
  summary.time_ms.optimize = clock.Milliseconds();
  if (options.stop.stop_requested()) throw Error(ErrorCode::kInterrupted, "interrupted while fitting");
  if (!result.ok) throw Error(ErrorCode::kNumerical, "the fit failed: " + result.message);
  AddType2(result, summary, warnings);

  clock = Stopwatch();
  Posterior posterior(expression, std::move(X), std::move(y), result.theta);
  summary.time_ms.factorize = clock.Milliseconds();
  WarnOfJitter(posterior, warnings);
  summary.time_ms.total = total.Milliseconds();
  return Model(std::move(posterior), std::move(scaler), data.column_names, data.target_name, std::move(summary),
               std::move(warnings));
}

Model FitEncoded(const Encoding& encoding, std::string_view kernel, const FitOptions& options) {
  options.Validate();
  RequireNetworkMethod(options);
  const Stopwatch total;
  const Expression expression = ParseKernel(kernel, encoding.column_names);
  CheckMemory(static_cast<int>(encoding.X.rows()), options);
  const Structure structure = AmortisedStructure(expression, encoding.column_names, options.method);
  FitThreads threads(options);
  return FitFromEncoding(encoding, expression, structure, options, threads.pool(), total);
}

Model FitDecoded(const Encoding& encoding, const Structure& structure, const Matrix& theta, const FitOptions& options) {
  options.Validate();
  RequireNetworkMethod(options);
  const Stopwatch total;
  CheckMemory(static_cast<int>(encoding.X.rows()), options);
  FitThreads threads(options);
  return FitFromDecoded(encoding, ToExpression(structure), structure, theta, 0, options, threads.pool(), total);
}

}  // namespace instantgp
