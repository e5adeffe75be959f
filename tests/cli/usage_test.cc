// Exit codes, help texts and the streams.
#include <sys/stat.h>
#include <unistd.h>

#include "tests/cli/cli_support.h"

namespace instantgp::testing {
namespace {

TEST(CliUsageTest, HelpOfEveryCommandHoldsAnExample) {
  for (const std::string command : {"", "fit", "predict", "simulate", "forecast", "evaluate", "info"}) {
    for (const char* flag : {"-h", "--help"}) {
      std::vector<std::string> arguments = {flag};
      if (!command.empty()) arguments.insert(arguments.begin(), command);
      const ProcessResult help = Cli(arguments);
      EXPECT_EQ(help.code, 0);
      EXPECT_EQ(help.err, "");
      EXPECT_NE(help.out.find("Examples:\n  instantgp " + command), std::string::npos) << help.out;
      EXPECT_NE(help.out.find("Usage: instantgp " + command), std::string::npos) << help.out;
      for (std::size_t begin = 0; begin < help.out.size();) {  // fits a terminal
        const std::size_t end = help.out.find('\n', begin);
        EXPECT_LE(end - begin, 120u) << help.out.substr(begin, end - begin);
        begin = end + 1;
      }
    }
  }
}

TEST(CliUsageTest, EveryOptionOfTheContractIsInTheHelp) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> contract = {
      {"fit",
       {"--kernel", "--target", "--method", "--steps", "--restarts", "--model", "--predict", "--output", "--holdout",
        "--plot", "--missing", "--example", "--inducing"}},
      {"predict", {"--latent", "--samples", "--cov"}},
      {"simulate", {"--n", "--d", "--kernel", "--count", "--out"}},
      {"evaluate", {"--data", "--out", "--splits", "--methods", "--quick", "--kernel", "--rows"}},
      {"info", {}}};
  for (const auto& [command, options] : contract) {
    const std::string help = Cli({command, "--help"}).out;
    for (const std::string& option : options) EXPECT_NE(help.find(option), std::string::npos) << command << option;
    for (const char* option : {"--json", "--seed", "--threads", "--quiet", "--verbose", "--version", "-h"}) {
      EXPECT_NE(help.find(option), std::string::npos) << command << option;
    }
  }
}

TEST(CliUsageTest, VersionIsTold) {
  EXPECT_EQ(Cli({"--version"}).out.rfind("instantgp ", 0), 0u);
  EXPECT_EQ(Cli({"fit", "--version"}).out, Cli({"--version"}).out);
}

TEST(CliUsageTest, UsageErrorsEndWithTwo) {
  const std::string data = RandomCsv(10, 1);
  const std::vector<std::vector<std::string>> cases = {
      {},
      {"fti"},
      {"fit"},
      {"fit", "a.csv", "--example"},
      {"fit", "-", "--kernl", "SE"},
      {"fit", "-", "--method", "magic"},
      {"fit", "-", "--method", "ml", "--weights", "w.safetensors"},
      {"fit", "-", "--objective", "map"},
      {"fit", "-", "--method", "refine", "--objective", "best"},
      {"fit", "-", "--inducing", "5"},
      {"fit", "-", "--steps", "-1"},
      {"fit", "-", "--steps", "many"},
      {"fit", "-", "--restarts", "0"},
      {"fit", "-", "--threads", "-2"},
      {"fit", "-", "--holdout", "0"},
      {"fit", "-", "--holdout", "1"},
      {"fit", "-", "--holdout", "nan"},
      {"fit", "-", "--missing", "guess"},
      {"fit", "-", "--output", "p.csv"},
      {"fit", "-", "--predict", "-"},
      {"fit", "-", "--quiet", "--verbose"},
      {"fit", "-", "--seed", "x"},
      {"fit", "-", "--kernel"},
      {"predict"},
      {"predict", "m.gp"},
      {"predict", "-", "-"},
      {"predict", "m.gp", "x.csv", "y.csv"},
      {"predict", "m.gp", "x.csv", "--samples", "-1"},
      {"info", "a", "b"},
  };
  for (const auto& arguments : cases) {
    std::string shown;
    for (const std::string& argument : arguments) shown += argument + " ";
    SCOPED_TRACE(shown);
    ExpectFails(Cli(arguments, data), 2);
  }
  EXPECT_NE(Cli({"fti"}).err.find("the commands are fit, predict"), std::string::npos) << Cli({"fti"}).err;
  EXPECT_NE(Cli({"predit"}).err.find("did you mean predict?"), std::string::npos) << Cli({"predit"}).err;
  EXPECT_NE(Cli({"fit", "-", "--kernl", "SE"}).err.find("did you mean --kernel?"), std::string::npos);
}

TEST(CliUsageTest, UnwritableOutputsEndWithOneAndLeaveNothing) {
  const TemporaryFolder folder;
  const std::string data = folder.Write("data.csv", RandomCsv(10, 1));
  ExpectFails(Cli({"fit", data, "--model", folder.Path("no/such/folder/m.gp")}), 1, "no/such/folder");
  ExpectFails(Cli({"fit", data, "--plot", folder.Path("")}), 1);
  EXPECT_EQ(folder.Files(), std::vector<std::string>{"data.csv"});
}

TEST(CliUsageTest, AFailingCommandLeavesAnOldFileAlone) {
  const TemporaryFolder folder;
  const std::string model = folder.Write("m.gp", "old");
  const std::string data = folder.Write("data.csv", "a,y\n1,2\n2,oops\n");
  ExpectFails(Cli({"fit", data, "--model", model}), 3);
  EXPECT_EQ(folder.Read("m.gp"), "old");
  EXPECT_EQ(folder.Files(), (std::vector<std::string>{"data.csv", "m.gp"}));
}

TEST(CliUsageTest, TooManyRowsEndWithFive) {
  std::string csv = "x,y\n";
  for (int i = 0; i < 30000; ++i) csv += std::to_string(i) + "," + std::to_string(i % 7) + "\n";
  ExpectFails(Cli({"fit", "-", "--exact"}, csv), 5, "30000 rows");
}

TEST(CliUsageTest, AReaderWhoLeavesIsNoFailure) {
  const ProcessResult result = RunProcess(
      {"/bin/bash", "-c",
       std::string("set -o pipefail; '") + INSTANTGP_CLI + "' simulate --n 2000 --kernel SE --noise 1 | head -n 1"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
}

TEST(CliUsageTest, AFullDiskIsAFailure) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full";
  const ProcessResult result = RunProcess({"/bin/bash", "-c", std::string("'") + INSTANTGP_CLI + "' info > /dev/full"});
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("standard output"), std::string::npos);
}

}  // namespace
}  // namespace instantgp::testing
