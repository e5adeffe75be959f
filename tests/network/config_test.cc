// The configuration as data: presets, strict reading, refusals.
#include "instantgp/network/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "instantgp/base/error.h"
#include "tests/network/small_networks.h"

namespace instantgp {
namespace {

using Json = nlohmann::json;

std::string MessageOf(const std::string& json) {
  try {
    ParseNetworkConfig(json, "net.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadInput);
    return error.what();
  }
  return "";
}

TEST(NetworkConfig, RoundTripsThroughJson) {
  std::vector<NetworkConfig> configs = testing::SmallConfigs();
  configs.push_back(NetworkPreset("paper"));
  configs.push_back(NetworkPreset("base"));
  for (const NetworkConfig& config : configs) {
    config.Validate();
    EXPECT_EQ(ParseNetworkConfig(ToJson(config), "test"), config);
  }
}

TEST(NetworkConfig, PresetsAreTheTable) {
  const NetworkConfig paper = NetworkPreset("paper");
  EXPECT_EQ(paper.t1, (BlockConfig{256, 4, 512}));
  EXPECT_EQ(paper.t3, (BlockConfig{512, 4, 512}));
  EXPECT_EQ(paper.kernel1, (BlockConfig{512, 3, 1024}));
  EXPECT_EQ(paper.cross, (BlockConfig{512, 4, 1024}));
  EXPECT_EQ(paper.norm, NormPlacement::kPost);
  EXPECT_EQ(paper.activation, Activation::kGelu);
  EXPECT_EQ(paper.output, OutputTransform::kSoftplus);
  EXPECT_EQ(paper.hypotheses, 1);
  EXPECT_EQ(paper.noise_floor, 4e-4);
  EXPECT_TRUE(paper.fourier.empty());
  EXPECT_FALSE(paper.scale_equivariant);
  EXPECT_FALSE(paper.pair_statistics);
  EXPECT_THROW(NetworkPreset("big"), Error);
}

// Every key in turn: missing, misspelt, of a wrong type.
TEST(NetworkConfig, EveryKeyIsRequiredAndTyped) {
  const Json good = Json::parse(ToJson(NetworkPreset("base")));
  for (const auto& [key, value] : good.items()) {
    Json bad = good;
    bad.erase(key);
    if (key == "family") {
      EXPECT_EQ(MessageOf(bad.dump()), "") << "files from the time of one family do not name it";
    } else {
      EXPECT_THAT(MessageOf(bad.dump()), ::testing::AllOf(::testing::HasSubstr("net.json"), ::testing::HasSubstr(key)));
    }
    bad[key + "s_"] = value;
    EXPECT_NE(MessageOf(bad.dump()), "") << key;
    for (const Json& wrong : {Json(nullptr), Json("?"), Json::array({"?", 1}), Json::object(), Json(1e99), Json(-7)}) {
      bad = good;
      bad[key] = wrong;
      if (key == "name" && wrong.is_string()) continue;
      EXPECT_THAT(MessageOf(bad.dump()), ::testing::HasSubstr(key)) << wrong;
    }
  }
  Json extra = good;
  extra["dropout"] = 0.1;
  EXPECT_THAT(MessageOf(extra.dump()), ::testing::HasSubstr("dropout"));
  extra = good;
  extra["t1"]["bias"] = true;
  EXPECT_THAT(MessageOf(extra.dump()), ::testing::HasSubstr("bias"));
  EXPECT_NE(MessageOf("{"), "");
  EXPECT_NE(MessageOf("[]"), "");
  EXPECT_NE(MessageOf(""), "");
}

TEST(NetworkConfig, RefusesWhatDoesNotFitTogether) {
  using Change = std::function<void(NetworkConfig&)>;
  const std::vector<std::pair<std::string, Change>> changes = {
      {"heads", [](NetworkConfig& c) { c.heads = 0; }},
      {"t1.width", [](NetworkConfig& c) { c.heads = 5; }},
      {"t2.width", [](NetworkConfig& c) { c.t2.width = 64; }},
      {"t3.width", [](NetworkConfig& c) { c.t3.width = 32; }},
      {"t4.width", [](NetworkConfig& c) { c.t4.width = 32; }},
      {"cross.width", [](NetworkConfig& c) { c.cross.width = 32; }},
      {"kernel2.width", [](NetworkConfig& c) { c.kernel2.width = 32; }},
      {"t1.layers", [](NetworkConfig& c) { c.t1.layers = 0; }},
      {"kernel1.hidden", [](NetworkConfig& c) { c.kernel1.hidden = -1; }},
      {"fourier", [](NetworkConfig& c) { c.fourier.push_back(-1); }},
      {"fourier", [](NetworkConfig& c) { c.fourier.push_back(std::nan("")); }},
      {"noise_floor", [](NetworkConfig& c) { c.noise_floor = -1e-9; }},
      {"symbols", [](NetworkConfig& c) { c.symbols.clear(); }},
      {"symbols", [](NetworkConfig& c) { c.symbols.push_back("SE"); }},
      {"symbols", [](NetworkConfig& c) { c.symbols.push_back("RQ"); }},
      {"symbol_head", [](NetworkConfig& c) { c.symbol_head = {0}; }},
      {"noise_head", [](NetworkConfig& c) { c.noise_head.assign(9, 4); }},
      {"hypotheses", [](NetworkConfig& c) { c.hypotheses = 0; }},
      {"pair_hidden", [](NetworkConfig& c) { c.pair_hidden = 0; }},
      {"trained_max_n", [](NetworkConfig& c) { c.trained_max_n = 0; }},
      {"trained_max_d", [](NetworkConfig& c) { c.trained_max_d = 0; }},
  };
  for (const auto& [key, change] : changes) {
    NetworkConfig config = NetworkPreset("base");
    change(config);
    try {
      config.Validate();
      ADD_FAILURE() << key << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kBadInput);
      EXPECT_THAT(error.what(), ::testing::HasSubstr("\"" + key + "\""));
    }
  }
}

}  // namespace
}  // namespace instantgp
