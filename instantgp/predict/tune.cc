#include "instantgp/predict/tune.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "instantgp/kernel/parameters.h"

namespace instantgp {
namespace {

// Distances to the two neighbours the parabola goes through, in log-parameters. Its minimum is trusted to twice that.
constexpr double kNoiseStep = 0.7, kLengthscaleStep = 0.25;
constexpr double kTrust = 2;
constexpr double kWorthTrying = 0.001;  // NLML per point

double ValueOrInfinity(const EvaluatedPoint& candidate) {
  return candidate.value.ok ? candidate.value.nlml : std::numeric_limits<double>::infinity();
}

// The parabola through (-h, below), (0, here), (h, above).
struct Parabola {
  double lowest = 0;  // where; if it has no minimum, the end of the trust on the better side
  bool worth = true;  // whether it promises to be lower there than the three points by kWorthTrying
};

Parabola Through(double h, double below, double here, double above) {
  const double curvature = below + above - 2 * here;
  if (!(curvature > 0) || !std::isfinite(curvature)) return {below < above ? -kTrust * h : kTrust * h, true};
  const double slope = 0.5 * (above - below), t = std::clamp(-slope / curvature, -kTrust, kTrust);  // in units of h
  const double promised = here + slope * t + 0.5 * curvature * t * t;
  return {t * h, promised < std::min({below, here, above}) - kWorthTrying};
}

class Tuning {
 public:
  Tuning(const Covariance& covariance, const Matrix& X, const Vector& y, const ClosedFormScale* scale, ThreadPool* pool,
         EvaluatedPoint& candidate)
      : covariance_(covariance), X_(X), y_(y), scale_(scale), pool_(pool), best_(candidate) {}

  // Along the direction that adds to the given rows of theta alike.
  void Move(const std::vector<Index>& rows, double step) {
    const bool noise_only = rows.size() == 1 && rows[0] == best_.theta.size() - 1;
    const double here = ValueOrInfinity(best_);
    const auto try_at = [&](EvaluatedPoint& trial, double distance) {
      trial.theta = best_.theta;
      for (const Index row : rows) trial.theta[row] += distance;
      if (noise_only) {
        trial.value = NlmlOfGram(best_.K, y_, trial.theta[trial.theta.size() - 1], trial.workspace, scale_);
      } else {
        Evaluate(covariance_, X_, y_, scale_, trial);
      }
    };
    const auto neighbour = [&](int side) { try_at(trials_[side], side == 0 ? -step : step); };
    if (pool_ != nullptr) {
      pool_->Run(2, [&](int side, int) { neighbour(side); });
    } else {
      neighbour(0);
      neighbour(1);
    }
    evaluations_ += 2;
    const Parabola parabola = Through(step, ValueOrInfinity(trials_[0]), here, ValueOrInfinity(trials_[1]));
    trials_[2].value.ok = false;
    if (parabola.worth) {
      try_at(trials_[2], parabola.lowest);
      ++evaluations_;
    }
    EvaluatedPoint& lowest = *std::min_element(
        trials_.begin(), trials_.end(),
        [](const EvaluatedPoint& a, const EvaluatedPoint& b) { return ValueOrInfinity(a) < ValueOrInfinity(b); });
    if (!(ValueOrInfinity(lowest) < here)) return;
    if (noise_only) std::swap(lowest.K, best_.K);  // the same kernel
    std::swap(lowest, best_);
  }

  int evaluations() const { return evaluations_; }

 private:
  const Covariance& covariance_;
  const Matrix& X_;
  const Vector& y_;
  const ClosedFormScale* scale_;
  ThreadPool* pool_;
  EvaluatedPoint& best_;
  std::array<EvaluatedPoint, 3> trials_;  // two neighbours, and the parabola's lowest point
  int evaluations_ = 0;
};

}  // namespace

void Evaluate(const Covariance& covariance, const Matrix& X, const Vector& y, const ClosedFormScale* scale,
              EvaluatedPoint& candidate) {
  candidate.value = {};
  if (!candidate.theta.allFinite()) return;
  candidate.K.resize(X.rows(), X.rows());
  covariance.Gram(X, candidate.theta.data(), candidate.K, candidate.workspace.covariance);
  candidate.value = NlmlOfGram(candidate.K, y, candidate.theta[candidate.theta.size() - 1], candidate.workspace, scale);
}

int TuneNoise(const Covariance& covariance, const Matrix& X, const Vector& y, const ClosedFormScale* scale,
              ThreadPool* pool, EvaluatedPoint& candidate) {
  Tuning tuning(covariance, X, y, scale, pool, candidate);
  tuning.Move({candidate.theta.size() - 1}, kNoiseStep);
  return tuning.evaluations();
}

int Tune(const Structure& structure, const Covariance& covariance, const Matrix& X, const Vector& y,
         const ClosedFormScale* scale, ThreadPool* pool, EvaluatedPoint& candidate) {
  const std::vector<Parameter> table = ParameterTable(ToExpression(structure));
  std::vector<Index> periodic, others;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].kind != ParameterKind::kLengthscale) continue;
    (table[i].elementary == Elementary::kPER ? periodic : others).push_back(static_cast<Index>(i));
  }
  Tuning tuning(covariance, X, y, scale, pool, candidate);
  tuning.Move({candidate.theta.size() - 1}, kNoiseStep);
  for (const std::vector<Index>& lengthscales : {periodic, others}) {
    if (!lengthscales.empty()) tuning.Move(lengthscales, kLengthscaleStep);
  }
  return tuning.evaluations();
}

}  // namespace instantgp
