#include "instantgp/optimize/second_order.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace instantgp {
namespace {

constexpr double kLeastCurvature = 0.02;
constexpr double kFirstDamping = 0.1, kLeastDamping = 1e-3, kMostDamping = 1e6;

// The longest way of a parameter, in units of its reach.
double Length(const Vector& step, const Reach& reach) {
  return (step.cwiseQuotient(reach.up)).cwiseMax(-step.cwiseQuotient(reach.down)).maxCoeff();
}

// The step within reach, and what the quadratic model promises of it.
struct Proposal {
  Vector step;
  double promise = 0;  // decrease
};

Proposal Propose(const Vector& gradient, const Matrix& B, double damping, const Reach& reach, double share) {
  const Vector weight = (B.diagonal().array().abs() + kLeastCurvature).matrix();
  Matrix damped = B;
  damped.diagonal() += damping * weight;
  Eigen::LLT<Matrix> factor(damped);
  // The correction may have made the model bend downwards somewhere.
  for (double more = std::max(damping, kFirstDamping); factor.info() != Eigen::Success && more < kMostDamping;
       more *= 4) {
    damped.diagonal() += more * weight;
    factor.compute(damped);
  }
  const auto promise_of = [&](const Vector& step) { return -gradient.dot(step) - 0.5 * step.dot(B * step); };
  const Vector whole = -factor.solve(gradient);
  Proposal proposal;
  proposal.step = whole.cwiseMax(-share * reach.down).cwiseMin(share * reach.up);
  proposal.promise = promise_of(proposal.step);
  if (proposal.promise > 0) return proposal;
  // Cut off here and there a step may point uphill; shortened as a whole it does not.
  proposal.step = whole / std::max(1.0, Length(whole, reach) / share);
  proposal.promise = promise_of(proposal.step);
  return proposal;
}

// How much of the curvature along the step was really there; held to what one step can tell.
double Secant(const Vector& step, const Vector& change, const Matrix& H) {
  const double assumed = step.dot(H * step), real = step.dot(change);
  if (!(assumed > 0) || !std::isfinite(real)) return 1;
  return std::clamp(real / assumed, 0.2, 2.0);
}

// What a curvature H lacks, learned from the gradients at both ends of each step (Dennis, Gay and Welsch 1981, as in
// NL2SOL): S is the smallest change, in a metric of its own, with (H + S) step = change of the gradient. Before, it is
// shrunk to the size that the step saw, so that what was learned far away fades.
class Correction {
 public:
  explicit Correction(Index size) : S_(Matrix::Zero(size, size)) {}
  const Matrix& S() const { return S_; }

  // `H` is the curvature at the end of the step.
  void Learn(const Vector& step, const Vector& change, const Matrix& H) {
    const double along = step.dot(change);
    if (!change.allFinite() || !(along > kLeastAlong * step.norm() * change.norm())) return;
    const Vector rest = change - H * step;
    const double seen = std::abs(step.dot(rest)), held = std::abs(step.dot(S_ * step));
    if (held > seen) S_ *= seen / held;
    const Vector miss = rest - S_ * step;
    S_ += (miss * change.transpose() + change * miss.transpose()) / along -
          (miss.dot(step) / (along * along)) * change * change.transpose();
  }

 private:
  static constexpr double kLeastAlong = 0.1;  // a smaller cosine says little and is divided by. Not measured
  Matrix S_;
};

}  // namespace

OptimizeSummary MinimizeSecondOrder(SecondOrderFunction& f, const Vector& start, const SecondOrderOptions& options) {
  OptimizeSummary summary;
  Vector x = start, gradient;
  Matrix H;
  double value = 0;
  ++summary.evaluations;
  if (!f.Value(x, &value)) {
    ++summary.rejected;
    return summary;
  }
  summary.x = x;
  summary.value = summary.start_value = value;
  summary.reason = StopReason::kMaxSteps;
  if (options.max_steps <= 0) return summary;
  if (!f.Slopes(&gradient, &H)) {
    summary.reason = StopReason::kLineSearch;
    return summary;
  }
  summary.curvature = H;
  double damping = kFirstDamping, size = 1, share = 1;  // of the reach
  Correction correction(x.size());
  int idle = 0;  // steps in a row that gained next to nothing
  while (true) {
    if (options.stop.stop_requested()) {
      summary.reason = StopReason::kInterrupted;
      return summary;
    }
    const Proposal proposal = Propose(gradient, size * H + correction.S(), damping, options.reach, share);
    if (!(proposal.promise > 0.1 * options.worth)) {
      summary.reason = StopReason::kConverged;
      return summary;
    }
    Vector trial = x + proposal.step;
    ++summary.evaluations;
    const bool ok = f.Value(trial, &value) && std::isfinite(value);
    if (!ok) ++summary.rejected;
    const double gain = ok ? summary.value - value : -1;
    const double length = Length(proposal.step, options.reach);
    if (!(gain > 0)) {
      // A parabola through both ends and the slope says where between them to look.
      const double slope = gradient.dot(proposal.step), bend = value - summary.value - slope;
      const double lowest = ok && bend > 0 ? -0.5 * slope / bend : 0;
      share = length * std::clamp(lowest, 0.1, 0.5);
      damping *= 3;
      const bool flat = ok && gain > -options.worth && proposal.promise < options.worth;
      if (damping > kMostDamping || flat) {
        summary.reason = flat ? StopReason::kConverged : StopReason::kLineSearch;
        return summary;
      }
      continue;
    }
    const double kept = gain / proposal.promise;
    const bool shortened = share < 1 && length > 0.9 * share;  // because one before it went wrong
    if (kept > 0.75) damping = std::max(kLeastDamping, damping / 5);
    if (kept > 0.5 && length > 0.9 * share) share = std::min(1.0, 2 * share);
    if (kept < 0.25) share = std::max(0.5 * length, 0.05);
    if (kept < 0.25) damping *= 3;
    const Vector moved = trial - x;
    x = trial;
    summary.x = x;
    summary.value = value;
    ++summary.steps;
    idle = gain < options.worth ? idle + 1 : 0;
    if (idle == 2) {
      summary.reason = StopReason::kConverged;
      return summary;
    }
    if (summary.steps >= options.max_steps) return summary;
    if (summary.steps >= options.sure_steps && gain < options.worth_of_more && !shortened) return summary;
    const Vector before = gradient;
    const Matrix H_before = H;
    if (!f.Slopes(&gradient, &H)) {
      summary.reason = StopReason::kLineSearch;
      return summary;
    }
    summary.curvature = H;
    size = Secant(moved, gradient - before, H_before);
    if (options.correct) correction.Learn(moved, gradient - before, size * H);
  }
}

}  // namespace instantgp
