// The network as a whole: size, one definition for training and inference, batches, refusals, memory.
#include "instantgp/network/network.h"

#include <gtest/gtest.h>

#include "instantgp/base/error.h"
#include "tests/network/small_networks.h"

namespace instantgp {
namespace {

using testing::Problem;
using testing::RandomProblem;
using testing::RandomWeights;
using testing::SmallConfigs;

TEST(Network, PaperPresetHasThePublishedNumberOfWeights) {
  const Network<float> network(NetworkPreset("paper"));
  EXPECT_EQ(network.num_weights(), 43'196'386u);
}

TEST(Network, TensorsFollowEachOtherWithoutHoles) {
  for (const NetworkConfig& config : SmallConfigs()) {
    const Network<float> network(config);
    std::size_t next = 0;
    for (const WeightTensor& tensor : network.tensors()) {
      EXPECT_EQ(tensor.offset, next) << tensor.name;
      next += static_cast<std::size_t>(tensor.rows) * tensor.cols;
    }
    EXPECT_EQ(next, network.num_weights());
  }
}

TEST(Network, InferenceIsTheTrainingForwardPass) {
  RandomStream random(3);
  for (const NetworkConfig& config : SmallConfigs()) {
    const Network<float> network(config);
    const std::vector<float> weights = RandomWeights(network, 5);
    Workspace<float> training, inference;
    for (int k = 0; k < 20; ++k) {
      const Problem p = RandomProblem(random, random.UniformInt(1, 40), random.UniformInt(1, 8));
      Matrix trained, inferred;
      Encoding<float> encoding;
      network.Forward(weights.data(), p.X, p.y, p.structure, training, &trained);
      network.Encode(weights.data(), p.X, p.y, inference, &encoding);
      network.Decode(weights.data(), encoding, p.structure, inference, &inferred);
      EXPECT_EQ(trained, inferred) << config.name;
      EXPECT_TRUE(trained.allFinite());
    }
  }
}

TEST(Network, BatchDecodeEqualsTheLoop) {
  RandomStream random(4);
  for (const NetworkConfig& config : SmallConfigs()) {
    const Network<float> network(config);
    const std::vector<float> weights = RandomWeights(network, 6);
    Workspace<float> workspace;
    for (int d = 1; d <= 8; ++d) {
      const Problem p = RandomProblem(random, 20, d);
      Encoding<float> encoding;
      network.Encode(weights.data(), p.X, p.y, workspace, &encoding);
      std::vector<Structure> structures;
      for (int s = 0; s < 24; ++s) structures.push_back(testing::RandomStructure(random, d, 4, /*skip_columns=*/d > 1));
      std::vector<Matrix> batch;
      network.DecodeBatch(weights.data(), encoding, structures, workspace, &batch);
      ASSERT_EQ(batch.size(), structures.size());
      for (std::size_t s = 0; s < structures.size(); ++s) {
        Matrix alone;
        network.Decode(weights.data(), encoding, structures[s], workspace, &alone);
        ASSERT_EQ(batch[s].rows(), alone.rows());
        EXPECT_LE((batch[s] - alone).cwiseAbs().maxCoeff(), 1e-5 * (1 + alone.cwiseAbs().maxCoeff())) << config.name;
      }
    }
  }
}

}  // namespace
}  // namespace instantgp
