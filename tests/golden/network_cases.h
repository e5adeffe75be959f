// The networks and problems of the golden file of the network; the same on every machine.
#pragma once

#include <string>
#include <vector>

#include "tests/network/small_networks.h"

namespace instantgp::testing {

inline constexpr std::uint64_t kGoldenSeed = 20240229;

// "base" and "paper" are the presets; "base-small" and "paper-small" have all their parts at small widths.
inline NetworkConfig GoldenConfig(const std::string& name) {
  if (name == "base-small") return ShrunkenPreset("base");
  if (name == "paper-small") return ShrunkenPreset("paper");
  return NetworkPreset(name);
}

// The full paper preset keeps its start: noise on every weight of a network that wide saturates it.
inline std::vector<float> GoldenWeights(const Network<float>& network) {
  if (network.num_weights() < 10'000'000) return RandomWeights(network, kGoldenSeed);
  std::vector<float> weights(network.num_weights());
  network.Initialize(weights.data(), kGoldenSeed);
  return weights;
}

inline std::vector<Problem> GoldenProblems() {
  RandomStream random(kGoldenSeed, 1);
  std::vector<Problem> problems;
  for (int k = 0; k < 8; ++k)
    problems.push_back(RandomProblem(random, k == 0 ? 1 : random.UniformInt(2, 20), 1 + k % 4));
  return problems;
}

}  // namespace instantgp::testing
