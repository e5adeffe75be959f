// Our answers against those of the independent numpy implementation, tests/golden/numpy_network.py.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "instantgp/base/file.h"
#include "tests/golden/network_cases.h"

namespace instantgp {
namespace {

// theta are logarithms: an absolute difference there is a relative one of the parameters.
template <typename Scalar>
double LargestDifference(const std::string& name, const nlohmann::json& golden) {
  const Network<float> single(testing::GoldenConfig(name));
  const std::vector<float> stored = testing::GoldenWeights(single);
  const Network<Scalar> network(testing::GoldenConfig(name));
  const std::vector<Scalar> weights(stored.begin(), stored.end());
  const std::vector<testing::Problem> problems = testing::GoldenProblems();
  EXPECT_EQ(golden.size(), problems.size());
  Workspace<Scalar> workspace;
  double worst = 0;
  for (std::size_t c = 0; c < problems.size(); ++c) {
    Matrix theta;
    Embedding<Scalar> encoding;
    network.Encode(weights.data(), problems[c].X, problems[c].y, workspace, &encoding);
    network.Decode(weights.data(), encoding, problems[c].structure, workspace, &theta);
    EXPECT_EQ(golden[c].size(), static_cast<std::size_t>(theta.cols()));
    for (Index k = 0; k < theta.cols(); ++k) {
      const auto expected = golden[c][k].get<std::vector<double>>();
      EXPECT_EQ(expected.size(), static_cast<std::size_t>(theta.rows()));
      for (Index r = 0; r < theta.rows(); ++r) worst = std::max(worst, std::abs(theta(r, k) - expected[r]));
    }
  }
  return worst;
}

TEST(Golden, EqualsPlainNumpy) {
  const auto golden =
      nlohmann::json::parse(ReadFile(std::string(INSTANTGP_SOURCE_DIR) + "/tests/golden/network_golden.json"));
  ASSERT_EQ(golden.at("networks").size(), 3u);
  for (const auto& [name, cases] : golden.at("networks").items()) {
    EXPECT_LE(LargestDifference<float>(name, cases), 1e-5) << name;
    EXPECT_LE(LargestDifference<double>(name, cases), 1e-10) << name;
  }
}

}  // namespace
}  // namespace instantgp
