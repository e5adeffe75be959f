#include "instantgp/search/periods.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "instantgp/base/check.h"
#include "instantgp/gp/marginal_likelihood.h"
#include "instantgp/inference/type2_ml.h"
#include "instantgp/kernel/parameters.h"
#include "instantgp/kernel/structure_list.h"
#include "instantgp/kernel/units.h"

namespace instantgp {
namespace {

// Cycles over [0, 1]. Half of one is a trend, which other kernels have; above 32 a hundred rows leave three a cycle.
constexpr double kLowest = 0.5, kHighest = 32;
// Of the plain context: smooth enough to leave any wave of more than a cycle to the PER (the spectrum of SE falls as
// exp(-2 pi^2 l^2 f^2): to 9 percent at half a cycle, to 6e-5 at one), and a noise of 0.22 standard deviations, so that
// the peaks are neither flat nor needles. Not measured.
constexpr double kPlainNoise = 0.05, kPlainLengthscale = 0.7;
// From the plain context, once a search: enough to see which columns vary fast. Not measured by itself; that there is a
// fitted context was one of four changes that took search_bench from 74 to 81 percent found.
constexpr int kContextSteps = 20;
constexpr Index kLeastRows = 8;            // fewer cannot tell a wave from anything else
constexpr double kSameFrequency = 0.25;    // cycles over [0, 1], a quarter of a peak: an optimiser ends at the same one
constexpr double kLeastAmplitude = 1e-12;  // has a logarithm

// Waves with many harmonics have narrow peaks: their phase must fit to about the lengthscale over pi, at both ends. The
// steps are that number, rounded. A wave that is damped (multiplied by an SE of the given lengthscale, half of [0, 1])
// need not keep its phase over more than that, so its peaks are twice as wide, and so is the step: it finds waves that
// change, and steady ones too. The lengthscales are of a wave with a few harmonics, of pulses and of nearly a sine;
// steps and lengthscales were not measured one by one.
struct Scan {
  double lengthscale, step, damping;
};
constexpr std::array<Scan, 4> kScans = {{{0.4, 0.25, 0.5}, {0.4, 0.125, 0}, {0.15, 0.05, 0}, {0.9, 0.25, 0}}};

// The context with PER or SE*PER added: an expression outside the family would do, so it may even stand there twice.
struct Problem {
  Expression expression;
  LogParameters theta;    // with everything but PER's lengthscale and period set
  Index lengthscale = 0;  // row of PER's lengthscale; the period follows
};

Problem AddPeriod(const PeriodContext& context, int column, double damping) {
  // The structure's own order with PER put last on its column keeps the parameters of the others in their places. An
  // expression need not be canonical to be evaluated.
  Problem problem;
  std::vector<Expression> factors;
  std::vector<double> theta;
  const std::vector<Addend> addends = AddendsOf(context.structure);
  const auto add_wave = [&](double log_variance) {
    if (damping > 0) theta.insert(theta.end(), {0.0, std::log(damping)});
    problem.lengthscale = static_cast<Index>(theta.size()) + 1;
    theta.insert(theta.end(), {log_variance, 0.0, 0.0});
    const Expression per = Expression::Leaf(Elementary::kPER, column);
    return damping > 0 ? Expression::Product({Expression::Leaf(Elementary::kSE, column), per}) : per;
  };
  const Structure& s = context.structure;
  bool used = false;
  for (std::size_t i = 0; i < s.columns.size(); ++i) {
    const Structure one = {{s.columns[i]}, {s.symbols[i]}};
    std::vector<double> slice;
    for (const Addend& addend : addends) {
      if (addend.column != s.columns[i]) continue;
      const auto own = context.theta.segment(addend.first, addend.count);
      slice.insert(slice.end(), own.begin(), own.end());
    }
    theta.insert(theta.end(), slice.begin(), slice.end());
    Expression factor = ToExpression(one);
    if (s.columns[i] == column) {
      used = true;
      const Vector values = Eigen::Map<const Vector>(slice.data(), static_cast<Index>(slice.size())).array().exp();
      const double amplitude = CollapsedAmplitude(factor, values);
      std::vector<Expression> terms = factor.op == Expression::Op::kSum ? factor.terms : std::vector{factor};
      terms.push_back(add_wave(std::log(std::max(amplitude, kLeastAmplitude))));
      factor = Expression::Sum(std::move(terms));
    }
    factors.push_back(std::move(factor));
  }
  if (!used) factors.push_back(add_wave(0));
  problem.expression = factors.size() == 1 ? factors.front() : Expression::Product(std::move(factors));
  theta.push_back(context.theta.noise());
  problem.theta = Eigen::Map<const Vector>(theta.data(), static_cast<Index>(theta.size()));
  return problem;
}

struct Optimum {
  double nlml = 0;
  double frequency = 0;
  double lengthscale = 0;
};

// Local optima of one scan, by the parabola through three neighbours.
void AddOptima(const Scan& scan, const std::vector<double>& nlml, std::vector<Optimum>& found) {
  for (std::size_t k = 1; k + 1 < nlml.size(); ++k) {
    const double left = nlml[k - 1], here = nlml[k], right = nlml[k + 1];
    if (!std::isfinite(left + right) || !(here < left && here <= right)) continue;
    const double shift = 0.5 * (left - right) / (left - 2 * here + right);
    found.push_back(
        {here, kLowest + scan.step * (static_cast<double>(k) + std::clamp(shift, -0.5, 0.5)), scan.lengthscale});
  }
}

}  // namespace

PeriodContext PlainContext(int columns) {
  PeriodContext context;
  context.structure = SpreadOverColumns({BaseSymbol::kSE}, columns);
  context.theta = Vector::Zero(NumParameters(ToExpression(context.structure)) + 1);
  for (int c = 0; c < columns; ++c) context = SmoothAlong(c, std::move(context));
  context.theta.noise() = std::log(kPlainNoise);
  return context;
}

PeriodContext FittedContext(const Matrix& X, const Vector& y) {
  PeriodContext context = PlainContext(static_cast<int>(X.cols()));
  Type2Options options;
  options.map = true;
  options.max_steps = kContextSteps;
  const Type2Result fitted = FitType2(ToExpression(context.structure), X, y, options, context.theta);
  if (fitted.ok) context.theta = fitted.theta;
  return context;
}

PeriodContext SmoothAlong(int column, PeriodContext context) {
  for (const Addend& addend : AddendsOf(context.structure)) {
    if (addend.column == column) {
      context.theta[addend.factors[0].Row(ParameterKind::kLengthscale)] = std::log(kPlainLengthscale);
    }
  }
  return context;
}

std::vector<PeriodGuess> LikelyPeriods(std::span<const PeriodContext> contexts, const Matrix& X, const Vector& y,
                                       int column, int count, bool thorough, const std::function<bool()>& late) {
  INSTANTGP_CHECK(X.rows() == y.size() && column < X.cols());
  if (y.size() < kLeastRows) return {};
  const ClosedFormScale scale;
  const double highest = std::min(kHighest, 0.5 * static_cast<double>(y.size()));
  std::vector<Optimum> optima;
  NlmlWorkspace workspace;
  const auto look_through = [&](const PeriodContext& context, const Scan& scan) {
    Problem problem = AddPeriod(context, column, scan.damping);
    const Covariance covariance(problem.expression);
    problem.theta[problem.lengthscale] = std::log(scan.lengthscale);
    std::vector<double> nlml;
    for (double frequency = kLowest; frequency <= highest; frequency += scan.step) {
      problem.theta[problem.lengthscale + 1] = -std::log(frequency);
      const NlmlValue value =
          NegativeLogMarginalLikelihood(covariance, X, y, problem.theta, nullptr, workspace, &scale);
      nlml.push_back(value.ok ? value.nlml : std::numeric_limits<double>::infinity());
    }
    AddOptima(scan, nlml, optima);
  };
  for (const PeriodContext& context : contexts) {
    for (const Scan& scan : std::span(kScans).first(thorough ? kScans.size() : 2)) {
      if (late && late()) break;
      look_through(context, scan);
    }
  }
  std::stable_sort(optima.begin(), optima.end(), [](const Optimum& a, const Optimum& b) { return a.nlml < b.nlml; });
  std::vector<PeriodGuess> guesses;
  for (const Optimum& optimum : optima) {
    if (static_cast<int>(guesses.size()) == count) break;
    const bool known = std::any_of(guesses.begin(), guesses.end(), [&](const PeriodGuess& guess) {
      return std::abs(1 / guess.period - optimum.frequency) < kSameFrequency;
    });
    if (!known) guesses.push_back({1 / optimum.frequency, optimum.lengthscale});
  }
  return guesses;
}

}  // namespace instantgp
