// One-shot fits against our own optimisers, on the same rows in the same run, from rows in memory to a model ready to
// predict. The same sum of base symbols on every column (SE+LIN+PER unless told otherwise), data drawn from it.
//
//   oneshot_speed_bench [--kernel SUM] [--threads T] [--own-threads 0|1] [--datasets N] [--weights FILE] [--only 1]
//
// --only 1 times one-shot alone, for profiles.
//
// The threads exist before the fits, as in a program that fits more than once; with --own-threads 1 every one-shot fit
// starts and ends its own.
//
// For each size: the median over datasets of the one-shot time (best of several repeats, since it is the one that noise
// can distort) and of the ratios of L-BFGS from the standard start, and of multi-start, to it.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "instantgp/base/stopwatch.h"
#include "instantgp/inference/trained_network.h"
#include "instantgp/kernel/parse.h"
#include "instantgp/kernel/structure.h"
#include "instantgp/model/fit.h"
#include "instantgp/simulate/distribution.h"

namespace {

using namespace instantgp;

struct Size {
  int n, d;
  double target_ml, target_multistart;
};

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

template <typename Fitter>
double Time(const Dataset& data, const Fitter& fit, int repeats, FitSummary* summary) {
  double best = 1e300;
  for (int r = 0; r < repeats; ++r) {
    const Stopwatch clock;
    const Model model = fit(data);
    best = std::min(best, clock.Milliseconds());
    *summary = model.summary();
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  FitOptions options;
  SessionOptions session_options{.threads = 2};
  int datasets = 7, own_threads = 0, only = 0;
  std::string kernel = "SE + LIN + PER";
  std::optional<TrainedNetwork> network;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--threads") == 0) session_options.threads = std::stoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--own-threads") == 0) own_threads = std::stoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--datasets") == 0) datasets = std::stoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--only") == 0) only = std::stoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--kernel") == 0) kernel = argv[i + 1];
    if (std::strcmp(argv[i], "--weights") == 0) {
      session_options.network = &network.emplace(TrainedNetwork::Load(argv[i + 1]));
    }
  }
  TrainedNetwork::Embedded();
  Session kept(session_options);
  const auto fit = [&](const Dataset& data) {
    return own_threads == 0 ? kept.Fit(data, kernel, options) : Fit(data, kernel, options, session_options);
  };
  std::printf("threads %d (%s), %d datasets a size; times in ms\n\n", session_options.threads,
              own_threads == 0 ? "kept" : "each fit's own", datasets);
  std::printf(
      "   n d   one-shot  (scale  encode  decode  factorize)         ml  evaluations  ratio  target"
      "   multistart  ratio  target\n");
  for (const Size& size : {Size{100, 2, 20, 200}, Size{250, 4, 30, 300}, Size{500, 8, 40, 400}}) {
    SimulationOptions simulation;
    simulation.n = size.n;
    simulation.positives_only = true;
    const std::vector<std::string> names = Dataset::Of(Matrix::Zero(1, size.d), Vector::Zero(1)).column_names;
    simulation.structure = ToStructure(ParseKernel(kernel, names)).value();
    std::vector<double> one_shot, ml, ml_ratio, multi, multi_ratio, scale, encode, decode, factorize, evaluations;
    for (int k = 0; k < datasets; ++k) {
      const Simulated drawn = Simulate(simulation, 20261116, k);
      const Dataset data = Dataset::Of(drawn.X, drawn.y);
      FitSummary summary;
      options.method = Method::kOneShot;
      const double fast = Time(data, fit, 20, &summary);
      one_shot.push_back(fast);
      scale.push_back(summary.time_ms.scale);
      encode.push_back(summary.time_ms.encode);
      decode.push_back(summary.time_ms.decode);
      factorize.push_back(summary.time_ms.factorize);
      if (only != 0) continue;
      options.method = Method::kMl;
      ml.push_back(Time(data, fit, 1, &summary));
      evaluations.push_back(summary.evaluations);
      ml_ratio.push_back(ml.back() / fast);
      if (size.n == 500 && k >= 3) continue;  // half a minute each
      options.method = Method::kMultiStart;
      multi.push_back(Time(data, fit, 1, &summary));
      multi_ratio.push_back(multi.back() / fast);
    }
    std::printf("%4d %d %10.3f  (%.3f %7.3f %7.3f %10.3f) %10.1f %12.0f %6.1f %7.0f %12.0f %6.0f %7.0f\n", size.n,
                size.d, Median(one_shot), Median(scale), Median(encode), Median(decode), Median(factorize), Median(ml),
                Median(evaluations), Median(ml_ratio), size.target_ml, Median(multi), Median(multi_ratio),
                size.target_multistart);
  }
  return 0;
}
