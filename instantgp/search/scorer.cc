#include "instantgp/search/scorer.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "instantgp/baselines/type2_ml.h"
#include "instantgp/predict/hypothesis.h"
#include "instantgp/predict/subsample.h"
#include "instantgp/search/evidence.h"

namespace instantgp {
namespace {

constexpr int kFewestRows = 64;   // hypotheses are compared on half of the rows, but at least on so many
constexpr int kPeriodRows = 100;  // periods are looked for on so many
constexpr int kPeriods = 3;       // tried for every PER that is new
constexpr int kThoroughColumns = 2;
constexpr int kPolishSteps = 8;
constexpr int kRefineSteps = 100;

using Addend = std::pair<int, BaseSymbol>;  // column and symbol

// The first row of each addend in the parameter table.
std::map<Addend, Index> AddendRows(const Structure& structure) {
  std::map<Addend, Index> rows;
  Index next = 0;
  for (std::size_t i = 0; i < structure.columns.size(); ++i) {
    for (const BaseSymbol symbol : structure.symbols[i]) {
      rows[{structure.columns[i], symbol}] = next;
      next += NumParameters(symbol);
    }
  }
  return rows;
}

// `own` log-parameters of a structure, those of addends that the parent has too and of the noise replaced by the
// parent's.
Vector Inherit(const Structure& structure, Vector own, const Candidate& parent) {
  const std::map<Addend, Index> from = AddendRows(parent.structure);
  for (const auto& [addend, row] : AddendRows(structure)) {
    const auto found = from.find(addend);
    if (found == from.end()) continue;
    const Index count = NumParameters(addend.second);
    own.segment(row, count) = parent.theta.segment(found->second, count);
  }
  own[own.size() - 1] = parent.theta[parent.theta.size() - 1];
  return own;
}

struct NewPeriod {
  int column = 0;
  Index parameter = 0;  // row of the period; the lengthscale of its PER is the row before
};

// The periods of a structure that its parent does not have.
std::vector<NewPeriod> NewPeriods(const Structure& structure, const Structure& parent) {
  std::vector<NewPeriod> found;
  const std::map<Addend, Index> known = AddendRows(parent);
  for (const auto& [addend, row] : AddendRows(structure)) {
    if (known.contains(addend)) continue;
    Index next = row;
    for (const Elementary factor : FactorsOf(addend.second)) {
      if (factor == Elementary::kPER) found.push_back({addend.first, next + 2});
      next += static_cast<Index>(ParametersOf(factor).size());
    }
  }
  return found;
}

// `theta` as it is, and with each of the guesses in each of the places: one column each.
Matrix WithPeriods(const Vector& theta, const std::vector<NewPeriod>& places, const Parent& parent) {
  std::vector<Vector> variants = {theta};
  for (const NewPeriod& place : places) {
    for (const PeriodGuess& guess : parent.periods[static_cast<std::size_t>(place.column)]) {
      variants.push_back(theta);
      variants.back()[place.parameter] = std::log(guess.period);
      variants.back()[place.parameter - 1] = std::log(guess.lengthscale);
    }
  }
  Matrix columns(theta.size(), static_cast<Index>(variants.size()));
  for (std::size_t k = 0; k < variants.size(); ++k) columns.col(static_cast<Index>(k)) = variants[k];
  return columns;
}

Type2Result Optimize(const Candidate& candidate, const Matrix& X, const Vector& y, int steps, std::stop_token stop) {
  Type2Options options;
  options.map = true;
  options.max_steps = steps;
  options.stop = std::move(stop);
  return FitType2(ToExpression(candidate.structure), X, y, options, candidate.theta);
}

}  // namespace

Scorer::Scorer(const Encoding& encoding, const TrainedNetwork& network, std::stop_token stop)
    : encoding_(encoding), scale_(ScaleOf(network.config())), stop_(std::move(stop)) {
  const auto spread = [](const Matrix& X, const Vector& y, int count) -> Rows {
    const std::vector<int> rows = SpreadRows(X, y, count);
    return {SelectRows(X, rows), SelectRows(y, rows)};
  };
  all_ = spread(encoding.X, encoding.y, kSearchRows);
  some_ = spread(all_.X, all_.y, std::max(kFewestRows, static_cast<int>(all_.y.size()) / 2));
  few_ = spread(all_.X, all_.y, kPeriodRows);
}

Scorer::Scored Scorer::Best(const Covariance& covariance, const Structure& structure, const Matrix& hypotheses,
                            const Rows& rows, NlmlWorkspace& workspace) const {
  const ChosenHypothesis chosen = ChooseHypothesis(covariance, rows.X, rows.y, hypotheses, scale_, workspace);
  if (!chosen.ok) return {};
  return {ScaleKernelAndNoise(structure, hypotheses.col(chosen.index), chosen.log_scale), chosen.nlml};
}

std::optional<Candidate> Scorer::Score(const Trial& trial, const Matrix& decoded, NlmlWorkspace& workspace) const {
  const Structure& structure = trial.structure;
  const Candidate& parent = trial.parent->candidate;
  const Expression expression = ToExpression(structure);
  const Covariance covariance(expression);
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
  const Scored scored = Best(covariance, structure, finalists, all_, workspace);
  if (scored.theta.size() == 0) return std::nullopt;
  Candidate candidate;
  candidate.structure = structure;
  candidate.kernel = Print(expression, encoding_.column_names);
  candidate.theta = scored.theta;
  candidate.nlml = scored.nlml;
  candidate.parameters = IdentifiableParameters(structure);
  candidate.score = BicScore(scored.nlml, candidate.parameters, static_cast<int>(all_.y.size()));
  return candidate;
}

void Scorer::Polish(Candidate& candidate) const {
  const Type2Result result = Optimize(candidate, all_.X, all_.y, kPolishSteps, stop_);
  if (!result.ok || result.nlml > candidate.nlml) return;
  candidate.theta = result.theta;
  candidate.nlml = result.nlml;
  candidate.score = BicScore(candidate.nlml, candidate.parameters, static_cast<int>(all_.y.size()));
}

void Scorer::Refine(Candidate& candidate) const {
  const Type2Result result = Optimize(candidate, all_.X, all_.y, kRefineSteps, stop_);
  if (!result.ok) return;
  const Covariance covariance(ToExpression(candidate.structure));
  const std::optional<double> evidence = LaplaceScore(covariance, all_.X, all_.y, result.theta);
  if (!evidence) return;
  candidate.theta = result.theta;
  candidate.nlml = result.nlml;
  candidate.score = *evidence;
  candidate.refined = true;
}

std::vector<PeriodGuess> Scorer::Periods(const Candidate& candidate, int column) const {
  const int columns = static_cast<int>(encoding_.X.cols());
  const bool beginning = candidate.theta.size() == 0;
  const PeriodContext context = beginning ? PlainContext(columns) : PeriodContext{candidate.structure, candidate.theta};
  return LikelyPeriods(context, few_.X, few_.y, column, kPeriods, beginning && columns <= kThoroughColumns);
}

}  // namespace instantgp
