#include "instantgp/gp/predictive.h"
#include "instantgp/model/model.h"
#include "tests/cli/cli_support.h"

namespace instantgp::testing {
namespace {

TEST(CliUpdateTest, AddsRowsInPlaceOrElsewhere) {
  const TemporaryFolder folder;
  const std::string data = folder.Write("data.csv", RandomCsv(40, 2));
  const std::string rows = folder.Write("new.csv", RandomCsv(6, 2, 9));
  const std::string model = folder.Path("m.gp"), other = folder.Path("other.gp");
  ASSERT_EQ(Cli({"fit", data, "--model", model}).code, 0);
  const auto j = ParseJson(Cli({"update", model, rows, "--keep", "--model", other, "--json"}));
  EXPECT_EQ(j.at("schema"), "instantgp/update/1");
  EXPECT_EQ(j.at("n"), 46);
  EXPECT_EQ(j.at("added"), 6);
  EXPECT_EQ(j.at("reinferred"), false);
  EXPECT_TRUE(j.at("drift").at("nll_standardized").is_number());
  EXPECT_EQ(ParseJson(Cli({"info", model, "--json"})).at("model").at("n"), 40);
  EXPECT_EQ(ParseJson(Cli({"info", other, "--json"})).at("model").at("n"), 46);
  const ProcessResult text = Cli({"update", model, rows, "--reinfer"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("inferred again"), std::string::npos) << text.out;
  EXPECT_EQ(ParseJson(Cli({"info", model, "--json"})).at("model").at("n"), 46);
  ExpectFails(Cli({"update", model, rows, "--reinfer", "--keep"}), 2, "--keep");
  ExpectFails(Cli({"update", model, rows, "--method", "magic"}), 2, "no method");
  ExpectFails(Cli({"update", model, folder.Write("x.csv", "x1,x2\n1,2\n")}), 3, "target");
}

// A model averaged over several sets of parameters, from the file on through every command that reads one.
TEST(CliUpdateTest, AveragedModelsSayWhatTheyAre) {
  const TemporaryFolder folder;
  const std::string data = folder.Write("data.csv", RandomCsv(30, 2));
  const std::string rows = folder.Write("new.csv", RandomCsv(4, 2, 9));
  const std::string file = folder.Path("m.gp");
  const auto fit = ParseJson(Cli({"fit", data, "--method", "map", "--model", file, "--json"}));
  EXPECT_EQ(fit.at("averaged_over"), 0);
  EXPECT_EQ(Cli({"info", file}).out.find("averaged"), std::string::npos);
  const Model plain = LoadModel(file);
  Matrix draws = plain.predictive().theta().replicate(1, 3);
  draws.col(1).array() += 0.3;
  draws.col(2).array() -= 0.3;
  const Model averaged = plain.Averaged(draws);
  SaveModel(averaged, file);
  const std::string line = "averaged over 3 sets of parameters drawn around the ones shown";
  EXPECT_NE(Cli({"info", file}).out.find(line), std::string::npos);
  const auto info = ParseJson(Cli({"info", file, "--json"}));
  EXPECT_EQ(info.at("format_version"), "2.0");
  EXPECT_EQ(info.at("model").at("averaged_over"), 3);
  const auto predicted = ParseJson(Cli({"predict", file, rows, "--json"}));
  const Prediction expected = averaged.Predict(Matrix::Constant(1, 2, 0.5));
  EXPECT_EQ(predicted.at("mean").size(), 4u);
  const std::string centre = folder.Write("centre.csv", "x1,x2\n0.5,0.5\n");
  const auto at_centre = ParseJson(Cli({"predict", file, centre, "--json"}));
  // Not to the last digit: the program may run on other BLAS kernels than this test (base/blas_kernels.h).
  EXPECT_NEAR(at_centre.at("mean")[0].get<double>(), expected.mean[0], 1e-9);
  EXPECT_NEAR(at_centre.at("std")[0].get<double>(), expected.std[0], 1e-9);
  EXPECT_EQ(Cli({"update", file, rows, "--keep"}).code, 0);
  EXPECT_EQ(ParseJson(Cli({"info", file, "--json"})).at("model").at("averaged_over"), 3);
  EXPECT_EQ(LoadModel(file).rows(), 34);
}

}  // namespace
}  // namespace instantgp::testing
