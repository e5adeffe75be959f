#include "instantgp/training/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "instantgp/base/error.h"
#include "instantgp/base/file.h"

namespace instantgp {
namespace {

using ::testing::HasSubstr;

std::string MessageOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(TrainingConfig, RoundTripsThroughJson) {
  TrainingConfig config = DefaultTrainingConfig();
  config.datasets = 12345;
  config.seed = (1ull << 62) + 3;
  config.optimizer.kind = OptimizerKind::kAdamW;
  config.schedule.kind = ScheduleKind::kRestart;
  config.schedule.peak = 0.1 + 0.2;
  config.init_from = "a \"quoted\" name";
  const std::string text = ToJson(config);
  const TrainingConfig again = ParseTrainingConfig(text, "test");
  EXPECT_EQ(ToJson(again), text);
  EXPECT_EQ(again.network, config.network);
  EXPECT_EQ(again.seed, config.seed);
  EXPECT_EQ(again.schedule, config.schedule);
  EXPECT_EQ(again.curriculum, config.curriculum);
}

// Every object of the document refuses a key it does not know; the objects are found by walking the document.
TEST(TrainingConfig, UnknownKeysAreErrorsEverywhere) {
  using Json = nlohmann::json;
  const Json document = Json::parse(ToJson(DefaultTrainingConfig()));
  int objects = 0;
  const std::function<void(const Json&, const Json::json_pointer&)> walk = [&](const Json& node,
                                                                               const Json::json_pointer& at) {
    if (node.is_object()) {
      ++objects;
      Json broken = document;
      broken[at]["no_such_key"] = 1;
      EXPECT_THAT(MessageOf([&] { ParseTrainingConfig(broken.dump(), "test.json"); }),
                  ::testing::AllOf(HasSubstr("test.json"), HasSubstr("no_such_key")))
          << at.to_string();
      for (const auto& [key, value] : node.items()) walk(value, at / key);
    } else if (node.is_array()) {
      for (std::size_t i = 0; i < node.size(); ++i) walk(node[i], at / i);
    }
  };
  walk(document, Json::json_pointer());
  EXPECT_GE(objects, 6);
}

// Every scalar of the document refuses a value of another type.
TEST(TrainingConfig, IllTypedValuesAreErrorsEverywhere) {
  using Json = nlohmann::json;
  const Json document = Json::parse(ToJson(DefaultTrainingConfig()));
  const Json flat = document.flatten();
  for (const auto& [path, value] : flat.items()) {
    Json broken = document;
    broken[Json::json_pointer(path)] = Json::array({Json::object()});
    EXPECT_NE(MessageOf([&] { ParseTrainingConfig(broken.dump(), "test"); }), "no error") << path;
  }
}

TEST(TrainingConfig, NetworkIsAPresetOrAPresetWithChanges) {
  EXPECT_EQ(ParseTrainingConfig(R"({"network": "paper"})", "t").network, NetworkPreset("paper"));
  NetworkConfig expected = NetworkPreset("base");
  expected.hypotheses = 8;
  EXPECT_EQ(ParseTrainingConfig(R"({"network": {"preset": "base", "hypotheses": 8}})", "t").network, expected);
  EXPECT_THAT(MessageOf([] { ParseTrainingConfig(R"({"network": {"preset": "base", "hypothesis": 8}})", "t"); }),
              HasSubstr("hypothesis"));
  EXPECT_THAT(MessageOf([] { ParseTrainingConfig(R"({"network": "huge"})", "t"); }), HasSubstr("huge"));
}

TEST(TrainingConfig, OverridesReachEverySetting) {
  const TrainingConfig config = DefaultTrainingConfig();
  EXPECT_EQ(WithOverride(config, "schedule.peak=5e-4").schedule.peak, 5e-4);
  EXPECT_EQ(WithOverride(config, "network.hypotheses=2").network.hypotheses, 2);
  EXPECT_EQ(WithOverride(config, "optimizer.name=adamw").optimizer.kind, OptimizerKind::kAdamW);
  EXPECT_EQ(WithOverride(config, "datasets=1e6").datasets, 1000000);
  EXPECT_EQ(WithOverride(config, "init_from=best.safetensors").init_from, "best.safetensors");
  EXPECT_TRUE(WithOverride(config, "curriculum=[]").curriculum.empty());
  EXPECT_THAT(MessageOf([&] { WithOverride(config, "schedule.speed=1"); }), HasSubstr("schedule.speed"));
  EXPECT_THAT(MessageOf([&] { WithOverride(config, "seed.x=1"); }), HasSubstr("seed.x"));
  EXPECT_THAT(MessageOf([&] { WithOverride(config, "seed"); }), HasSubstr("key=value"));
  EXPECT_THAT(MessageOf([&] { WithOverride(config, "batch=many"); }), HasSubstr("batch"));
}

TEST(TrainingConfig, ValidateNamesTheKey) {
  TrainingConfig good = DefaultTrainingConfig();
  good.datasets = 100;
  ASSERT_NO_THROW(good.Validate());
  const auto broken = [&](const std::string& assignment) {
    return MessageOf([&] { WithOverride(good, assignment).Validate(); });
  };
  for (const auto& [assignment, key] : std::vector<std::pair<std::string, std::string>>{
           {"datasets=0", "budget"},
           {"minutes=3", "budget"},
           {"batch=0", "batch"},
           {"lanes=17", "lanes"},
           {"optimizer.beta2=1", "beta2"},
           {"optimizer.epsilon=0", "epsilon"},
           {"optimizer.averaging=0", "averaging"},
           {"schedule.peak=0", "peak"},
           {"schedule.final_fraction=2", "final_fraction"},
           {"schedule.cycles=0", "cycles"},
           {"loss.phase=3", "phase"},
           {"loss.other_probability=-0.1", "other_probability"},
           {"min_n=300", "min_n"},
           {"max_d=0", "max_d"},
           {"addend_p=0", "addend_p"},
           {"mixture=[]", "at least one component"},
           {"mixture=[{\"name\":\"paper\",\"share\":0.5}]", "add up to 1"},
           {"mixture=[{\"name\":\"paper\",\"share\":0}]", "(0, 1]"},
           {"mixture=[{\"name\":\"paper\",\"share\":0.5},{\"name\":\"paper\",\"share\":0.5}]", "twice"},
           {"mixture=[{\"name\":\"tables\",\"max_d\":65}]", "max_d"},
           {"mixture=[{\"name\":\"tables\",\"large_n\":9999}]", "large_n"},
           {"mixture=[{\"name\":\"tables\",\"max_cells\":5}]", "max_cells"},
           {"mixture=[{\"name\":\"tables\",\"same_symbols_p\":2}]", "same_symbols_p"},
           {"validation.tables_seed=1", "validation.tables_seed"},
           {"validation.tables_datasets=0", "validation.tables_datasets"},
           {"validation.gap_limit=0", "validation.gap_limit"},
           {"curriculum=[{\"from\":0.2}]", "curriculum"},
           {"curriculum=[{\"from\":0},{\"from\":0}]", "curriculum"},
           {"curriculum=[{\"small_share\":0.7,\"large_share\":0.7}]", "small_share"},
           {"curriculum=[{\"large_share\":0.1,\"large_n\":100}]", "large_n"},
           {"validation.seed=1", "validation.seed"},
           {"validation.datasets=1", "validation.datasets"},
           {"checkpoint_minutes=0", "checkpoint_minutes"},
       }) {
    EXPECT_THAT(broken(assignment), HasSubstr(key)) << assignment;
  }
}

TEST(TrainingConfig, AMixtureIsAListOfNamedComponents) {
  const auto parse = [](const std::string& mixture) {
    return ParseTrainingConfig("{\"mixture\": " + mixture + "}", "t.json");
  };
  const TrainingConfig config =
      parse(R"([{"name": "paper", "share": 0.25}, {"name": "tables", "share": 0.75, "max_d": 20}])");
  ASSERT_EQ(config.mixture.size(), 2u);
  EXPECT_EQ(config.mixture[0].kind, ComponentKind::kPaper);
  EXPECT_EQ(config.mixture[1].kind, ComponentKind::kTables);
  EXPECT_EQ(config.mixture[1].share, 0.75);
  EXPECT_EQ(config.mixture[1].tables.max_d, 20);
  EXPECT_EQ(config.mixture[1].tables.max_n, TableOptions().max_n);
  EXPECT_EQ(ToJson(ParseTrainingConfig(ToJson(config), "t")), ToJson(config));
  EXPECT_EQ(DefaultTrainingConfig().mixture.size(), 1u);
  EXPECT_EQ(DefaultTrainingConfig().mixture[0].kind, ComponentKind::kPaper);
  for (const auto& [mixture, message] : std::vector<std::pair<std::string, std::string>>{
           {"{}", "'mixture' must be a list"},
           {"[3]", "'mixture[0]' must be an object"},
           {"[{\"share\": 1}]", "'mixture[0].name' is missing"},
           {"[{\"name\": \"papers\"}]", "'mixture[0].name' is 'papers'; it must be one of paper, tables"},
           {"[{\"name\": \"paper\", \"max_d\": 3}]", "unknown key 'mixture[0].max_d'"},
           {"[{\"name\": \"tables\", \"max_p\": 3}]", "unknown key 'mixture[0].max_p'"},
           {"[{\"name\": \"tables\", \"max_d\": \"many\"}]", "'mixture[0].max_d' must be an integer"},
           {"[{\"name\": \"tables\", \"share\": true}]", "'mixture[0].share' must be a number"},
       }) {
    EXPECT_THAT(MessageOf([&, text = mixture] { parse(text); }),
                ::testing::AllOf(HasSubstr("t.json"), HasSubstr(message)));
  }
  EXPECT_THAT(MessageOf([] { ParseTrainingConfig("{\"realistic_p\": 0.35}", "t"); }), HasSubstr("mixture"));
}

TEST(TrainingConfig, TheFilesInTheRepositoryAreValid) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(INSTANTGP_SOURCE_DIR "/configs")) {
    ++files;
    EXPECT_NO_THROW(ParseTrainingConfig(ReadFile(entry.path()), entry.path()).Validate()) << entry.path();
  }
  EXPECT_GE(files, 2);
}

TEST(TrainingConfig, SymbolsAreThoseOfTheNetwork) {
  TrainingConfig config = DefaultTrainingConfig();
  config.network.symbols = {"SE", "PER", "LIN*PER"};
  EXPECT_EQ(config.Simulation().symbols,
            (std::vector<BaseSymbol>{BaseSymbol::kSE, BaseSymbol::kPER, BaseSymbol::kLIN_PER}));
}

TEST(TrainingConfig, TheTrainedRangeIncludesTheLargeShare) {
  TrainingConfig config = DefaultTrainingConfig();
  EXPECT_EQ(config.LargestN(), 250);
  config.curriculum.back().large_share = 0.02;
  EXPECT_EQ(config.LargestN(), 512);
  config.curriculum.clear();
  EXPECT_EQ(config.LargestN(), 250);
}

}  // namespace
}  // namespace instantgp
