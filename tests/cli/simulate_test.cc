#include "tests/cli/cli_support.h"

namespace instantgp::testing {
namespace {

TEST(CliSimulateTest, CsvCanBeFitted) {
  const ProcessResult drawn = Cli({"simulate", "--kernel", "SE + PER", "--n", "60", "--seed", "4"});
  EXPECT_EQ(drawn.code, 0) << drawn.err;
  EXPECT_NE(drawn.out.find("# kernel: SE(x1) + PER(x1)\n"), std::string::npos) << drawn.out;
  const auto fit = ParseJson(Cli({"fit", "-", "--kernel", "SE + PER", "--json"}, drawn.out));
  EXPECT_EQ(fit.at("n"), 60);
  EXPECT_EQ(fit.at("d"), 1);
}

TEST(CliSimulateTest, JsonSaysWhatWasDrawn) {
  const auto j = ParseJson(Cli({"simulate", "--count", "5", "--n", "12", "--d", "3", "--json"}));
  EXPECT_EQ(j.at("schema"), "instantgp/simulate/1");
  ASSERT_EQ(j.at("datasets").size(), 5u);
  for (const auto& dataset : j["datasets"]) {
    EXPECT_EQ(dataset.at("X").size(), 12u);
    EXPECT_EQ(dataset.at("X")[0].size(), 3u);
    EXPECT_EQ(dataset.at("y").size(), 12u);
    EXPECT_GT(dataset.at("noise_variance").get<double>(), 0);
    EXPECT_FALSE(dataset.at("parameters").empty());
  }
  EXPECT_NE(j["datasets"][0]["y"], j["datasets"][1]["y"]);
}

TEST(CliSimulateTest, SeedDecidesAndDatasetsDoNotDependOnTheirNumber) {
  const auto draw = [](const std::string& count, const std::string& seed) {
    return ParseJson(Cli({"simulate", "--count", count, "--seed", seed, "--json"})).at("datasets");
  };
  EXPECT_EQ(draw("1", "3")[0], draw("4", "3")[0]);
  EXPECT_NE(draw("1", "3")[0], draw("1", "4")[0]);
}

TEST(CliSimulateTest, GivenParametersAreUsed) {
  const auto j = ParseJson(
      Cli({"simulate", "--kernel", "SE(x2)", "--parameters", "2,0.5", "--noise", "0.25", "--n", "9", "--json"}));
  const auto& dataset = j.at("datasets")[0];
  EXPECT_EQ(dataset.at("d"), 2);
  EXPECT_DOUBLE_EQ(dataset["parameters"][0]["value"].get<double>(), 2);
  EXPECT_DOUBLE_EQ(dataset["parameters"][1]["value"].get<double>(), 0.5);
  EXPECT_DOUBLE_EQ(dataset["noise_variance"].get<double>(), 0.25);
}

TEST(CliSimulateTest, SeveralDatasetsGoToAFolder) {
  const TemporaryFolder folder;
  const ProcessResult result = Cli({"simulate", "--count", "3", "--n", "10", "--out", folder.Path("sets")});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(folder.Files(), (std::vector<std::string>{"sets", "sets/simulated-001.csv", "sets/simulated-002.csv",
                                                      "sets/simulated-003.csv"}));
  const ProcessResult one = Cli({"simulate", "--n", "10", "--out", folder.Path("one.csv")});
  EXPECT_EQ(one.code, 0);
  EXPECT_EQ(folder.Read("one.csv"), folder.Read("sets/simulated-001.csv"));
}

TEST(CliSimulateTest, BadRequestsAreExplained) {
  ExpectFails(Cli({"simulate", "--n", "0"}), 2, "--n");
  ExpectFails(Cli({"simulate", "--count", "2"}), 2, "--out");
  ExpectFails(Cli({"simulate", "--noise", "0.1"}), 2, "--kernel");
  ExpectFails(Cli({"simulate", "--kernel", "SE", "--parameters", "1"}), 2, "2 parameters");
  ExpectFails(Cli({"simulate", "--kernel", "SE", "--parameters", "1,-1"}), 2, "positive");
  ExpectFails(Cli({"simulate", "--kernel", "SE", "--noise", "0"}), 2, "positive");
  ExpectFails(Cli({"simulate", "--kernel", "SQ"}), 3, "SQ");
  ExpectFails(Cli({"simulate", "--kernel", "SE(x3)", "--d", "2"}), 3, "x3");
  ExpectFails(Cli({"simulate", "--kernel", "SE", "--n", "5000000"}), 5);
}

}  // namespace
}  // namespace instantgp::testing
