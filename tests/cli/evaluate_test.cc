// `instantgp evaluate` from outside.
#include <filesystem>

#include "tests/cli/cli_support.h"

namespace instantgp::testing {
namespace {

TEST(CliEvaluateTest, AQuickRunWritesItsFilesAndTellsThem) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "instantgp_cli_evaluate";
  std::filesystem::remove_all(folder);
  const std::vector<std::string> command = {"evaluate",    "map",   "--quick",       "--methods",
                                            "oneshot,map", "--out", folder.string(), "--json"};
  const ProcessResult first = Cli(command);
  const nlohmann::json document = ParseJson(first);
  EXPECT_EQ(document["schema"], "instantgp/evaluate/1");
  EXPECT_EQ(document["experiment"], "map");
  EXPECT_EQ(document["records"].size(), 8U);
  for (const auto& record : document["records"]) {
    for (const char* key : {"dataset", "split", "structure", "method", "rmse", "nll", "nlml", "coverage50",
                            "coverage90", "coverage95", "crps", "seconds", "cpu_seconds", "evaluations", "status"}) {
      EXPECT_TRUE(record.contains(key)) << key;
    }
  }
  for (const auto& file : document["files"]) {
    EXPECT_TRUE(std::filesystem::exists(folder / file.get<std::string>())) << file;
    EXPECT_NE(first.err.find(file.get<std::string>()), std::string::npos);
  }
  EXPECT_NE(first.err.find("tasks"), std::string::npos) << "no progress: " << first.err;
  EXPECT_EQ(Cli(command).out, first.out);  // nothing runs twice
  ExpectFails(Cli({"evaluate", "map", "--quick", "--seed", "1", "--out", folder.string()}), 2, "--fresh");
  std::filesystem::remove_all(folder);
}

TEST(CliEvaluateTest, WhatItCannotRunItExplains) {
  ExpectFails(Cli({"evaluate", "benchmrk"}), 2, "did you mean benchmark?");
  ExpectFails(Cli({"evaluate", "benchmark", "--data", "/no/such/folder"}), 3, "powerplant.csv: 9568 x 5");
  ExpectFails(Cli({"evaluate", "benchmark"}), 3, "--data");
  ExpectFails(Cli({"evaluate", "benchmark", "--quick", "--methods", "magic"}), 2, "magic");
}

}  // namespace
}  // namespace instantgp::testing
