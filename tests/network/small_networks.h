// Small networks and random problems for the tests of this folder.
#pragma once

#include <string>
#include <vector>

#include "instantgp/base/rng.h"
#include "instantgp/network/network.h"
#include "tests/support/random_kernels.h"
#include "tests/support/tables.h"

namespace instantgp::testing {

// The shape of a preset, shrunken: every part is there, all widths are small and different where they may be.
inline NetworkConfig ShrunkenPreset(const std::string& preset) {
  NetworkConfig c = NetworkPreset(preset);
  c.name = "shrunken " + preset;
  c.t1 = {8, 2, 12};
  c.t2 = {8, 1, 16};
  c.t3 = {16, 2, 20};
  c.t4 = {16, 1, 12};
  c.kernel1 = {12, 2, 10};
  c.cross = {12, 1, 14};
  c.kernel2 = {12, 2, 18};
  c.heads = 2;
  c.symbol_head.assign(c.symbol_head.size(), 7);
  c.noise_head.assign(c.noise_head.size(), 6);
  if (!c.fourier.empty()) c.fourier = {1, 2.5};
  if (c.hypotheses > 1) c.hypotheses = 3;
  c.pair_hidden = 5;
  return c;
}

// Both presets, and what neither of them combines.
inline std::vector<NetworkConfig> SmallConfigs() {
  std::vector<NetworkConfig> configs = {ShrunkenPreset("paper"), ShrunkenPreset("base")};
  NetworkConfig mixed = ShrunkenPreset("base");
  mixed.name = "post-LN, ReLU, shared heads";
  mixed.norm = NormPlacement::kPost;
  mixed.shared_heads = true;
  mixed.pair_statistics = false;
  configs.push_back(mixed);
  NetworkConfig other = ShrunkenPreset("paper");
  other.name = "pre-LN, GELU, scale-equivariant softplus, one hypothesis, pair statistics";
  other.norm = NormPlacement::kPre;
  other.scale_equivariant = true;
  other.pair_statistics = true;
  other.shared_heads = false;
  configs.push_back(other);
  return configs;
}

// The AHGP baseline's shape, shrunken.
inline NetworkConfig SmallAhgp() {
  NetworkConfig c = NetworkPreset("ahgp-se-ard");
  c.name = "shrunken ahgp-se-ard";
  c.t1 = {8, 2, 12};
  c.t4 = {8, 2, 10};
  c.symbol_head = {7};
  c.noise_head = {6, 5};
  c.fourier = {1, 2.5};
  return c;
}

// Weights that differ from their start everywhere, so that zero biases and unit gains hide nothing.
template <typename Scalar>
std::vector<Scalar> RandomWeights(const Network<Scalar>& network, std::uint64_t seed) {
  std::vector<Scalar> weights(network.num_weights());
  network.Initialize(weights.data(), seed);
  RandomStream random(seed, 1u << 20);
  for (Scalar& w : weights) w += static_cast<Scalar>(0.1 * random.Normal());
  return weights;
}

struct Problem {
  Matrix X;
  Vector y;
  Structure structure;
};

inline Problem RandomProblem(RandomStream& random, int n, int d, int max_addends = 3) {
  Problem p{{}, {}, RandomStructure(random, d, max_addends)};
  p.X = UniformMatrix(random, n, d);
  p.y = NormalVector(random, n);
  return p;
}

}  // namespace instantgp::testing
