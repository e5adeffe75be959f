#include "tests/fuzz/small_networks.h"

#include "instantgp/base/rng.h"
#include "instantgp/network/network.h"

namespace instantgp::fuzz {

NetworkConfig SmallestConfig() {
  NetworkConfig c = NetworkPreset("base");
  c.name = "smallest";
  c.t1 = c.t2 = {2, 1, 2};
  c.t3 = c.t4 = {4, 1, 2};
  c.kernel1 = c.cross = c.kernel2 = {2, 1, 2};
  c.heads = 1;
  c.fourier = {1};
  c.symbol_head = {2};
  c.noise_head = {2};
  c.hypotheses = 2;
  c.pair_hidden = 2;
  c.shared_heads = true;
  return c;
}

NetworkConfig SmallestAhgpConfig() {
  NetworkConfig c = NetworkPreset("ahgp-se-ard");
  c.name = "smallest ahgp";
  c.t1 = c.t4 = {2, 1, 2};
  c.heads = 1;
  c.fourier = {1};
  c.symbol_head = {2};
  c.noise_head = {2};
  return c;
}

NetworkWeights RandomNetwork(const NetworkConfig& config, bool with_steps) {
  const Network<float> network(config);
  NetworkWeights weights;
  weights.config = config;
  weights.values.resize(network.num_weights());
  network.Initialize(weights.values.data(), 1);
  RandomStream random(2);
  for (float& w : weights.values) w += static_cast<float>(0.1 * random.Normal());
  weights.validation = {{"gap_mean", 0.25}};
  if (with_steps) {
    weights.steps = FirstStepWeights(2, 3);
    for (float& w : weights.steps.values) w += static_cast<float>(0.1 * random.Normal());
  }
  return weights;
}

}  // namespace instantgp::fuzz
