#include <cmath>
#include <set>
#include <sstream>

#include "tests/cli/cli_support.h"
#include "tests/support/xml.h"

namespace instantgp::testing {
namespace {

TEST(CliFitTest, JsonHoldsEveryPromisedKey) {
  const auto j = ParseJson(Cli({"fit", "--example", "--kernel", "LIN + SE*PER", "--holdout", "0.2", "--json"}));
  EXPECT_EQ(j.at("schema"), "instantgp/fit/1");
  EXPECT_EQ(j.at("kernel"), "LIN(month) + SE(month)*PER(month)");
  EXPECT_EQ(j.at("method"), "oneshot");
  EXPECT_EQ(j.at("n"), 115);
  EXPECT_EQ(j.at("d"), 1);
  ASSERT_EQ(j.at("parameters").size(), 7u);
  for (const auto& p : j.at("parameters")) {
    EXPECT_EQ(p.at("dimension"), 1);
    EXPECT_EQ(p.at("column"), "month");
    EXPECT_TRUE(p.at("symbol").is_string() && p.at("name").is_string());
    EXPECT_GT(p.at("value").get<double>(), 0);
    EXPECT_GT(p.at("value_original_units").get<double>(), 0);
  }
  for (const char* key : {"noise_variance", "nlml_per_point", "log_marginal_likelihood", "jitter"}) {
    EXPECT_TRUE(j.at(key).is_number()) << key;
  }
  EXPECT_NEAR(j["log_marginal_likelihood"].get<double>(), -115 * j["nlml_per_point"].get<double>(), 1e-9);
  EXPECT_LE(j["nlml_per_point"].get<double>(), j["nlml_per_point_start"].get<double>());
  for (const char* key : {"rmse", "nll", "rmse_standardized", "nll_standardized", "coverage95"}) {
    EXPECT_TRUE(j.at("holdout").at(key).is_number()) << key;
  }
  EXPECT_EQ(j["holdout"]["n"], 29);
  for (const char* key : {"scale", "encode", "decode", "optimize", "factorize", "total"}) {
    EXPECT_TRUE(j.at("time_ms").at(key).is_number()) << key;
  }
  EXPECT_GT(j.at("evaluations").get<int>(), 0);
  EXPECT_TRUE(j.at("warnings").is_array());
}

TEST(CliFitTest, EveryMethodFits) {
  for (const char* method : {"oneshot", "refine", "ml", "adam", "multistart", "map", "svgp", "neighbours"}) {
    const auto j = ParseJson(
        Cli({"fit", "-", "--method", method, "--restarts", "3", "--steps", "20", "--json"}, RandomCsv(30, 2)));
    EXPECT_EQ(j.at("method"), method);
    EXPECT_TRUE(std::isfinite(j.at("nlml_per_point").get<double>()));
  }
}

// exp of a wave with noise; 0 in row `zero`.
std::string SkewedCsv(int n, int zero = -1) {
  RandomStream random(4);
  std::string text = "x,sales\n";
  for (int i = 0; i < n; ++i) {
    const double x = 0.1 * i, y = i == zero ? 0 : std::exp(2 + std::sin(x) + 0.3 * random.Normal());
    text += std::to_string(x) + "," + std::to_string(y) + "\n";
  }
  return text;
}

TEST(CliFitTest, ATransformIsFoundSavedPredictedAndUpdated) {
  TemporaryFolder folder;
  const std::string model = folder.Path("m.gp"), svg = folder.Path("m.svg");
  const auto fit = ParseJson(Cli({"fit", "-", "--kernel", "SE + LIN", "--transform", "auto", "--holdout", "0.2",
                                  "--model", model, "--plot", svg, "--explain", "--compare", "ml", "--json"},
                                 SkewedCsv(150)));
  EXPECT_EQ(fit.at("transform"), "log");
  ASSERT_EQ(fit.at("transforms").size(), 3u);
  EXPECT_EQ(fit.at("explanation").at("transform"), "log");
  EXPECT_GT(fit["transforms"][1]["log_evidence"], fit["transforms"][0]["log_evidence"]);
  EXPECT_LT(std::abs(fit["holdout"]["nll"].get<double>() - fit["comparison"][1]["holdout"]["nll"].get<double>()), 0.2);
  // What the same rows are worth without it: the density of y, whatever it is looked at through.
  const auto plain = ParseJson(Cli({"fit", "-", "--kernel", "SE + LIN", "--holdout", "0.2", "--json"}, SkewedCsv(150)));
  EXPECT_EQ(plain.at("transform"), "none");
  EXPECT_LT(fit["holdout"]["nll"].get<double>(), plain["holdout"]["nll"].get<double>() - 0.05);
  EXPECT_LT(fit["loo_nll"].get<double>(), plain["loo_nll"].get<double>() - 0.05);
  EXPECT_NEAR(fit["loo_nll"].get<double>() - fit["loo_nll_standardized"].get<double>(),
              plain["loo_nll"].get<double>() - plain["loo_nll_standardized"].get<double>(), 1e-9);

  const ProcessResult csv = Cli({"predict", model, "-"}, "x\n1\n40\n");
  EXPECT_EQ(csv.out.rfind("mean,std,lower95,upper95,median\n", 0), 0u) << csv.out;
  const auto next = ParseJson(Cli({"predict", model, "-", "--json", "--samples", "3", "--cov"}, "x\n1\n40\n"));
  for (int i = 0; i < 2; ++i) {
    EXPECT_GT(next["lower95"][i], 0);
    EXPECT_LT(next["lower95"][i], next["median"][i]);
    EXPECT_LT(next["median"][i], next["mean"][i]);  // skewed to the right
    EXPECT_GT(next["samples"][0][i], 0);
    EXPECT_NEAR(std::sqrt(next["cov"][i][i].get<double>()) / next["std"][i].get<double>(), 1, 1e-6);
  }
  EXPECT_NE(Cli({"info", model}).out.find("log"), std::string::npos);
  const auto updated = ParseJson(Cli({"update", model, "-", "--json"}, "x,sales\n16,7\n16.1,8\n"));
  EXPECT_EQ(updated.at("transform"), "log");
  ExpectFails(Cli({"update", model, "-"}, "x,sales\n17,7\n17.1,0\n"), 3, "row 2 of the new rows has the target 0");
  const ProcessResult text = Cli({"fit", "-", "--transform", "auto", "--explain"}, SkewedCsv(60));
  EXPECT_NE(text.out.find("log evidence of sales: none"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("variance of log sales"), std::string::npos) << text.out;
}

TEST(CliFitTest, ATransformThatTheValuesDoNotAllowIsRefused) {
  ExpectFails(Cli({"fit", "-", "--transform", "log"}, SkewedCsv(30, 4)), 3, "'sales' is 0 in row 5");
  ExpectFails(Cli({"fit", "-", "--transform", "log"}, SkewedCsv(30, 4)), 3, "--transform boxcox");
  EXPECT_EQ(Cli({"fit", "-", "--transform", "boxcox"}, SkewedCsv(30, 4)).code, 0);
  EXPECT_EQ(ParseJson(Cli({"fit", "-", "--transform", "auto", "--json"}, SkewedCsv(30, 4))).at("transforms").size(),
            2u);
  ExpectFails(Cli({"fit", "-", "--transform", "root"}, SkewedCsv(30)), 2, "auto, none, log and boxcox");
}

TEST(CliFitTest, ManyRowsArePredictedFromNeighboursUnlessExactIsAskedFor) {
  TemporaryFolder folder;
  const std::string csv = RandomCsv(7000, 1), model = folder.Path("m.gp");
  const ProcessResult text = Cli({"fit", "-", "--holdout", "0.02", "--model", model}, csv);
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("nearest rows of each new one"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("instead of all"), std::string::npos) << text.out;
  EXPECT_NE(text.err.find("a fit by neighbours of 6860 rows"), std::string::npos) << text.err;
  EXPECT_NE(Cli({"info", model}).out.find("neighbours"), std::string::npos);
  EXPECT_EQ(Cli({"predict", model, "-"}, "x1\n0.5\n").code, 0);
  const auto j =
      ParseJson(Cli({"fit", "-", "--method", "neighbours", "--neighbours", "20", "--json"}, RandomCsv(60, 2)));
  EXPECT_EQ(j.at("neighbours"), 20);
  EXPECT_TRUE(j.at("log_marginal_likelihood").is_null());
  ExpectFails(Cli({"fit", "-", "--neighbours", "20"}, RandomCsv(60, 2)), 2, "--neighbours goes with");
  ExpectFails(Cli({"fit", "-", "--method", "ml", "--exact"}, RandomCsv(60, 2)), 2, "--exact goes with");
  ExpectFails(Cli({"fit", "-", "--method", "neighbours", "--kernel", "LIN"}, RandomCsv(60, 2)), 3, "SE, MAT52 or PER");
}

TEST(CliFitTest, ComparesMethodsOnTheSameRows) {
  const std::vector<std::string> arguments = {"fit", "--example", "--compare", "refine,ml", "--holdout", "0.2"};
  std::vector<std::string> json = arguments;
  json.push_back("--json");
  const auto j = ParseJson(Cli(json));
  ASSERT_EQ(j.at("comparison").size(), 3u);
  EXPECT_EQ(j["comparison"][0]["method"], "oneshot");
  EXPECT_EQ(j["comparison"][0]["nlml_per_point"], j["nlml_per_point"]);
  EXPECT_LE(j["comparison"][1]["nlml_per_point"].get<double>(), j["nlml_per_point"].get<double>());
  for (const auto& row : j["comparison"]) {
    EXPECT_EQ(row.at("status"), "ok");
    EXPECT_GT(row.at("time_ms").get<double>(), 0);
    EXPECT_TRUE(row.at("holdout").at("nll").is_number());
  }
  EXPECT_NE(Cli(arguments).out.find("time ratio"), std::string::npos);
  ExpectFails(Cli({"fit", "--example", "--compare", "ml,fastest"}), 2, "fastest");
  // A structure outside the family: the optimiser's fit stands, the network's row says why it is missing.
  const auto outside =
      ParseJson(Cli({"fit", "--example", "-k", "(SE + LIN)*PER", "-m", "ml", "--compare", "oneshot", "--json"}));
  EXPECT_NE(outside["comparison"][1]["status"].get<std::string>().find("--method map"), std::string::npos);
}

TEST(CliFitTest, ReportReadsAsText) {
  const ProcessResult result = Cli({"fit", "--example", "--verbose"});
  EXPECT_EQ(result.code, 0) << result.err;
  for (const char* piece : {"144 rows", "month", "passengers", "one forward pass, a few steps down the likelihood",
                            "NLML", "leave-one-out", "original units", "noise", "Scaling"}) {
    EXPECT_NE(result.out.find(piece), std::string::npos) << piece << "\n" << result.out;
  }
  EXPECT_EQ(result.out.find('\033'), std::string::npos);  // no colour outside a terminal
}

TEST(CliFitTest, PredictionsOfASavedModelAreTheSameBitForBit) {
  const TemporaryFolder folder;
  const std::string data = folder.Write("data.csv", RandomCsv(40, 3));
  const std::string rows = folder.Write("new.csv", RandomCsv(17, 3, 2));
  const ProcessResult fit = Cli({"fit", data, "--kernel", "SE + LIN", "--model", folder.Path("m.gp"), "--predict", rows,
                                 "--output", folder.Path("p.csv")});
  EXPECT_EQ(fit.code, 0) << fit.err;
  EXPECT_NE(fit.out.find("Parameters"), std::string::npos);
  const ProcessResult predict = Cli({"predict", folder.Path("m.gp"), rows});
  EXPECT_EQ(predict.code, 0) << predict.err;
  EXPECT_EQ(predict.out, folder.Read("p.csv"));
  EXPECT_EQ(predict.out.rfind("mean,std,lower95,upper95\n", 0), 0u);
}

TEST(CliFitTest, PredictionsTakeStdoutAndTheReportStepsAside) {
  const TemporaryFolder folder;
  const std::string rows = folder.Write("new.csv", "month\n145\n146\n");
  const ProcessResult result = Cli({"fit", "--example", "--predict", rows});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out.rfind("mean,std,lower95,upper95\n", 0), 0u);
  EXPECT_NE(result.err.find("Parameters"), std::string::npos);
  const auto j = ParseJson(Cli({"fit", "--example", "--predict", rows, "--json"}));
  EXPECT_EQ(j.at("predictions").at("mean").size(), 2u);
}

TEST(CliFitTest, TheSameSeedGivesTheSameFitForAnyNumberOfThreads) {
  const auto fit = [](const std::string& threads, const std::string& seed) {
    auto j = ParseJson(Cli({"fit", "-", "--method", "multistart", "--restarts", "4", "--steps", "15", "--threads",
                            threads, "--seed", seed, "--holdout", "0.3", "--json", "--quiet"},
                           RandomCsv(40, 2)));
    j.erase("time_ms");
    return j.dump();
  };
  EXPECT_EQ(fit("1", "5"), fit("3", "5"));
  EXPECT_NE(fit("1", "5"), fit("1", "6"));
}

TEST(CliFitTest, PlotsAreWellFormed) {
  const TemporaryFolder folder;
  for (int d : {1, 2, 3, 6, 12}) {
    const std::string data = folder.Write("data.csv", RandomCsv(30, d));
    for (const bool holdout : {false, true}) {
      std::vector<std::string> arguments = {"fit", data, "--plot", folder.Path("f.svg"), "--steps", "5"};
      if (holdout) arguments.insert(arguments.end(), {"--holdout", "0.25"});
      const ProcessResult result = Cli(arguments);
      EXPECT_EQ(result.code, 0) << result.err;
      const std::string svg = folder.Read("f.svg");
      EXPECT_EQ(XmlProblem(svg), "");
      EXPECT_NE(svg.find(">x1<"), std::string::npos);
      EXPECT_EQ(svg.find("nan"), std::string::npos);
      EXPECT_EQ(svg.find("held out") != std::string::npos, holdout);
    }
  }
}

TEST(CliFitTest, TargetAndKernelByName) {
  const auto j = ParseJson(
      Cli({"fit", "-", "--target", "b", "--kernel", "SE(a)*PER(c)", "--json"}, "a,b,c\n1,2,3\n2,3,5\n3,5,4\n4,4,1\n"));
  EXPECT_EQ(j.at("target"), "b");
  EXPECT_EQ(j.at("columns"), (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(j.at("kernel"), "SE(a)*PER(c)");
}

TEST(CliFitTest, MissingValuesAreAnErrorOrDropped) {
  const std::string csv = "a,y\n1,1\n2,\n3,2\n4,4\nNA,4\n";
  ExpectFails(Cli({"fit", "-"}, csv), 3, "--missing drop");
  const auto j = ParseJson(Cli({"fit", "-", "--missing", "drop", "--json"}, csv));
  EXPECT_EQ(j.at("n"), 3);
  EXPECT_NE(j.at("warnings").dump().find("1 row with missing values"), std::string::npos);
  EXPECT_NE(j.at("warnings").dump().find("1 row without a target"), std::string::npos);
}

TEST(CliFitTest, ProgressGoesToStderrAndQuietSilencesIt) {
  const std::vector<std::string> arguments = {"fit", "-",       "--method", "multistart", "--restarts",
                                              "4",   "--steps", "3",        "--json"};
  EXPECT_NE(Cli(arguments, RandomCsv(20, 1)).err.find("4/4 starts"), std::string::npos);
  std::vector<std::string> quiet = arguments;
  quiet.push_back("--quiet");
  EXPECT_EQ(Cli(quiet, RandomCsv(20, 1)).err, "");
}

TEST(CliFitTest, InterruptedFitsEndWith130AndWriteNothing) {
  const TemporaryFolder folder;
  const std::string data = folder.Write("data.csv", RandomCsv(700, 4));
  const ProcessResult result = Cli({"fit", data, "--kernel", "SE+PER+LIN+MAT52", "--method", "multistart", "--restarts",
                                    "100000", "--model", folder.Path("m.gp")},
                                   "", 700);
  EXPECT_EQ(result.code, 130);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("instantgp: "), std::string::npos);
  EXPECT_EQ(folder.Files(), std::vector<std::string>{"data.csv"});
}

}  // namespace
}  // namespace instantgp::testing
