// Throughput of complete training steps: drawing the data, network, marginal likelihoods, gradients, optimiser.
//
//   training_bench [--preset NAME] [--threads T] [--seconds S] [--batch B] [--lanes L]
//
// Full distribution, no curriculum. Prints datasets per second, the matrix-product operations counted per dataset, the
// single-thread SGEMM rate measured in the same run, and the achieved rate as a share of T such threads. On a shared
// machine the wall clock says little, so the same rates are also given over the processor time of the process.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/sgemm_rate.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/network/network.h"
#include "instantgp/simulate/distribution.h"
#include "instantgp/training/batch.h"
#include "instantgp/training/config.h"
#include "instantgp/training/curriculum.h"
#include "instantgp/training/optimizer.h"

namespace {

double Wall() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

int main(int argc, char** argv) {
  using namespace instantgp;
  std::string preset = "base";
  int threads = 2, batch = 16, lanes = 4;
  double seconds = 15;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string key = argv[i];
    if (key == "--preset") preset = argv[i + 1];
    if (key == "--threads") threads = std::atoi(argv[i + 1]);
    if (key == "--seconds") seconds = std::atof(argv[i + 1]);
    if (key == "--batch") batch = std::atoi(argv[i + 1]);
    if (key == "--lanes") lanes = std::atoi(argv[i + 1]);
  }
  TrainingConfig config = DefaultTrainingConfig();
  config.network = NetworkPreset(preset);
  config.curriculum.clear();
  config.datasets = 1;
  config.batch = batch;
  config.lanes = lanes;
  config.Validate();

  const double sgemm = SgemmRate();
  const Network<float> network(config.network);
  std::vector<float> weights(network.num_weights()), moment1(weights.size()), moment2(weights.size());
  network.Initialize(weights.data(), 1);
  std::vector<float> average = weights;
  ThreadPool pool(threads);
  SingleProcess alone;
  BatchEngine engine(config, network, pool, alone);

  // Mean operations per dataset over the first thousand of the distribution.
  double flops = 0;
  constexpr int kCounted = 1000;
  SimulationOptions small = config.Simulation();
  for (int i = 0; i < kCounted; ++i) {
    const SimulatedSize size = DrawSize(small, config.seed, i);
    SimulationOptions own = small;
    own.n = 1;  // the structure is what counts; y need not be drawn at full size
    own.d = size.d;
    flops += network.TrainingFlops(size.n, Simulate(own, config.seed, i).given) / kCounted;
  }

  const CurriculumStage stage = StageAt(config, 1);
  std::uint64_t next = 0;
  engine.Load({next, stage});
  std::int64_t step = 0;
  double wall = 0, processor = 0;
  std::int64_t counted = 0;
  const double begin = Wall();
  for (bool warm = false; Wall() - begin < seconds || !warm;) {
    const double wall_before = Wall(), processor_before = ProcessorTime(CLOCK_PROCESS_CPUTIME_ID);
    next += batch;
    const BatchResult result = engine.Compute(weights.data(), {next, stage}, {});
    const StepCoefficients c = CoefficientsOf(config.optimizer, ++step, 1e-4, 1.0 / std::max(1, result.used));
    constexpr std::size_t kChunk = 1 << 15;
    pool.Run(static_cast<int>((weights.size() + kChunk - 1) / kChunk), [&](int k, int) {
      const std::size_t from = k * kChunk;
      UpdateWeights(c, from, std::min(weights.size(), from + kChunk), engine.gradient().data(), weights.data(),
                    moment1.data(), moment2.data(), average.data());
    });
    if (step > 4) {  // after the workspaces have grown
      warm = true;
      wall += Wall() - wall_before;
      processor += ProcessorTime(CLOCK_PROCESS_CPUTIME_ID) - processor_before;
      counted += batch;
    }
  }
  const double datasets = static_cast<double>(counted);
  std::printf("preset %s, %zu weights, batch %d, %d lanes, %d threads\n", preset.c_str(), weights.size(), batch, lanes,
              threads);
  std::printf("datasets per second             %10.1f wall   %10.1f per %d processor seconds\n", datasets / wall,
              threads * datasets / processor, threads);
  std::printf("matrix products per dataset     %10.2f MFLOP\n", flops * 1e-6);
  std::printf("SGEMM, one thread               %10.2f GFLOP/s\n", sgemm * 1e-9);
  std::printf("achieved                        %10.2f GFLOP/s wall   %10.2f per %d processor seconds\n",
              flops * datasets / wall * 1e-9, threads * flops * datasets / processor * 1e-9, threads);
  std::printf("share of %d threads of SGEMM     %10.1f %% wall   %10.1f %% of processor time\n", threads,
              100 * flops * datasets / wall / (threads * sgemm), 100 * flops * datasets / processor / sgemm);
  return 0;
}
