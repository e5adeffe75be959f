#include "instantgp/search/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numbers>
#include <set>

#include "instantgp/base/error.h"
#include "instantgp/base/rng.h"
#include "instantgp/data/airline.h"
#include "instantgp/data/csv.h"
#include "instantgp/data/split.h"
#include "instantgp/gp/marginal_likelihood.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/inference/type2_ml.h"
#include "instantgp/kernel/parameters.h"
#include "instantgp/kernel/parse.h"
#include "instantgp/model/fit.h"
#include "instantgp/model/fit_ensemble.h"
#include "instantgp/search/describe.h"
#include "instantgp/search/evidence.h"
#include "instantgp/search/moves.h"
#include "instantgp/search/periods.h"
#include "instantgp/simulate/distribution.h"
#include "instantgp/simulate/from_kernel.h"

namespace instantgp {
namespace {

Dataset Draw(std::uint64_t seed, int n, int d) {
  SimulationOptions options;
  options.n = n;
  options.d = d;
  Simulated s = Simulate(options, 55, seed);
  return Dataset::Of(std::move(s.X), std::move(s.y));
}

std::string Text(const Structure& structure) {
  return Print(ToExpression(structure), DefaultColumnNames(structure.columns.back() + 1));
}

Structure Parse(const std::string& text, int d) { return *ToStructure(ParseKernel(text, DefaultColumnNames(d))); }

const std::vector<BaseSymbol> kAll(kAllBaseSymbols.begin(), kAllBaseSymbols.end());

// Symbols that one of two structures on one column has and the other has not.
std::size_t Differing(const Structure& a, const Structure& b) {
  std::vector<BaseSymbol> differing;
  std::set_symmetric_difference(a.symbols[0].begin(), a.symbols[0].end(), b.symbols[0].begin(), b.symbols[0].end(),
                                std::back_inserter(differing));
  return differing.size();
}

TEST(Moves, StayInTheFamilyAndComeOnce) {
  RandomStream random(1);
  for (int k = 0; k < 60; ++k) {
    const MoveOptions options{.columns = 1 + k % 4, .alphabet = kAll, .max_addends = 1 + k % 3};
    std::vector<Structure> next = Beginnings(options);
    // Each symbol on each column and on all, and of the ensemble's list six each of two, three and four addends.
    EXPECT_EQ(next.size(), options.columns == 1 ? 10u : 10u * (options.columns + 1) + 6u * (options.max_addends - 1));
    for (int step = 0; step < 4; ++step) {
      const Structure from = next[random.UniformInt(0, static_cast<int>(next.size()) - 1)];
      next = Neighbours(from, options);
      std::set<std::string> texts;
      for (const Structure& to : next) {
        EXPECT_EQ(ToStructure(ToExpression(to)), to) << Text(to);  // canonical and in the family
        EXPECT_NE(to, from);
        EXPECT_TRUE(texts.insert(Text(to)).second) << Text(to);
        for (const auto& symbols : to.symbols) EXPECT_LE(static_cast<int>(symbols.size()), options.max_addends);
        // Adding, dropping and swapping can be undone.
        if (options.columns == 1 && Differing(from, to) <= 2) {
          const std::vector<Structure> back = Neighbours(to, options);
          EXPECT_NE(std::find(back.begin(), back.end(), from), back.end()) << Text(from) << " from " << Text(to);
        }
      }
    }
  }
}

TEST(Moves, BeginOnAllColumns) {
  const std::vector<Structure> beginnings = Beginnings({.columns = 5, .alphabet = kAll, .max_addends = 4});
  EXPECT_EQ(beginnings.front(), Parse("SE", 5));
  for (const std::string& kernel : BuiltInKernels()) {
    EXPECT_NE(std::find(beginnings.begin(), beginnings.end(), Parse(kernel, 5)), beginnings.end()) << kernel;
  }
  EXPECT_TRUE(std::is_sorted(beginnings.begin(), beginnings.end(), [](const Structure& a, const Structure& b) {
    return a.columns.size() > b.columns.size();
  }));
}

TEST(Moves, ReachTheWholeFamily) {
  const MoveOptions options{
      .columns = 2, .alphabet = {BaseSymbol::kSE, BaseSymbol::kLIN, BaseSymbol::kPER}, .max_addends = 2};
  std::vector<Structure> queue = Beginnings(options);
  std::set<std::string> seen;
  for (const Structure& s : queue) seen.insert(Text(s));
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const Structure from = queue[i];
    for (const Structure& to : Neighbours(from, options)) {
      if (seen.insert(Text(to)).second) queue.push_back(to);
    }
  }
  EXPECT_EQ(seen.size(), 7u * 7 - 1);  // none, three single and three pairs on each column, not none on both
}

TEST(Moves, MergeAndSplit) {
  const MoveOptions options{.columns = 1, .alphabet = kAll, .max_addends = 3};
  const auto reaches = [&](const char* from, const char* to) {
    const std::vector<Structure> next = Neighbours(Parse(from, 1), options);
    return std::find(next.begin(), next.end(), Parse(to, 1)) != next.end();
  };
  EXPECT_TRUE(reaches("SE + PER", "SE*PER"));
  EXPECT_TRUE(reaches("SE*PER", "SE + PER"));
  EXPECT_TRUE(reaches("SE + LIN*PER", "SE*PER"));
  EXPECT_TRUE(reaches("MAT52 + SE + LIN*PER", "MAT52 + SE*LIN"));
  EXPECT_FALSE(reaches("SE + PER", "LIN*MAT52"));
}

TEST(Evidence, CountsWhatTheDataDetermine) {
  EXPECT_EQ(IdentifiableParameters(Parse("SE", 1)), 3);        // amplitude, lengthscale, noise
  EXPECT_EQ(IdentifiableParameters(Parse("SE*PER", 1)), 5);    // amplitude, two lengthscales, period, noise
  EXPECT_EQ(IdentifiableParameters(Parse("LIN", 1)), 3);       // variance, offset, noise
  EXPECT_EQ(IdentifiableParameters(Parse("SE + LIN", 1)), 5);  // two amplitudes, lengthscale, offset, noise
  EXPECT_EQ(IdentifiableParameters(Parse("SE", 3)), 5);        // amplitude, three lengthscales, noise
  EXPECT_EQ(IdentifiableParameters(Parse("SE + LIN", 2)), 8);
}

// Along one parameter the approximation can be integrated.
TEST(Evidence, LaplaceApproximatesTheIntegralOverParameters) {
  const Simulated s = [] {
    SimulationOptions options;
    options.n = 60;
    options.structure = Parse("SE", 1);
    return Simulate(options, 3, 1);
  }();
  const Expression expression = ToExpression(Parse("SE", 1));
  const Covariance covariance(expression);
  const ParameterTable table(expression);
  const Model model = Fit(Dataset::Of(s.X, s.y), "SE", {.method = Method::kMap});
  const Matrix& X = model.posterior().X();
  const Vector& y = model.posterior().y();
  const Vector mode = model.posterior().theta();
  // Importance sampling around the mode, wide.
  RandomStream random(4);
  NlmlWorkspace workspace;
  const double spread = 0.6, n = static_cast<double>(y.size());
  std::vector<double> terms;
  for (int k = 0; k < 8000; ++k) {
    Vector u = mode;
    double log_weight = 0;
    for (Index i = 0; i < 3; ++i) {
      const double z = random.Normal();
      u[i] += spread * z;
      const GammaPrior prior = i == 2 ? NoisePrior() : table[i].prior;
      log_weight +=
          prior.LogDensity(u[i]) + u[i] + 0.5 * z * z + 0.5 * std::log(2 * std::numbers::pi) + std::log(spread);
    }
    const NlmlValue value = NegativeLogMarginalLikelihood(covariance, X, y, u, nullptr, workspace);
    if (value.ok) terms.push_back(log_weight - n * value.nlml);
  }
  const double largest = *std::max_element(terms.begin(), terms.end());
  double sum = 0;
  for (const double term : terms) sum += std::exp(term - largest);
  const double truth = -(largest + std::log(sum / 8000)) / n;
  const std::optional<double> laplace = LaplaceScore(covariance, X, y, mode);
  ASSERT_TRUE(laplace.has_value());
  EXPECT_NEAR(*laplace, truth, 0.01);
}

// Where an optimiser stopped short the slope is large and the curvature may be small: that must not look like evidence.
TEST(Evidence, APointAwayFromTheModeIsNoBetterThanTheMode) {
  for (int k = 0; k < 20; ++k) {
    SimulationOptions options;
    options.n = 60;
    options.d = 1;
    options.positive_p = 1;
    const Simulated s = Simulate(options, 12, static_cast<std::uint64_t>(k));
    const Covariance covariance(ToExpression(s.given));
    const Model model = Fit(Dataset::Of(s.X, s.y), Print(ToExpression(s.given), {"x1"}), {.method = Method::kMap});
    const Matrix& X = model.posterior().X();
    const Vector& y = model.posterior().y();
    const std::optional<double> mode = LaplaceScore(covariance, X, y, model.posterior().theta());
    if (!mode) continue;
    for (const double away : {-1.0, 1.0, 2.0}) {
      const Vector theta = model.posterior().theta().array() + away;
      const std::optional<double> score = LaplaceScore(covariance, X, y, theta);
      EXPECT_TRUE(!score || *score > *mode - 0.1) << k << " " << away;
    }
  }
}

TEST(Periods, WavesAreFoundBesideAFittedColumnThatVariesFast) {
  int found = 0;
  for (int k = 0; k < 6; ++k) {
    const double frequency = 2.5 + k;
    const KernelDraw draw = SimulateKernel({.kernel = "MAT52(x1) * PER(x2)",
                                            .n = 120,
                                            .d = 2,
                                            .parameters = {1, 0.1, 1, 0.3, 1 / frequency},
                                            .noise_variance = 0.03},
                                           6, static_cast<std::uint64_t>(k));
    const Matrix& X = draw.function.X;
    const Vector& y = draw.function.y;
    const PeriodContext context = SmoothAlong(1, FittedContext(X, y));
    EXPECT_LT(std::exp(context.theta[1]), 0.4);  // the fast column was seen
    const auto guesses = LikelyPeriods(std::array{context}, X, y, 1, 3, true);
    found += std::any_of(guesses.begin(), guesses.end(),
                         [&](const PeriodGuess& guess) { return std::abs(frequency - 1 / guess.period) < 0.25; });
  }
  EXPECT_GE(found, 5);
}

TEST(Periods, WavesAreFoundUnderATrend) {
  RandomStream random(2);
  for (const double period : {0.04, 0.1, 0.23, 0.4}) {
    for (const double sharpness : {0.0, 6.0}) {  // a sine, and a comb of pulses with many harmonics
      Matrix X(120, 2);
      Vector y(120);
      for (int i = 0; i < 120; ++i) {
        X(i, 0) = random.Uniform();
        X(i, 1) = random.Uniform();
        const double phase = 2 * std::numbers::pi * X(i, 0) / period;
        const double wave = sharpness == 0 ? std::sin(phase) : 3 * std::exp(sharpness * (std::cos(phase) - 1));
        y[i] = 2 * X(i, 0) * X(i, 0) + wave * (1 + 0.2 * X(i, 1)) + 0.1 * random.Normal();
      }
      const Scaler scaler = Scaler::Fit(X, y);
      const Matrix scaled = scaler.ScaleX(X);
      const auto guesses = LikelyPeriods(std::array{PlainContext(2)}, scaled, scaler.ScaleY(y), 0, 3, true);
      ASSERT_EQ(guesses.size(), 3u);
      const bool found = std::any_of(guesses.begin(), guesses.end(), [&](const PeriodGuess& guess) {
        // A quarter of a cycle over all rows: from there an optimiser finds the peak.
        return std::abs(scaler.x_range[0] / period - 1 / guess.period) < 0.25;
      });
      EXPECT_TRUE(found) << period << " " << sharpness;
    }
  }
  EXPECT_TRUE(LikelyPeriods(std::array{PlainContext(1)}, Matrix::Random(5, 1), Vector::Ones(5), 0, 3, true).empty());
}

TEST(Periods, ALookEndsWhenItIsLate) {
  const Dataset data = Draw(8, 60, 3);
  int asked = 0;
  const auto after = [&](int scans) {
    return LikelyPeriods(std::array{PlainContext(3)}, data.X, data.y, 0, 3, true,
                         [&, scans] { return ++asked > scans; });
  };
  EXPECT_TRUE(after(0).empty());
  EXPECT_EQ(asked, 1);
  asked = 0;
  EXPECT_FALSE(after(1).empty());
  EXPECT_EQ(asked, 2);
}

TEST(Words, SayWhatAStructureMeans) {
  Scaler scaler = Scaler::Identity(1);
  scaler.x_range[0] = 143;
  const Structure structure = Parse("LIN + LIN*PER + SE*PER", 1);
  LogParameters theta = Vector::Zero(NumParameters(ToExpression(structure)) + 1);
  const ParameterTable table(ToExpression(structure));
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].kind == ParameterKind::kPeriod) theta[static_cast<Index>(i)] = std::log(12.1 / 143);
  }
  EXPECT_EQ(Describe(structure, theta, scaler, {"month"}),
            "linear trend, yearly period (12.1 months) that changes over 143 months, yearly period (12.1 months) of "
            "growing amplitude");
  EXPECT_EQ(Describe(structure, theta, scaler, {"depth"}),
            "linear trend, period 12.1 that changes over 143, period 12.1 of growing amplitude");
  const Structure two = Parse("SE(x1) * MAT52(x2)", 2);
  EXPECT_EQ(Describe(two, Vector::Zero(5), Scaler::Identity(2), {"a", "b"}),
            "a: smooth variation over 1; b: rough variation over 1");
}

