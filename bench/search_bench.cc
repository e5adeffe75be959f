// Does the search find what made the data?
//
//   search_bench [--datasets N] [--budget SECONDS] [--threads T] [--beam B] [--depth D] [--refine-top K]
//                [--seed S] [--verbose 0|1]
//
// Simulated tables of 200 rows, one and two columns in turn, structures and parameters from the training distribution,
// noise standard deviation below 0.1. A search succeeds when its first candidate is the generating structure or its
// NLML per point is at most 0.01 above that of the generating structure, refined in the same way from the better of the
// network's and the true parameters. Seconds are wall clock; processor seconds say what an idle machine would need.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "instantgp/base/stopwatch.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/inference/type2_ml.h"
#include "instantgp/model/fit.h"
#include "instantgp/search/evidence.h"
#include "instantgp/search/search.h"
#include "instantgp/simulate/distribution.h"

namespace {

using namespace instantgp;

constexpr int kRows = 200;
constexpr double kNoiseStd = 0.1;

Simulated DrawLowNoise(int seed, int k) {
  SimulationOptions options;
  options.n = kRows;
  options.d = 1 + k % 2;
  options.positives_only = true;
  for (std::uint64_t index = 1000 * static_cast<std::uint64_t>(k);; ++index) {
    Simulated s = Simulate(options, static_cast<std::uint64_t>(seed), index);
    if (s.theta.noise() < 2 * std::log(kNoiseStd)) return s;
  }
}

// The generating structure at its best parameters.
struct Truth {
  double nlml = 0;      // per point
  double evidence = 0;  // negative log evidence per point, by Laplace
};

Truth Reference(const Simulated& s, const Dataset& data, const std::string& kernel) {
  const FitOptions options = {.method = Method::kRefine, .steps = 100, .map = true};
  const Model model = Fit(data, kernel, options);
  LogParameters theta = s.theta;
  const double log_scale = -2 * std::log(model.scaler().y_std);
  ScaleKernel(s.truth, log_scale, theta);
  theta.noise() += log_scale;
  Type2Options type2;
  type2.map = true;
  type2.max_steps = 100;
  const Type2Result from_truth =
      FitType2(ToExpression(s.truth), model.posterior().X(), model.posterior().y(), type2, theta);
  const bool truth_is_better = from_truth.ok && from_truth.nlml < model.summary().nlml;
  const Vector& best = truth_is_better ? from_truth.theta : model.posterior().theta();
  const Covariance covariance(ToExpression(s.truth));
  return {truth_is_better ? from_truth.nlml : model.summary().nlml,
          LaplaceScore(covariance, model.posterior().X(), model.posterior().y(), best).value_or(1e9)};
}

}  // namespace

int main(int argc, char** argv) {
  int datasets = 50, threads = 2, seed = 4242, verbose = 0;
  SearchOptions search;
  search.budget = 2;
  for (int i = 1; i + 1 < argc; i += 2) {
    for (const auto& [name, value] : {std::pair{"--datasets", &datasets},
                                      {"--threads", &threads},
                                      {"--beam", &search.beam},
                                      {"--depth", &search.depth},
                                      {"--refine-top", &search.refine_top},
                                      {"--seed", &seed},
                                      {"--verbose", &verbose}}) {
      if (std::strcmp(argv[i], name) == 0) *value = std::stoi(argv[i + 1]);
    }
    if (std::strcmp(argv[i], "--budget") == 0) search.budget = std::stod(argv[i + 1]);
  }
  Session session({.threads = threads});
  int exact = 0, found = 0, likelier = 0, evaluated = 0;
  std::vector<double> wall, processor;
  for (int k = 0; k < datasets; ++k) {
    const Simulated s = DrawLowNoise(seed, k);
    const Dataset data = Dataset::Of(s.X, s.y);
    const std::string truth = Print(ToExpression(s.truth), data.column_names);
    const std::clock_t start = std::clock();
    const Stopwatch clock;
    const SearchResult result = SearchStructures(session, data, search);
    wall.push_back(clock.Milliseconds() / 1000);
    processor.push_back(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    const Candidate& first = result.candidates.front();
    const Truth reference = Reference(s, data, truth);
    const bool same = first.kernel == truth, near = first.nlml <= reference.nlml + 0.01;
    exact += same ? 1 : 0;
    found += same || near ? 1 : 0;
    likelier += !same && !near && first.score < reference.evidence ? 1 : 0;
    evaluated += result.evaluated;
    if (verbose != 0) {
      std::printf("%c %5.2f s %4d structures  truth %.3f (%.3f) %s  found %.3f (%.3f) %s\n",
                  same   ? '='
                  : near ? '+'
                         : '-',
                  wall.back(), result.evaluated, reference.nlml, reference.evidence, truth.c_str(), first.nlml,
                  first.score, first.kernel.c_str());
    }
  }
  std::sort(wall.begin(), wall.end());
  std::sort(processor.begin(), processor.end());
  std::printf("found %d of %d (%.0f%%, target 80%%), the very structure %d times; %d structures a search\n", found,
              datasets, 100.0 * found / datasets, exact, evaluated / datasets);
  std::printf("in %d of the other %d the first candidate has more evidence than the generating structure\n", likelier,
              datasets - found);
  std::printf("seconds: median %.2f, most %.2f (target 2); processor seconds: median %.2f, most %.2f\n",
              wall[wall.size() / 2], wall.back(), processor[processor.size() / 2], processor.back());
  return 0;
}
