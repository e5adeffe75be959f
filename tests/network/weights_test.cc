// Weights files: round trip, damage, and configurations that do not fit.
#include "instantgp/network/weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <limits>

#include "instantgp/base/error.h"
#include "instantgp/base/safetensors.h"
#include "tests/network/small_networks.h"

namespace instantgp {
namespace {

NetworkWeights Some(const NetworkConfig& config) {
  const Network<float> network(config);
  return {config, testing::RandomWeights(network, 9), 123456789012, {{"gap_mean", 0.125}, {"gap_median", 1.0 / 3}}};
}

std::string RefusalOf(const std::string& bytes) {
  try {
    ParseWeights(bytes, "w.safetensors");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadInput);
    return error.what();
  }
  return "";
}

TEST(Weights, RoundTrip) {
  for (const NetworkConfig& config : testing::SmallConfigs()) {
    const NetworkWeights written = Some(config);
    const std::string path = ::testing::TempDir() + "/weights_test.safetensors";
    SaveWeights(path, written);
    const NetworkWeights read = LoadWeights(path);
    EXPECT_EQ(read.config, written.config);
    EXPECT_EQ(read.values, written.values);
    EXPECT_EQ(read.datasets_seen, written.datasets_seen);
    EXPECT_EQ(read.validation, written.validation);
    std::filesystem::remove(path);
  }
}

TEST(Weights, EveryFlippedByteAndEveryTruncationIsFound) {
  const std::string bytes = SerializeWeights(Some(testing::ShrunkenPreset("paper")));
  ASSERT_EQ(RefusalOf(bytes), "");
  RandomStream random(1);
  for (int k = 0; k < 400; ++k) {
    // The header in full, the data in samples.
    const std::size_t at = k < 200 ? static_cast<std::size_t>(k) * 7 : random.Bits() % bytes.size();
    std::string flipped = bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << random.UniformInt(0, 7)));
    EXPECT_NE(RefusalOf(flipped), "") << "byte " << at;
    EXPECT_NE(RefusalOf(bytes.substr(0, at)), "") << "cut at " << at;
  }
  EXPECT_NE(RefusalOf(""), "");
  EXPECT_NE(RefusalOf(bytes + "x"), "");
}

TEST(Weights, AConfigurationThatDoesNotFitIsRefused) {
  const TensorFile good = ParseTensors(SerializeWeights(Some(testing::ShrunkenPreset("base"))), "test");
  const auto refuses = [](const TensorFile& file, const std::string& word) {
    EXPECT_THAT(RefusalOf(SerializeTensors(file)), ::testing::HasSubstr(word));
  };
  NetworkConfig other = testing::ShrunkenPreset("base");
  other.t1.hidden += 1;
  TensorFile file = good;
  file.metadata["config"] = ToJson(other);
  refuses(file, "t1.0.mlp1.weight");
  other = testing::ShrunkenPreset("base");
  other.t1.layers += 1;
  file.metadata["config"] = ToJson(other);
  refuses(file, "tensors");
  other = testing::ShrunkenPreset("base");
  other.symbols.pop_back();
  file.metadata["config"] = ToJson(other);
  refuses(file, "symbols");
  file = good;
  file.metadata["config"] = "{}";
  refuses(file, "config");
  file = good;
  file.metadata["trained_range"] = R"({"max_n":9999,"max_d":8})";
  refuses(file, "trained_range");
  file = good;
  file.metadata["format_version"] = "2";
  refuses(file, "version 2");
  file = good;
  file.metadata["format"] = "something";
  refuses(file, "something");
  file = good;
  file.metadata["datasets_seen"] = "-1";
  refuses(file, "datasets_seen");
  file = good;
  file.metadata["validation"] = "[1]";
  refuses(file, "validation");
  for (const auto& [key, value] : good.metadata) {
    file = good;
    file.metadata.erase(key);
    EXPECT_THAT(RefusalOf(SerializeTensors(file)), ::testing::HasSubstr(key));
  }
  file = good;
  auto node = file.tensors.extract("t2.0.qkv.weight");
  node.key() = "t2.0.qkv";
  file.tensors.insert(std::move(node));
  refuses(file, "t2.0.qkv.weight");
  file = good;
  const float bad = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(file.tensors["symbols.weight"].bytes.data(), &bad, sizeof(bad));
  refuses(file, "not finite");
  file = good;
  file.tensors["symbols.weight"].type = TensorType::kI64;
  file.tensors["symbols.weight"].bytes.resize(2 * file.tensors["symbols.weight"].bytes.size());
  EXPECT_NE(RefusalOf(SerializeTensors(file)), "");
}

TEST(Weights, AnUnwritablePathIsAFailureWithItsName) {
  try {
    SaveWeights("/nonexistent/folder/w.safetensors", Some(testing::ShrunkenPreset("paper")));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kFailure);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("/nonexistent/folder"));
  }
}

}  // namespace
}  // namespace instantgp
