#include <cmath>
#include <set>

#include "tests/cli/cli_support.h"
#include "tests/support/xml.h"

namespace instantgp::testing {
namespace {

TEST(CliEnsembleTest, JsonHoldsEveryPromisedKey) {
  const auto j = ParseJson(Cli({"ensemble", "--example", "--holdout", "0.2", "--json"}));
  EXPECT_EQ(j.at("schema"), "instantgp/ensemble/1");
  ASSERT_EQ(j.at("members").size(), 24u);
  double sum = 0;
  std::set<std::string> kernels;
  for (const auto& member : j["members"]) {
    sum += member.at("weight").get<double>();
    kernels.insert(member.at("kernel").get<std::string>());
    EXPECT_TRUE(member.at("nlml_per_point").is_number());
    EXPECT_EQ(member.at("status"), "ok");
  }
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_EQ(kernels.size(), 24u);
  for (const char* key : {"rmse", "nll", "rmse_standardized", "nll_standardized", "coverage95"}) {
    EXPECT_TRUE(j.at("holdout").at(key).is_number()) << key;
  }
  EXPECT_GT(j.at("time_ms").at("total").get<double>(), 0);
  EXPECT_TRUE(j.at("warnings").is_array());
}

TEST(CliEnsembleTest, ReadsKernelsFromAFileAndTakesEveryMethodAndRule) {
  const TemporaryFolder folder;
  const std::string data = folder.Write("data.csv", RandomCsv(30, 2));
  const std::string kernels = folder.Write("kernels.txt", "# mine\nSE\r\n\n  LIN + PER  \nSE(x1)\n");
  for (const char* method : {"oneshot", "refine", "ml"}) {
    for (const char* rule : {"bma", "tempered", "loo", "uniform"}) {
      const auto j = ParseJson(Cli({"ensemble", data, "--kernels", kernels, "--method", method, "--weights-by", rule,
                                    "--steps", "3", "--json"}));
      EXPECT_EQ(j.at("method"), method);
      EXPECT_EQ(j.at("weights_by"), rule);
      ASSERT_EQ(j.at("members").size(), 3u);
      if (std::string(rule) == "uniform") {
        EXPECT_NEAR(j["members"][0]["weight"].get<double>(), 1.0 / 3, 1e-12);
      }
    }
  }
}

TEST(CliEnsembleTest, SavedEnsemblesPredictTheSameBitForBit) {
  const TemporaryFolder folder;
  const std::string data = folder.Write("data.csv", RandomCsv(40, 2));
  const std::string rows = folder.Write("new.csv", RandomCsv(9, 2, 5));
  const ProcessResult fit = Cli({"ensemble", data, "--weights-by", "tempered", "--model", folder.Path("m.ens"),
                                 "--predict", rows, "--output", folder.Path("p.csv"), "--plot", folder.Path("f.svg")});
  EXPECT_EQ(fit.code, 0) << fit.err;
  for (const char* piece : {"weighted by", "temperature", "Members", "NLML", "predictions of"}) {
    EXPECT_NE(fit.out.find(piece), std::string::npos) << piece << "\n" << fit.out;
  }
  const ProcessResult predict = Cli({"predict", folder.Path("m.ens"), rows});
  EXPECT_EQ(predict.code, 0) << predict.err;
  EXPECT_EQ(predict.out, folder.Read("p.csv"));
  const auto j = ParseJson(Cli({"predict", folder.Path("m.ens"), rows, "--json", "--samples", "3", "--cov"}));
  EXPECT_EQ(j.at("kernels").size(), 24u);
  EXPECT_EQ(j.at("samples").size(), 3u);
  EXPECT_NEAR(j.at("cov")[0][0].get<double>(), std::pow(j.at("std")[0].get<double>(), 2), 1e-9);
  EXPECT_TRUE(j.at("scores").at("nll").is_number());
  const auto info = ParseJson(Cli({"info", folder.Path("m.ens"), "--json"}));
  EXPECT_EQ(info.at("ensemble").at("members").size(), 24u);
  EXPECT_EQ(XmlProblem(folder.Read("f.svg")), "");
}

TEST(CliEnsembleTest, BadRequestsSayWhatToDo) {
  const TemporaryFolder folder;
  const std::string data = folder.Write("data.csv", RandomCsv(20, 2));
  ExpectFails(Cli({"ensemble"}), 2, "ensemble needs a table");
  ExpectFails(Cli({"ensemble", data, "--weights-by", "taste"}), 2, "bma, tempered, loo, uniform");
  ExpectFails(Cli({"ensemble", data, "--method", "guess"}), 2, "oneshot, refine, ml");
  ExpectFails(Cli({"ensemble", data, "--temperature", "3"}), 2, "--weights-by tempered");
  ExpectFails(Cli({"ensemble", data, "--kernels", folder.Write("none.txt", "# nothing\n")}), 3,
              "one expression per line");
  ExpectFails(Cli({"ensemble", data, "--kernels", folder.Write("bad.txt", "SE\nSEE\n")}), 3, "SEE");
  ExpectFails(Cli({"ensemble", data, "--kernels", folder.Write("out.txt", "SE(x1) + SE(x2)\n")}), 3, "--method map");
}

}  // namespace
}  // namespace instantgp::testing