void ExpectSame(const SearchResult& a, const SearchResult& b) {
  ASSERT_EQ(a.candidates.size(), b.candidates.size());
  for (std::size_t k = 0; k < a.candidates.size(); ++k) {
    EXPECT_EQ(a.candidates[k].kernel, b.candidates[k].kernel);
    EXPECT_EQ(a.candidates[k].score, b.candidates[k].score);
    EXPECT_EQ(a.candidates[k].theta, b.candidates[k].theta);
  }
}

TEST(Search, RanksEachStructureOnceWhateverTheThreads) {
  for (const int d : {1, 2}) {
    const Dataset data = Draw(3, 40, d);
    const SearchResult one = SearchStructures(data, {.beam = 3, .depth = 2, .refine_top = 3}, {.threads = 1});
    ExpectSame(one, SearchStructures(data, {.beam = 3, .depth = 2, .refine_top = 3}, {.threads = 3}));
    std::set<std::string> kernels;
    for (const Candidate& c : one.candidates) EXPECT_TRUE(kernels.insert(c.kernel).second);
    EXPECT_EQ(one.evaluated, static_cast<int>(one.candidates.size()) + one.failed);
    EXPECT_GT(one.evaluated, 10 * d);
    double best = one.candidates.front().score;
    for (const Candidate& c : one.candidates) best = c.refined ? std::min(best, c.score) : best;
    for (std::size_t k = 1; k < one.candidates.size(); ++k) {
      const Candidate &a = one.candidates[k - 1], &b = one.candidates[k];
      EXPECT_GE(a.refined, b.refined);
      if (a.refined != b.refined) continue;
      // By score, but refined ones within two nats of the best evidence by likelihood.
      const auto indistinguishable = [&](const Candidate& c) { return c.refined && 40 * (c.score - best) <= 2; };
      EXPECT_GE(indistinguishable(a), indistinguishable(b));
      if (indistinguishable(a) && indistinguishable(b)) {
        EXPECT_LE(a.nlml, b.nlml);
      } else {
        EXPECT_LE(a.score, b.score);
      }
    }
    for (const Candidate& c : one.candidates) EXPECT_FALSE(c.words.empty());
    EXPECT_TRUE(one.candidates.front().refined);
    EXPECT_EQ(one.model.KernelText(), one.candidates.front().kernel);
    EXPECT_NEAR(one.model.summary().nlml, one.candidates.front().nlml, 1e-9);
    // The scores are what they say.
    const Candidate& last = one.candidates.back();
    const Posterior posterior(ToExpression(last.structure), one.model.posterior().X(), one.model.posterior().y(),
                              last.theta);
    EXPECT_NEAR(last.nlml, posterior.nlml(), 1e-8);
    EXPECT_EQ(last.score, BicScore(last.nlml, last.parameters, 40));
  }
}

