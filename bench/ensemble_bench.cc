// What 24 structures from one encoding cost.
//
//   ensemble_bench [--n N] [--d D] [--threads T] [--repeats R] [--ml 0|1]
//
// In one run, each the best of R repeats: the one-shot ensemble of the 24 built-in structures; one encoding; 24 bare
// factorisations (dpotrf and one triangular solve each) on the same threads; the decoding of the 24 structures; and one
// ensemble by L-BFGS. Prints times and the ratios that matter.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "instantgp/base/stopwatch.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/cholesky.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/inference/trained_network.h"
#include "instantgp/kernel/parse.h"
#include "instantgp/kernel/structure_list.h"
#include "instantgp/model/fit_ensemble.h"
#include "instantgp/simulate/distribution.h"

namespace {

using namespace instantgp;

double BestOf(int repeats, const std::function<void()>& body) {
  double best = 1e300;
  for (int r = 0; r < repeats; ++r) {
    const Stopwatch clock;
    body();
    best = std::min(best, clock.Milliseconds());
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  int n = 500, d = 8, threads = 2, repeats = 7, ml = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    for (const auto& [name, value] :
         {std::pair{"--n", &n}, {"--d", &d}, {"--threads", &threads}, {"--repeats", &repeats}, {"--ml", &ml}}) {
      if (std::strcmp(argv[i], name) == 0) *value = std::stoi(argv[i + 1]);
    }
  }
  SimulationOptions simulation;
  simulation.n = n;
  simulation.d = d;
  Simulated s = Simulate(simulation, 1, 0);
  const Dataset data = Dataset::Of(std::move(s.X), std::move(s.y));
  const std::vector<std::string> kernels = BuiltInKernels();
  const int count = static_cast<int>(kernels.size());
  EnsembleOptions options;
  Session session({.threads = threads});
  const TrainedNetwork& network = TrainedNetwork::Embedded();

  const double ensemble = BestOf(repeats, [&] { FitEnsemble(session, data, kernels, options); });
  ThreadPool& pool = session.pool();
  const double encode = BestOf(repeats, [&] { network.Encode(data, {}, &pool); });

  const Encoding encoding = network.Encode(data, {}, &pool);
  std::vector<Structure> structures;
  for (const ColumnSymbols& symbols : BenchmarkStructures()) structures.push_back(SpreadOverColumns(symbols, d));
  const double decode = BestOf(repeats, [&] { network.Decode(encoding, structures); });

  const Model one = session.Fit(data, "SE");
  Matrix A = one.posterior().L() * one.posterior().L().transpose();
  std::vector<Matrix> matrices(count);
  const double factorise = BestOf(repeats, [&] {
    for (Matrix& matrix : matrices) matrix = A;
  });
  const double with_copies = BestOf(repeats, [&] {
    for (Matrix& matrix : matrices) matrix = A;
    pool.Run(count, [&](int k, int) {
      Factorize(matrices[k], [&](Matrix& m) { m = A; });
      Vector b = encoding.y;
      SolveLower(matrices[k], b);
    });
  });
  const double bare = with_copies - factorise;

  std::printf("n %d, d %d, %d structures, %d threads, best of %d\n", n, d, count, threads, repeats);
  std::printf("  one-shot ensemble             %9.2f ms\n", ensemble);
  std::printf("  one encoding                  %9.2f ms\n", encode);
  std::printf("  decoding                      %9.2f ms: %.0f structures a second on one thread\n", decode,
              1000 * count / decode);
  std::printf("  bare factorisations           %9.2f ms\n", bare);
  std::printf("  (ensemble - encoding) / bare  %9.2f (target 1.30)\n", (ensemble - encode) / bare);
  if (ml != 0) {
    options.fit.method = Method::kMl;
    const double slow = BestOf(1, [&] { FitEnsemble(session, data, kernels, options); });
    std::printf("  ensemble by L-BFGS            %9.2f ms: %.0f times the one-shot ensemble (target 40)\n", slow,
                slow / ensemble);
  }
  return 0;
}
