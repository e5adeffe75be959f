#include "instantgp/search/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "instantgp/base/error.h"
#include "instantgp/data/airline.h"
#include "instantgp/data/csv.h"
#include "instantgp/data/split.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/inference/type2_ml.h"
#include "instantgp/kernel/parse.h"
#include "instantgp/model/fit.h"
#include "instantgp/search/evidence.h"
#include "instantgp/simulate/from_kernel.h"
#include "tests/support/tables.h"

namespace instantgp {
namespace {

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
    const Dataset data = testing::DrawTable(40, d, 55, 3);
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
    const Posterior posterior(ParseKernel(last.kernel, data.column_names), one.model.posterior().X(),
                              one.model.posterior().y(), last.theta);
    EXPECT_NEAR(last.nlml, posterior.nlml(), 1e-8);
    EXPECT_EQ(last.score, BicScore(last.nlml, last.parameters, 40));
  }
}

TEST(Search, ABudgetLeavesOutButDoesNotChange) {
  const Dataset data = testing::DrawTable(60, 2, 55, 4);
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
  // It is there with the parameters `fit` finds, or better ones: by likelihood; once refined by posterior density, up
  // to the difference between optima of one structure.
  if (found->refined) {
    const auto value = [&](const Vector& theta) {
      const Posterior& p = fit.posterior();
      return Type2Value(p.expression(), p.X(), p.y(), true, theta).value();
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
      // What there was time for depends on the machine: LIN on every column has more evidence and 1.1 times the RMSE.
      EXPECT_LT(score.rmse, 1.2 * fit.rmse) << budget << " " << result.candidates.front().kernel;
      // The fit averages over draws of the parameters, the search's answer is a single model.
      EXPECT_LT(score.nll, fit.nll + 0.1) << budget << " " << result.candidates.front().kernel;
    }
  }
}

TEST(Search, NoBudgetGivesLessThanTheDefaultFit) {
  for (const int d : {1, 3, 8}) {
    for (std::uint64_t seed = 20; seed < 24; ++seed) {
      const Dataset data = testing::DrawTable(50, d, 55, seed);
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
  const Dataset data = testing::DrawTable(kSearchRows + 40, 1, 55, 5);
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
  EXPECT_THROW(SearchStructures(testing::DrawTable(10, 1, 55, 6), {.beam = 0}), Error);
  EXPECT_THROW(SearchStructures(testing::DrawTable(10, 1, 55, 6), {.budget = -1}), Error);
}

}  // namespace
}  // namespace instantgp