TEST(Search, ABudgetLeavesOutButDoesNotChange) {
  const Dataset data = Draw(4, 60, 2);
  const SearchResult full = SearchStructures(data, {.beam = 4, .depth = 3, .refine_top = 0});
  for (const double budget : {1e-9, 0.03, 0.1}) {
    const SearchResult part = SearchStructures(data, {.beam = 4, .depth = 3, .budget = budget, .refine_top = 0});
    EXPECT_LE(part.evaluated, full.evaluated);
    EXPECT_GT(part.evaluated, 0);
    EXPECT_EQ(part.out_of_time, part.evaluated < full.evaluated);
    // What was reached is scored as in the full search; parents may have been polished later there.
    int same = 0;
    for (const Candidate& c : part.candidates) {
      const auto found = std::find_if(full.candidates.begin(), full.candidates.end(),
                                      [&](const Candidate& other) { return other.kernel == c.kernel; });
      ASSERT_NE(found, full.candidates.end());
      EXPECT_LE(found->score, c.score);
      same += found->score == c.score ? 1 : 0;
    }
    EXPECT_GE(same, static_cast<int>(part.candidates.size()) - 2 * 4 * 3);
  }
}

// The first candidate against what `fit` does when it is told nothing, on tables that are searched on all rows. Both by
// the same measure: Laplace's approximation where both were refined, else BIC.
void ExpectAtLeastTheDefaultFit(const SearchResult& result, const Dataset& data) {
  const Model fit = Fit(data, "SE");
  const Candidate& first = result.candidates.front();
  const auto found = std::find_if(result.candidates.begin(), result.candidates.end(),
                                  [&](const Candidate& c) { return c.kernel == fit.KernelText(); });
  ASSERT_NE(found, result.candidates.end()) << "the default fit is not among the candidates";
  const auto bic = [](const Candidate& c) { return c.refined ? c.bic : c.score; };
  EXPECT_LE(bic(first), first.refined && found->refined ? HUGE_VAL : bic(*found));
  if (first.refined && found->refined) {
    EXPECT_LE(first.score, found->score);
  }
  // It is there with the parameters `fit` finds, or better ones: by likelihood; once refined by posterior density, up to
  // the difference between optima of one structure.
  if (found->refined) {
    const auto value = [&](const Vector& theta) {
      return Type2Value(ToExpression(found->structure), fit.posterior().X(), fit.posterior().y(), true, theta).value();
    };
    EXPECT_LE(value(found->theta), value(fit.posterior().theta()) + 0.01);
  } else {
    EXPECT_LE(found->score, BicScore(fit.summary().nlml, found->parameters, data.rows()) + 1e-9);
  }
}

