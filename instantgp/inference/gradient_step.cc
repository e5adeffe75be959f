#include "instantgp/inference/gradient_step.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "instantgp/base/thread_pool.h"
#include "instantgp/kernel/parameters.h"

namespace instantgp {
namespace {

// The NLML per point along one log-parameter: a typical second derivative, and how far a full step may go. Measured on
// simulated data; twice or half as much changes little, because the length of the step is searched for.
struct Along {
  double curvature, reach;
};
constexpr Along kAlongNoise = {0.15, 0.9};

Along AlongParameter(ParameterKind kind, double log_value) {
  switch (kind) {
    case ParameterKind::kLengthscale:
      return {0.1, 0.6};
    case ParameterKind::kPeriod: {
      // A change of the period shifts the phase at the far end of [0, 1] by as many cycles as there are.
      const double cycles = std::max(1.0, std::exp(-log_value));
      return {2 * cycles * cycles, 0.06 / cycles};
    }
    case ParameterKind::kVariance:
    case ParameterKind::kOffset:
      return {0.05, 0.6};
  }
  return kAlongNoise;
}

// p_i = - slope_i / curvature_i within its reach.
Vector StepFrom(const Covariance& covariance, const LogParameters& theta, const Vector& gradient) {
  const ParameterTable table(covariance.expression());
  Vector step(gradient.size());
  for (Index i = 0; i < step.size(); ++i) {
    const bool noise = i + 1 == step.size();
    const Along along = noise ? kAlongNoise : AlongParameter(table[static_cast<std::size_t>(i)].kind, theta[i]);
    step[i] = std::clamp(-gradient[i] / along.curvature, -along.reach, along.reach);
  }
  return step;
}

double ValueOrInfinity(const NlmlPoint& point) {
  return point.value.ok ? point.value.nlml : std::numeric_limits<double>::infinity();
}

bool Lower(const NlmlPoint& a, const NlmlPoint& b) { return ValueOrInfinity(a) < ValueOrInfinity(b); }

// Lengths of the step, in units of it. The first is a little short, since a step too long tells less of the parabola
// than one too short. The longest moves a parameter by three times its reach: a lengthscale or variance by a factor
// e^1.8 = 6. Not measured.
constexpr double kFirstLength = 0.7, kShortest = 0.05, kLongest = 3;

// Where the parabola with the given value and slope at 0 that goes through (kFirstLength, first) is lowest.
double BestLength(double here, double slope, double first) {
  const double curvature = (first - here - slope * kFirstLength) / (kFirstLength * kFirstLength);
  if (!std::isfinite(curvature)) return kShortest;
  if (!(curvature > 0)) return kLongest;
  return std::clamp(-0.5 * slope / curvature, kShortest, kLongest);
}

// Distances to the two neighbours the noise's parabola goes through, in its log: half and twice the variance. Its
// minimum is trusted to twice that, a factor 4. Not measured.
constexpr double kNoiseStep = 0.7, kTrust = 2;
// NLML per point: a quarter of a nat on the 256 rows (kNoiseRows) there are at most. Not measured.
constexpr double kWorthTrying = 0.001;

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

}  // namespace

Move StepDown(const Covariance& covariance, const Matrix& X, const Vector& y, const ClosedFormScale* scale,
              ThreadPool* pool, NlmlPoint& point) {
  std::array<NlmlPoint, 2> trials;
  NlmlWorkspace& workspace = trials[0].workspace;  // the gradient uses a factor up, and the point's is still needed
  workspace.A = point.workspace.A;
  workspace.alpha = point.workspace.alpha;
  for (NlmlPoint& trial : trials) trial.workspace.covariance.pool = pool;
  Vector gradient;
  if (!NlmlGradient(covariance, X, point.theta, scale, workspace, &gradient)) return {1, false};
  const Vector step = StepFrom(covariance, point.theta, gradient);
  const double slope = gradient.dot(step);
  if (!(slope < 0)) return {1, false};

  const double here = point.value.nlml;
  trials[0].theta = point.theta + kFirstLength * step;
  Evaluate(covariance, X, y, scale, trials[0]);
  trials[1].theta = point.theta + BestLength(here, slope, ValueOrInfinity(trials[0])) * step;
  Evaluate(covariance, X, y, scale, trials[1]);
  NlmlPoint& lower = Lower(trials[1], trials[0]) ? trials[1] : trials[0];
  const bool moved = Lower(lower, point);
  if (moved) std::swap(lower, point);
  return {3, moved};
}

Move TuneNoise(const Vector& y, const ClosedFormScale* scale, ThreadPool* pool, NlmlPoint& point) {
  std::array<NlmlPoint, 3> trials;  // two neighbours, and the parabola's lowest point; K is the point's own
  const auto try_at = [&](NlmlPoint& trial, double distance) {
    trial.theta = point.theta;
    double& log_noise = trial.theta.noise();
    log_noise += distance;
    trial.value = NlmlOfGram(point.K, y, log_noise, trial.workspace, scale);
  };
  const auto neighbour = [&](int side, int) { try_at(trials[side], side == 0 ? -kNoiseStep : kNoiseStep); };
  RunOn(pool, 2, neighbour);
  const Parabola parabola =
      Through(kNoiseStep, ValueOrInfinity(trials[0]), point.value.nlml, ValueOrInfinity(trials[1]));
  if (parabola.worth) try_at(trials[2], parabola.lowest);
  NlmlPoint& lowest = *std::min_element(trials.begin(), trials.end(), Lower);
  const bool moved = Lower(lowest, point);
  if (moved) {
    std::swap(lowest.K, point.K);
    std::swap(lowest, point);
  }
  return {parabola.worth ? 3 : 2, moved};
}

int RaiseNoise(const NoiseFloor& floor, const Vector& y, const ClosedFormScale* scale, NlmlPoint& point) {
  const double log_noise = point.theta.noise() + point.value.log_scale;
  int evaluations = 0;
  NlmlPoint raised;
  const auto raise_to = [&](double level) {
    raised.theta = point.theta;
    raised.value = point.value;
    for (int pass = 0; pass < 2 && raised.value.ok; ++pass) {  // the scale answers to the noise; twice is near enough
      double& own = raised.theta.noise();
      own = level - raised.value.log_scale;
      raised.value = NlmlOfGram(point.K, y, own, raised.workspace, scale);
      ++evaluations;
    }
    return raised.value.ok;
  };
  const std::optional<double> level = floor.LevelFor(log_noise, [&](double at) -> std::optional<double> {
    if (at == log_noise) return point.value.nlml;
    if (!raise_to(at)) return std::nullopt;
    return raised.value.nlml;
  });
  const double target = std::max(level.value_or(log_noise), floor.least());
  const bool move = target > log_noise && raise_to(target);
  if (move) {
    std::swap(raised.K, point.K);
    std::swap(raised, point);
  }
  return evaluations;
}

}  // namespace instantgp
