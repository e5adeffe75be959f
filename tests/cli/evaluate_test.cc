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

TEST(CliEvaluateTest, TablesOfAFolderAreComparedAndABrokenOneIsNamed) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.Path("data"));
  folder.Write("data/wide.csv", RandomCsv(40, 3));
  folder.Write("data/narrow.csv", RandomCsv(30, 1, 2));
  folder.Write("data/broken.csv", "x,y\n1,oops\n");
  const nlohmann::json document = ParseJson(Cli(
      {"evaluate", "tables", "--data", folder.Path("data"), "--out", folder.Path("out"), "--methods", "bare,oneshot,ml",
       "--kernel", "SE, SE + LIN", "--kernel", "PER(1)*SE(1)", "--splits", "1", "--rows", "15", "--json"}));
  EXPECT_EQ(document["experiment"], "tables");
  ASSERT_EQ(document["tables"].size(), 2U * 3 * 3);
  const nlohmann::json& first = document["tables"][0];
  EXPECT_EQ(first["table"], "narrow");
  EXPECT_EQ(first["n"], 15);
  EXPECT_EQ(first["n_test"], 15);
  EXPECT_EQ(first["d"], 1);
  EXPECT_EQ(first["kernel"], "SE");
  EXPECT_EQ(document["tables"][3]["kernel"], "SE + LIN");
  EXPECT_EQ(document["tables"][6]["kernel"], "PER(1)*SE(1)");
  for (const auto& row : document["tables"]) {
    for (const char* key : {"rmse", "nll", "nlml", "coverage95", "ms"}) EXPECT_TRUE(row[key].is_number()) << row;
  }
  for (const char* method : {"bare", "oneshot", "ml"}) {
    for (const char* key : {"rmse_ratio_to_ml", "nll_minus_ml", "coverage95", "time_ratio_to_ml"}) {
      EXPECT_TRUE(document["summary"][method][key].is_number()) << method << " " << key;
    }
  }
  EXPECT_EQ(document["skipped"][0]["file"], "broken.csv");
  EXPECT_EQ(document["records"].size(), 18U);
  for (const char* file : {"records.csv", "records.json", "tables.md", "summary.json", "tables.svg", "run.json"}) {
    EXPECT_TRUE(folder.Exists(std::string("out/") + file)) << file;
  }
}

TEST(CliEvaluateTest, WhatItCannotRunItExplains) {
  const TemporaryFolder folder;
  ExpectFails(Cli({"evaluate", "tables"}), 3, "--data DIR");
  ExpectFails(Cli({"evaluate", "tables", "--data", folder.Path("")}), 3, "holds no CSV file");
  ExpectFails(Cli({"evaluate", "benchmark", "--quick", "--kernel", "SE"}), 2, "--kernel");
  ExpectFails(Cli({"evaluate", "tables", "--quick", "--kernel", "SEE"}), 3, "SEE");
  ExpectFails(Cli({"evaluate", "tables", "--quick", "--rows", "1"}), 2, "--rows");
  ExpectFails(Cli({"evaluate", "benchmrk"}), 2, "did you mean benchmark?");
  ExpectFails(Cli({"evaluate", "benchmark", "--data", "/no/such/folder"}), 3, "powerplant.csv: 9568 x 5");
  ExpectFails(Cli({"evaluate", "benchmark"}), 3, "--data");
  ExpectFails(Cli({"evaluate", "benchmark", "--quick", "--methods", "magic"}), 2, "magic");
}

}  // namespace
}  // namespace instantgp::testing