TEST(Search, ManyColumnsAndNoTimeGiveAtLeastTheDefaultFit) {
  const int n = 160, d = 11;
  std::vector<double> parameters;
  for (int c = 0; c < d; ++c) parameters.insert(parameters.end(), {1, 1.5});
  const KernelDraw draw =
      SimulateKernel({.kernel = "SE", .n = n, .d = d, .parameters = parameters, .noise_variance = 0.01}, 31, 0);
  const Dataset all = Dataset::Of(draw.function.X, draw.function.y);
  const Split split = HoldoutSplit(n, 0.4, 0);
  const Dataset train = SelectRows(all, split.train), test = SelectRows(all, split.test);
  const Scores fit = Fit(train, "SE").Score(test.X, test.y);
  ASSERT_LT(fit.rmse,
            0.8 * std::sqrt((test.y.array() - train.y.mean()).square().mean()));  // there is something to find
  for (const double budget : {1e-9, 0.05}) {
    for (const int refine_top : {0, 8}) {
      const SearchResult result = SearchStructures(train, {.budget = budget, .refine_top = refine_top});
      ExpectAtLeastTheDefaultFit(result, train);
      EXPECT_TRUE(result.out_of_time);
      const Scores score = result.model.Score(test.X, test.y);
      EXPECT_LT(score.rmse, 1.05 * fit.rmse) << budget << " " << result.candidates.front().kernel;
      EXPECT_LT(score.nll, fit.nll + 0.05) << budget << " " << result.candidates.front().kernel;
    }
  }
}

