#include "instantgp/search/scorer.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "instantgp/base/stopwatch.h"
#include "instantgp/inference/ranking.h"
#include "instantgp/inference/row_sample.h"
#include "instantgp/inference/type2_ml.h"
#include "instantgp/search/evidence.h"

namespace instantgp {
namespace {

// "Not measured", here and in the other files: there is no record of a comparison with other values.
//
// Hypotheses are compared on half of the rows, an eighth of the time of all, but at least on so many; with fewer the
// choice between them is noise. Also the rows of the brief steps below. Not measured.
constexpr int kFewestRows = 64;
// Periods are looked for on so many: three a cycle at the highest frequency (periods.cc), tens of microseconds a
// likelihood. Not measured.
constexpr int kPeriodRows = 100;
// Tried for every PER that is new; each costs a likelihood on half of the rows. Not measured.
constexpr int kPeriods = 3;
// With more columns than that only the first two scans of periods.cc are made, 380 of 1138 likelihoods: each column
// takes its own. Not measured.
constexpr int kThoroughColumns = 2;
// On kFewestRows rows before a structure is scored. With these, and parents met again, search_bench found 84 instead of
// 72 percent for twice the processor time.
constexpr int kBriefSteps = 5;
// On half of the rows, for twice the beam a round. As half of the rows take an eighth of the time, the eight steps cost
// what one costs on all. Not measured.
constexpr int kPolishSteps = 8;
// At most, from a point that is polished already: half of what a fit from the standard start may take (LbfgsOptions).
// Not measured.
constexpr int kRefineSteps = 100;
// Gradients a refinement is expected to take beside those of Laplace's Hessian. An estimate that is too low ends late,
// one that is too high leaves out a refinement, neither changes what the others find. Not measured.
constexpr int kExpectedSteps = 40;

// Addends by what they are: column and symbol.
using AddendMap = std::map<std::pair<int, BaseSymbol>, Addend>;

AddendMap MapOf(const Structure& structure) {
  AddendMap map;
  for (Addend& addend : AddendsOf(structure)) map[{addend.column, addend.symbol}] = std::move(addend);
  return map;
}

// `own` log-parameters of a structure with the parent's wherever the two agree: in addends both have, in the noise, and
// in the factors a new addend shares with one that it may stand for (PER swapped for SE*PER keeps its period).
LogParameters Inherit(const Structure& structure, LogParameters own, const ScoredStructure& parent) {
  const AddendMap from = MapOf(parent.structure), to = MapOf(structure);
  for (const auto& [key, addend] : to) {
    const auto found = from.find(key);
    if (found != from.end()) {
      own.segment(addend.first, addend.count) = parent.theta.segment(found->second.first, addend.count);
      continue;
    }
    for (const auto& [gone_key, gone] : from) {
      if (gone.column != addend.column || to.contains(gone_key)) continue;
      for (const Factor& factor : addend.factors) {
        for (const Factor& old : gone.factors) {
          if (factor.elementary != old.elementary) continue;
          own.segment(factor.first, factor.count) = parent.theta.segment(old.first, old.count);
        }
      }
    }
  }
  own.noise() = LogParameters(parent.theta).noise();
  return own;
}

struct NewPeriod {
  int column = 0;
  Factor factor;  // a PER
};

// The periods of a structure that its parent does not have.
std::vector<NewPeriod> NewPeriods(const Structure& structure, const Structure& parent) {
  std::vector<NewPeriod> found;
  const AddendMap known = MapOf(parent);
  for (const auto& [key, addend] : MapOf(structure)) {
    if (known.contains(key)) continue;
    for (const Factor& factor : addend.factors) {
      if (factor.elementary == Elementary::kPER) found.push_back({addend.column, factor});
    }
  }
  return found;
}

// The periods a candidate has on a column.
std::vector<PeriodGuess> OwnPeriods(const ScoredStructure& candidate, int column) {
  std::vector<PeriodGuess> periods;
  for (const auto& [key, addend] : MapOf(candidate.structure)) {
    if (addend.column != column) continue;
    for (const Factor& factor : addend.factors) {
      if (factor.elementary != Elementary::kPER) continue;
      periods.push_back({std::exp(candidate.theta[factor.Row(ParameterKind::kPeriod)]),
                         std::exp(candidate.theta[factor.Row(ParameterKind::kLengthscale)])});
    }
  }
  return periods;
}

// `theta` as it is, and with each of the guesses in each of the places: one column each.
Matrix WithPeriods(const LogParameters& theta, const std::vector<NewPeriod>& places, const Parent& parent) {
  std::vector<Vector> variants = {theta};
  for (const NewPeriod& place : places) {
    std::vector<PeriodGuess> guesses = OwnPeriods(parent.candidate, place.column);
    const std::vector<PeriodGuess>& others = parent.periods[static_cast<std::size_t>(place.column)];
    guesses.insert(guesses.end(), others.begin(), others.end());
    for (const PeriodGuess& guess : guesses) {
      variants.push_back(theta);
      variants.back()[place.factor.Row(ParameterKind::kPeriod)] = std::log(guess.period);
      variants.back()[place.factor.Row(ParameterKind::kLengthscale)] = std::log(guess.lengthscale);
    }
  }
  Matrix columns(theta.size(), static_cast<Index>(variants.size()));
  for (std::size_t k = 0; k < variants.size(); ++k) columns.col(static_cast<Index>(k)) = variants[k];
  return columns;
}

Type2Result Optimize(const Structure& structure, const LogParameters& theta, const Matrix& X, const Vector& y,
                     int steps, std::stop_token stop) {
  Type2Options options;
  options.map = true;
  options.max_steps = steps;
  options.stop = std::move(stop);
  return FitType2(ToExpression(structure), X, y, options, theta);
}

}  // namespace

bool HasNewPeriods(const Trial& trial) {
  return !NewPeriods(trial.structure, trial.parent->candidate.structure).empty();
}

Scorer::Scorer(const Encoding& encoding, const TrainedNetwork& network, std::stop_token stop)
    : encoding_(encoding), scale_(ScaleOf(network.config())), stop_(std::move(stop)) {
  all_ = SpreadSample(encoding.X, encoding.y, kSearchRows);
  some_ = SpreadSample(all_.X, all_.y, std::max(kFewestRows, static_cast<int>(all_.y.size()) / 2));
  few_ = SpreadSample(all_.X, all_.y, kPeriodRows);
  brief_ = SpreadSample(all_.X, all_.y, kFewestRows);
}

void Scorer::FitContext() {
  if (encoding_.X.cols() > 1) fitted_ = FittedContext(few_.X, few_.y);
}

Scorer::Scored Scorer::Best(const Covariance& covariance, const Structure& structure, const Matrix& hypotheses,
                            const RowSample& rows, NlmlWorkspace& workspace) const {
  const ChosenHypothesis chosen = ChooseHypothesis(covariance, rows.X, rows.y, hypotheses, scale_, workspace);
  if (!chosen.ok) return {};
  return {ScaleKernelAndNoise(structure, hypotheses.col(chosen.index), chosen.log_scale), chosen.nlml};
}

std::optional<ScoredStructure> Scorer::Score(const Trial& trial, const Matrix& decoded,
                                             NlmlWorkspace& workspace) const {
  const Structure& structure = trial.structure;
  const ScoredStructure& parent = trial.parent->candidate;
  const Covariance covariance(ToExpression(structure));
  Vector own = Best(covariance, structure, decoded, some_, workspace).theta;
  if (own.size() == 0) own = decoded.col(0);
  const std::vector<NewPeriod> places = NewPeriods(structure, parent.structure);
  if (!places.empty()) {
    const Scored chosen = Best(covariance, structure, WithPeriods(own, places, *trial.parent), some_, workspace);
    if (chosen.theta.size() > 0) own = chosen.theta;
  }
  // Part of the rows was enough for that; all of them decide between it and what the parent's parameters give.
  Matrix finalists = own;
  if (parent.theta.size() > 0) {
    finalists.conservativeResize(Eigen::NoChange, 2);
    finalists.col(1) = Inherit(structure, own, parent);
  }
  // A lengthscale that is far off can hide a good structure: a few steps on few rows, from the better of the two.
  const Scored better = Best(covariance, structure, finalists, brief_, workspace);
  if (better.theta.size() > 0) {
    const Type2Result result = Optimize(structure, better.theta, brief_.X, brief_.y, kBriefSteps, stop_);
    if (result.ok) {
      finalists.conservativeResize(Eigen::NoChange, finalists.cols() + 1);
      finalists.rightCols(1) = result.theta;
    }
  }
  return At(structure, finalists, workspace);
}

std::optional<ScoredStructure> Scorer::At(const Structure& structure, const Matrix& theta,
                                          NlmlWorkspace& workspace) const {
  const Expression expression = ToExpression(structure);
  const Scored scored = Best(Covariance(expression), structure, theta, all_, workspace);
  if (scored.theta.size() == 0) return std::nullopt;
  ScoredStructure candidate;
  candidate.structure = structure;
  candidate.kernel = Print(expression, encoding_.column_names);
  candidate.theta = scored.theta;
  candidate.nlml = scored.nlml;
  candidate.parameters = IdentifiableParameters(structure);
  candidate.score = BicScore(scored.nlml, candidate.parameters, static_cast<int>(all_.y.size()));
  return candidate;
}

void Scorer::Reconsider(ScoredStructure& candidate, const ScoredStructure& parent, NlmlWorkspace& workspace) const {
  const Covariance covariance(ToExpression(candidate.structure));
  Matrix both(candidate.theta.size(), 2);
  both.col(0) = candidate.theta;
  both.col(1) = Inherit(candidate.structure, candidate.theta, parent);
  // Part of the rows says which is better nearly always, for a fraction of the time.
  if (ChooseHypothesis(covariance, some_.X, some_.y, both, scale_, workspace).index == 0) return;
  Adopt(candidate, both.col(1), workspace);
}

void Scorer::Polish(ScoredStructure& candidate, NlmlWorkspace& workspace) const {
  const Type2Result result = Optimize(candidate.structure, candidate.theta, some_.X, some_.y, kPolishSteps, stop_);
  if (result.ok) Adopt(candidate, result.theta, workspace);
}

void Scorer::Adopt(ScoredStructure& candidate, const LogParameters& theta, NlmlWorkspace& workspace) const {
  const Covariance covariance(ToExpression(candidate.structure));
  const Scored scored = Best(covariance, candidate.structure, theta, all_, workspace);
  if (scored.theta.size() == 0 || scored.nlml >= candidate.nlml) return;
  candidate.theta = scored.theta;
  candidate.nlml = scored.nlml;
  candidate.score = BicScore(candidate.nlml, candidate.parameters, static_cast<int>(all_.y.size()));
}

void Scorer::Refine(ScoredStructure& candidate) const {
  const Type2Result result = Optimize(candidate.structure, candidate.theta, all_.X, all_.y, kRefineSteps, stop_);
  if (!result.ok) return;
  const Covariance covariance(ToExpression(candidate.structure));
  const std::optional<double> evidence = LaplaceScore(covariance, all_.X, all_.y, result.theta);
  if (!evidence) return;
  candidate.theta = result.theta;
  candidate.nlml = result.nlml;
  candidate.score = *evidence;
  candidate.refined = true;
}

double Scorer::RefinementMs(const ScoredStructure& candidate, NlmlWorkspace& workspace) const {
  const Covariance covariance(ToExpression(candidate.structure));
  const Stopwatch clock;
  Vector gradient;
  NegativeLogMarginalLikelihood(covariance, all_.X, all_.y, candidate.theta, &gradient, workspace);
  return clock.Milliseconds() * static_cast<double>(kExpectedSteps + 2 * candidate.theta.size() + 1);
}

std::vector<PeriodGuess> Scorer::Periods(const ScoredStructure& candidate, int column,
                                         const std::function<bool()>& late) const {
  const int columns = static_cast<int>(encoding_.X.cols());
  const bool beginning = candidate.theta.size() == 0;
  // What every structure starts from is worth more time than what one of them may lack.
  const RowSample& rows = beginning ? few_ : brief_;
  std::vector<PeriodContext> contexts;
  if (beginning) {
    contexts.push_back(PlainContext(columns));
    if (columns > 1) contexts.push_back(SmoothAlong(column, fitted_));
  } else {
    contexts.push_back({candidate.structure, candidate.theta});
  }
  return LikelyPeriods(contexts, rows.X, rows.y, column, kPeriods, beginning && columns <= kThoroughColumns, late);
}

}  // namespace instantgp
