#include "instantgp/predict/fit.h"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <utility>

#include "instantgp/base/check.h"
#include "instantgp/base/error.h"
#include "instantgp/baselines/type2_ml.h"
#include "instantgp/kernel/parse.h"

namespace instantgp {
namespace {

constexpr std::array<std::pair<Method, std::string_view>, 4> kMethods = {
    {{Method::kMl, "ml"}, {Method::kAdam, "adam"}, {Method::kMultiStart, "multistart"}, {Method::kMap, "map"}}};

class Stopwatch {
 public:
  double Milliseconds() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void CheckMemory(int n) {
  const double needed = 3.0 * 8.0 * n * n;
  if (needed <= kExactMemoryLimit) return;
  char text[256];
  std::snprintf(text, sizeof text,
                "an exact fit of %d rows needs about %.1f GiB for its matrices; the limit is %.1f GiB (%d rows). "
                "Fit a random part of the rows instead.",
                n, needed / std::pow(2.0, 30), kExactMemoryLimit / std::pow(2.0, 30),
                static_cast<int>(std::sqrt(kExactMemoryLimit / 24)));
  throw Error(ErrorCode::kLimit, text);
}

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
  if (data.rows() < 3)
    warnings.push_back("only " + std::to_string(data.rows()) + " rows: parameters are hardly determined");
  return warnings;
}

Type2Options ToType2(const FitOptions& options) {
  Type2Options type2;
  type2.optimizer =
      options.method == Method::kMl || options.method == Method::kMap ? Optimizer::kLbfgs : Optimizer::kAdam;
  type2.map = options.method == Method::kMap;
  type2.max_steps = options.steps;
  type2.restarts = options.restarts;
  type2.seed = options.seed;
  type2.threads = options.threads;
  type2.stop = options.stop;
  type2.progress = options.progress;
  return type2;
}

}  // namespace

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
  if (threads < 0) throw Error(ErrorCode::kUsage, "threads must not be negative, got " + std::to_string(threads));
}

Model Fit(const Dataset& data, std::string_view kernel, const FitOptions& options) {
  options.Validate();
  const Stopwatch total;
  const Expression expression = ParseKernel(kernel, data.column_names);
  CheckMemory(data.rows());
  FitSummary summary;
  summary.method = Name(options.method);

  Stopwatch clock;
  Scaler scaler = Scaler::Fit(data.X, data.y);
  Matrix X = scaler.ScaleX(data.X);
  Vector y = scaler.ScaleY(data.y);
  std::vector<std::string> warnings = DataWarnings(data, scaler);
  summary.time_ms.scale = clock.Milliseconds();

  clock = Stopwatch();
  const Type2Options type2 = ToType2(options);
  const Type2Result result = options.method == Method::kMultiStart ? FitMultiStart(expression, X, y, type2)
                                                                   : FitType2(expression, X, y, type2);
  summary.time_ms.optimize = clock.Milliseconds();
  if (options.stop.stop_requested()) throw Error(ErrorCode::kInterrupted, "interrupted while fitting");
  if (!result.ok) throw Error(ErrorCode::kNumerical, "the fit failed: " + result.message);
  summary.evaluations = result.evaluations;
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

  clock = Stopwatch();
  Posterior posterior(expression, std::move(X), std::move(y), result.theta);
  summary.time_ms.factorize = clock.Milliseconds();
  if (posterior.jitter() > 0) {
    char text[128];
    std::snprintf(text, sizeof text, "a jitter of %.1e was added to the covariance's diagonal to factorise it",
                  posterior.jitter());
    warnings.push_back(text);
  }
  summary.time_ms.total = total.Milliseconds();
  return Model(std::move(posterior), std::move(scaler), data.column_names, data.target_name, std::move(summary),
               std::move(warnings));
}

}  // namespace instantgp