TEST(Search, NoBudgetGivesLessThanTheDefaultFit) {
  for (const int d : {1, 3, 8}) {
    for (std::uint64_t seed = 20; seed < 24; ++seed) {
      const Dataset data = Draw(seed, 50, d);
      for (const double budget : {1e-9, 0.02, 0.1, 0.3, 0.0}) {
        SCOPED_TRACE(std::to_string(d) + " columns, seed " + std::to_string(seed) + ", " + std::to_string(budget));
        const bool all = budget == 0;  // a small search to its end
        ExpectAtLeastTheDefaultFit(
            SearchStructures(data,
                             {.beam = all ? 1 : 5, .depth = all ? 1 : 4, .budget = budget, .refine_top = all ? 2 : 8}),
            data);
      }
    }
  }
}

TEST(Search, MoreRowsThanAnExactModelHoldsAreRefusedBeforeAnyWork) {
  const int most = static_cast<int>(std::sqrt(kDefaultMemoryLimit / EstimateCost(1, {}).bytes));
  const auto data = [](int n) { return Dataset::Of(Matrix::Random(n, 1), Vector::Random(n)); };
  bool begun = false;
  try {
    SearchStructures(data(most + 1), {.budget = 1e-9, .progress = [&](int, int) { begun = true; }});
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kLimit);
    EXPECT_NE(std::string(error.what()).find(std::to_string(most) + " rows"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(begun);
}

TEST(Search, FindsTheYearInTheAirlineMonths) {
  const Dataset all = ToDataset(ParseTable(AirlineCsv(), "airline"), "");
  const Split split = HoldoutSplit(all.rows(), 0.2, 0);
  const Dataset train = SelectRows(all, split.train), test = SelectRows(all, split.test);
  const SearchResult result = SearchStructures(train, {});
  EXPECT_NE(result.candidates.front().words.find("yearly period (12"), std::string::npos)
      << result.candidates.front().words;
  for (const Method method : {Method::kOneShot, Method::kMl}) {
    EXPECT_LT(result.model.Score(test.X, test.y).nll, Fit(train, "SE", {.method = method}).Score(test.X, test.y).nll);
  }
}

TEST(Search, LargeTablesAreSearchedOnPartOfTheRowsAndFittedToAll) {
  const Dataset data = Draw(5, kSearchRows + 40, 1);
  const SearchResult result = SearchStructures(data, {.beam = 1, .depth = 0, .refine_top = 1});
  EXPECT_EQ(result.model.rows(), kSearchRows + 40);
  EXPECT_TRUE(std::any_of(result.warnings.begin(), result.warnings.end(), [](const std::string& warning) {
    return warning.find("structures were compared on 512") != std::string::npos;
  }));
}

TEST(Search, DegenerateTablesHaveAResult) {
  for (const Dataset& data : {Dataset::Of(Matrix::Constant(1, 1, 3.0), Vector::Constant(1, 5.0)),
                              Dataset::Of(Matrix::Constant(6, 2, 4.0), Vector::LinSpaced(6, 0, 1)),
                              Dataset::Of(Matrix::Random(12, 1), Vector::Constant(12, 2.5))}) {
    const SearchResult result = SearchStructures(data, {.beam = 1, .depth = 1, .refine_top = 1});
    EXPECT_TRUE(result.model.Predict(data.X).mean.allFinite());
  }
  EXPECT_THROW(SearchStructures(Draw(6, 10, 1), {.beam = 0}), Error);
  EXPECT_THROW(SearchStructures(Draw(6, 10, 1), {.budget = -1}), Error);
}

}  // namespace
}  // namespace instantgp
