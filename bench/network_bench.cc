// Training throughput of the network: forward and backward passes over the training distribution.
//
//   network_bench [--preset NAME] [--threads T] [--seconds S] [--datasets N]
//
// Prints datasets per second, the matrix-product operations counted per dataset, the single-thread SGEMM rate measured
// in the same run, and the achieved rate as a share of T such threads. Rates are taken over the wall clock and, because
// a shared machine distorts that, over the processor time of the threads.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/sgemm_rate.h"
#include "instantgp/base/rng.h"
#include "instantgp/network/network.h"
#include "instantgp/simulate/distribution.h"

namespace {

using instantgp::Matrix;
using instantgp::Network;

double Now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

struct Options {
  std::string preset = "base";
  int threads = 2;
  double seconds = 5;
  int datasets = 256;
};

Options Parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--preset") == 0) options.preset = argv[i + 1];
    if (std::strcmp(argv[i], "--threads") == 0) options.threads = std::stoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--seconds") == 0) options.seconds = std::stod(argv[i + 1]);
    if (std::strcmp(argv[i], "--datasets") == 0) options.datasets = std::stoi(argv[i + 1]);
  }
  return options;
}

struct Item {
  instantgp::Simulated data;
  Matrix dtheta;
  double flops = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const Options options = Parse(argc, argv);
  instantgp::SetBlasThreads(1);
  const Network<float> network(instantgp::NetworkPreset(options.preset));
  std::vector<float> weights(network.num_weights());
  network.Initialize(weights.data(), 1);

  std::vector<Item> items(options.datasets);
  instantgp::RandomStream random(2);
  for (int k = 0; k < options.datasets; ++k) {
    items[k].data = instantgp::Simulate({}, 7, k);
    const instantgp::Simulated& data = items[k].data;
    items[k].flops = network.TrainingFlops(static_cast<int>(data.X.rows()), data.given);
    int parameters = 1;
    for (const auto& symbols : data.given.symbols) {
      for (instantgp::BaseSymbol symbol : symbols) parameters += instantgp::NumParameters(symbol);
    }
    items[k].dtheta.resize(parameters, network.config().hypotheses);
    for (instantgp::Index e = 0; e < items[k].dtheta.size(); ++e) items[k].dtheta.data()[e] = 0.1 * random.Normal();
  }

  const double sgemm_before = SgemmRate();
  std::atomic<int> next = 0;
  struct Share {
    double cpu = 0, flops = 0;
    long long count = 0;
  };
  std::vector<Share> shares(options.threads);
  const double start = Now();
  std::vector<std::thread> threads;
  for (int t = 0; t < options.threads; ++t) {
    threads.emplace_back([&, t] {
      instantgp::Workspace<float> workspace;
      std::vector<float> gradient(network.num_weights());
      Matrix theta;
      const double cpu = ProcessorTime(CLOCK_THREAD_CPUTIME_ID);
      while (Now() - start < options.seconds) {
        const Item& item = items[next++ % options.datasets];
        network.Forward(weights.data(), item.data.X, item.data.y, item.data.given, workspace, &theta);
        network.Backward(weights.data(), item.dtheta, workspace, gradient.data());
        shares[t].flops += item.flops;
        shares[t].count += 1;
      }
      shares[t].cpu = ProcessorTime(CLOCK_THREAD_CPUTIME_ID) - cpu;
    });
  }
  for (std::thread& thread : threads) thread.join();
  const double wall = Now() - start;
  const double sgemm = std::max(sgemm_before, SgemmRate());

  double flops = 0, cpu = 0;
  long long count = 0;
  for (const Share& share : shares) {
    flops += share.flops;
    cpu += share.cpu;
    count += share.count;
  }
  std::printf("preset                         %s, %zu weights\n", options.preset.c_str(), network.num_weights());
  std::printf("threads                        %d\n", options.threads);
  std::printf("datasets per second            %.1f (wall), %.1f (undisturbed processors)\n", count / wall,
              options.threads * count / cpu);
  std::printf("products per dataset           %.1f MFLOP\n", 1e-6 * flops / count);
  std::printf("SGEMM, one thread              %.1f GFLOP/s\n", 1e-9 * sgemm);
  std::printf("achieved, all threads          %.1f GFLOP/s (wall), %.1f (undisturbed processors)\n",
              1e-9 * flops / wall, 1e-9 * options.threads * flops / cpu);
  std::printf("share of %d SGEMM threads       %.1f %% (wall), %.1f %% (undisturbed processors)\n", options.threads,
              100 * flops / wall / (options.threads * sgemm), 100 * flops / cpu / sgemm);
  return 0;
}
