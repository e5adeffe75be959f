#include "instantgp/inference/svgp.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "instantgp/base/rng.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/collapsed_bound.h"
#include "instantgp/inference/noise_floor.h"
#include "instantgp/inference/soft_wall.h"
#include "instantgp/inference/type2_ml.h"
#include "instantgp/optimize/adam.h"

namespace instantgp {
namespace {

constexpr int kMaxSteps = 500;  // the paper's
constexpr int kWindow = 10;     // steps over which the bound is compared; why not one: svgp.h

// Negative ELBO per point and the walls on theta; the vector is (theta, inducing inputs column by column).
class SvgpObjective final : public FirstOrderFunction {
 public:
  SvgpObjective(const Covariance& covariance, const Matrix& X, const Vector& y, Index inducing, ThreadPool* pool)
      : covariance_(covariance),
        X_(X),
        y_(y),
        floor_(covariance.expression(), X, y),
        theta_size_(covariance.num_parameters() + 1),
        Z_(inducing, X.cols()) {
    workspace_.pool = pool;
  }

  int size() const override { return static_cast<int>(theta_size_ + Z_.size()); }

  bool Evaluate(const Vector& x, double* value, Vector* gradient) override {
    const LogParameters theta = x.head(theta_size_);
    Z_.reshaped() = x.tail(Z_.size());
    const bool wanted = gradient != nullptr;
    const BoundValue bound = NegativeElbo(covariance_, X_, y_, Z_, theta, wanted ? &theta_gradient_ : nullptr,
                                          wanted ? &Z_gradient_ : nullptr, workspace_);
    if (!bound.ok) return false;
    *value = bound.negative_elbo;
    AddSoftWall(theta, value, wanted ? &theta_gradient_ : nullptr);
    floor_.AddWall(theta, value, wanted ? &theta_gradient_ : nullptr);
    if (wanted) {
      fixed.Hold(theta_gradient_);
      gradient->resize(x.size());
      *gradient << theta_gradient_, Z_gradient_.reshaped();
    }
    ++evaluations_;
    if (progress) progress(evaluations_);
    return true;
  }

  double Bound(const Vector& x) {
    Z_.reshaped() = x.tail(Z_.size());
    return NegativeElbo(covariance_, X_, y_, Z_, x.head(theta_size_), nullptr, nullptr, workspace_).negative_elbo;
  }

  // As for type-2 ML, with the bound in place of the likelihood.
  std::optional<double> NoiseToHold(Vector x) {
    double& log_noise = x[theta_size_ - 1];
    log_noise = std::max(log_noise, floor_.least());
    return floor_.LevelFor(log_noise, [&](double level) {
      log_noise = level;
      return std::optional<double>(Bound(x));
    });
  }
  void HoldNoise(double level) { floor_.Hold(level); }

  std::function<void(int evaluations)> progress;
  FixedRows fixed;

 private:
  const Covariance& covariance_;
  const Matrix& X_;
  const Vector& y_;
  NoiseFloor floor_;
  Index theta_size_;
  Matrix Z_, Z_gradient_;
  Vector theta_gradient_;
  BoundWorkspace workspace_;
  int evaluations_ = 0;
};

// Up to `count` different rows of X in random order. Equal inducing points add nothing and make Kmm singular.
Matrix DrawRows(const Matrix& X, Index count, std::uint64_t seed) {
  std::vector<Index> order(static_cast<std::size_t>(X.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  RandomStream random(seed);
  std::set<std::vector<double>> seen;
  std::vector<Index> chosen;
  const int n = static_cast<int>(X.rows());
  for (int i = 0; i < n && static_cast<Index>(chosen.size()) < count; ++i) {
    std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(random.UniformInt(i, n - 1))]);
    const Index row = order[static_cast<std::size_t>(i)];
    const Vector values = X.row(row);
    if (seen.insert({values.begin(), values.end()}).second) chosen.push_back(row);
  }
  return X(chosen, Eigen::all);
}

}  // namespace

int ResolveInducing(int requested, Index n) {
  const Index wanted = requested > 0 ? requested : std::max<Index>(1, n / 2);
  return static_cast<int>(std::min(wanted, n));
}

// V and the chunks besides; L, LB, V^T V twice, P, T, G, a copy while inverting; Adam's few vectors are small.
double SvgpMemory(Index n, Index inducing) {
  const double m = static_cast<double>(inducing);
  return 8.0 * m * (static_cast<double>(n) + 4 * 512.0 + 9 * m);
}

SvgpResult FitSvgp(const Expression& expression, const Matrix& X, const Vector& y, const SvgpOptions& options) {
  const Covariance covariance(expression);
  const Matrix Z = DrawRows(X, ResolveInducing(options.inducing, X.rows()), options.seed);
  SvgpObjective objective(covariance, X, y, Z.rows(), options.pool);
  objective.fixed = options.fixed;
  const LogParameters theta = options.fixed.Held(StandardStart(expression));
  Vector start(theta.size() + Z.size());
  start << theta, Z.reshaped();
  AdamOptions adam;
  adam.learning_rate = options.learning_rate;
  adam.max_steps = options.max_steps > 0 ? options.max_steps : kMaxSteps;
  adam.window = kWindow;
  adam.stop = options.stop;
  if (options.progress) {
    objective.progress = [&](int evaluations) {
      options.progress(std::min(evaluations, adam.max_steps), adam.max_steps);
    };
  }
  OptimizeSummary summary = MinimizeAdam(objective, start, adam);
  for (int holds = 0; holds < kMostHolds && summary.x.size() > 0; ++holds) {
    const std::optional<double> level = objective.NoiseToHold(summary.x);
    if (!level) break;
    objective.HoldNoise(*level);
    Vector raised = start;
    raised.head(theta.size()) = WithNoiseAtLeast(theta, *level);
    OptimizeSummary held = MinimizeAdam(objective, raised, adam);
    held.evaluations += summary.evaluations;
    held.rejected += summary.rejected;
    summary = std::move(held);
  }
  SvgpResult result;
  result.steps = summary.steps;
  result.evaluations = summary.evaluations;
  result.rejected = summary.rejected;
  result.reason = summary.reason;
  if (summary.x.size() == 0) {
    result.message =
        "the bound cannot be evaluated at the start: the covariance of the inducing points has no Cholesky factor. "
        "Look for extreme values, or use fewer inducing points.";
    return result;
  }
  result.ok = true;
  result.theta = summary.x.head(theta.size());
  result.Z = summary.x.tail(Z.size()).reshaped(Z.rows(), Z.cols());
  result.negative_elbo = objective.Bound(summary.x);
  result.negative_elbo_start = objective.Bound(start);
  return result;
}

}  // namespace instantgp
