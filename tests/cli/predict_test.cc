#include <cmath>
#include <sstream>

#include "instantgp/base/file.h"
#include "tests/cli/cli_support.h"

namespace instantgp::testing {
namespace {

class CliPredictTest : public ::testing::Test {
 protected:
  // A model of y over a and b.
  void SetUp() override {
    std::string csv = "a,b,y\n";
    for (int i = 0; i < 25; ++i) {
      csv += std::to_string(i) + "," + std::to_string((7 * i) % 25) + "," + std::to_string(std::sin(0.3 * i)) + "\n";
    }
    const ProcessResult fit = Cli({"fit", "-", "--model", Model()}, csv);
    ASSERT_EQ(fit.code, 0) << fit.err;
  }
  std::string Model() const { return folder_.Path("model.gp"); }
  std::string Predict(const std::string& rows) const {
    const ProcessResult result = Cli({"predict", Model(), "-"}, rows);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  }
  TemporaryFolder folder_;
};

TEST_F(CliPredictTest, ColumnsAreMatchedByNameElseByPosition) {
  const std::string expected = Predict("a,b\n1,2\n3,4\n");
  EXPECT_EQ(Predict("b,a\n2,1\n4,3\n"), expected);
  EXPECT_EQ(Predict("when,b,extra,a\nmonday,2,,1\n?,4,inf,3\n"), expected);  // columns of no concern hold anything
  EXPECT_EQ(Predict("1,2\n3,4\n"), expected);
  EXPECT_EQ(Predict("1,2,0\n3,4,0\n"), expected);
  EXPECT_EQ(Predict("a,b,y\n1,2,\n3,4,0.5\n"), expected);
}

TEST_F(CliPredictTest, MissingOrWrongColumnsAreExplained) {
  ExpectFails(Cli({"predict", Model(), "-"}, "a,c\n1,2\n"), 3, "needs the column 'b'");
  ExpectFails(Cli({"predict", Model(), "-"}, "1,2,3,4\n"), 3, "4 columns");
  ExpectFails(Cli({"predict", Model(), "-"}, "a,b\n1,\n"), 3, "missing");
  ExpectFails(Cli({"predict", Model(), "-"}, "a,b\n1,two\n"), 3, "'two'");
}

TEST_F(CliPredictTest, ScoresWhereTheTargetIsKnown) {
  const auto j = ParseJson(Cli({"predict", Model(), "-", "--json"}, "a,b,y\n1,2,0.2\n3,4,\n"));
  EXPECT_EQ(j.at("schema"), "instantgp/predict/1");
  EXPECT_EQ(j.at("mean").size(), 2u);
  const double error = j["mean"][0].get<double>() - 0.2;
  EXPECT_NEAR(j.at("scores").at("rmse").get<double>(), std::abs(error), 1e-6);
  EXPECT_FALSE(ParseJson(Cli({"predict", Model(), "-", "--json"}, "a,b,y\n1,2,\n")).contains("scores"));
  EXPECT_NE(Cli({"predict", Model(), "-"}, "a,b,y\n1,2,3\n").err.find("RMSE"), std::string::npos);
}

// More than one piece of the size in which predict reads: numbers with a hundred digits.
TEST_F(CliPredictTest, LongTablesAreReadInPieces) {
  const std::string zeros(100, '0');
  std::string rows = "a,b\n";
  for (int i = 0; i < 85000; ++i) rows += std::to_string(i % 25) + "." + zeros + ",2\n";
  ASSERT_GT(rows.size(), std::size_t{8} << 20);
  const std::string output = folder_.Path("p.csv");
  const ProcessResult result = Cli({"predict", Model(), "-", "--output", output}, rows);
  ASSERT_EQ(result.code, 0) << result.err;
  std::istringstream lines(ReadFile(output));
  std::vector<std::string> found;
  for (std::string line; std::getline(lines, line);) found.push_back(line);
  ASSERT_EQ(found.size(), 85001u);
  // The same rows have the same means; standard deviations are rounded differently where a piece ends.
  const auto mean = [&](std::size_t i) { return found[i].substr(0, found[i].find(',')); };
  for (std::size_t i = 26; i < found.size(); ++i) ASSERT_EQ(mean(i), mean(i - 25)) << i;
  // The file of before stays where a row is wrong, and the message has the row's own line.
  ExpectFails(Cli({"predict", Model(), "-", "--output", output}, rows + "1,two\n"), 3, "line 85002, column 'b'");
  EXPECT_EQ(ReadFile(output).size(), lines.str().size());
}

TEST_F(CliPredictTest, IntervalsLatentCovarianceAndSamplesAgree) {
  const std::string rows = "a,b\n1,2\n3,4\n30,5\n";
  const auto observed = ParseJson(Cli({"predict", Model(), "-", "--json", "--cov", "--samples", "4"}, rows));
  const auto latent = ParseJson(Cli({"predict", Model(), "-", "--json", "--latent"}, rows));
  ASSERT_EQ(observed.at("samples").size(), 4u);
  ASSERT_EQ(observed["samples"][0].size(), 3u);
  for (int i = 0; i < 3; ++i) {
    const double mean = observed["mean"][i], std = observed["std"][i];
    EXPECT_NEAR(observed["lower95"][i].get<double>(), mean - 1.959963984540054 * std, 1e-9);
    EXPECT_NEAR(observed["upper95"][i].get<double>(), mean + 1.959963984540054 * std, 1e-9);
    EXPECT_NEAR(observed["cov"][i][i].get<double>(), std * std, 1e-9);
    EXPECT_LT(latent["std"][i].get<double>(), std);
    EXPECT_EQ(latent["mean"][i], observed["mean"][i]);
  }
  std::istringstream csv(Cli({"predict", Model(), "-", "--cov", "--samples", "2"}, rows).out);
  std::string header;
  std::getline(csv, header);
  EXPECT_EQ(header, "mean,std,lower95,upper95,sample1,sample2,cov1,cov2,cov3");
  EXPECT_EQ(Cli({"predict", Model(), "-", "--samples", "2", "--seed", "3"}, rows).out,
            Cli({"predict", Model(), "-", "--samples", "2", "--seed", "3"}, rows).out);
}

TEST_F(CliPredictTest, TablesWithoutHeaderKeepTheirOwnNames) {
  const std::string model = folder_.Path("plain.gp");
  ASSERT_EQ(Cli({"fit", "-", "--target", "1", "--model", model}, "1,10\n2,20\n3,31\n4,40\n").code, 0);
  const ProcessResult one = Cli({"predict", model, "-"}, "10\n20\n");
  const ProcessResult both = Cli({"predict", model, "-"}, "1,10\n2,20\n");  // target first, as in the fit
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(one.out, both.out);
  EXPECT_NE(both.err.find("RMSE"), std::string::npos);
}

TEST_F(CliPredictTest, DamagedModelsAreRefused) {
  const std::string bytes = folder_.Read("model.gp");
  const std::string rows = folder_.Write("rows.csv", "a,b\n1,2\n");
  RandomStream random(9);
  for (int k = 0; k < 60; ++k) {
    std::string damaged = bytes;
    if (k % 2 == 0) {
      damaged.resize(static_cast<std::size_t>(random.UniformInt(0, static_cast<int>(bytes.size()) - 1)));
    } else {
      damaged[static_cast<std::size_t>(random.UniformInt(0, static_cast<int>(bytes.size()) - 1))] ^= 0x20;
    }
    ExpectFails(Cli({"predict", folder_.Write("bad.gp", damaged), rows}), 3);
    ExpectFails(Cli({"info", folder_.Path("bad.gp")}), 3);
  }
  ExpectFails(Cli({"predict", folder_.Path("nowhere.gp"), rows}), 3, "nowhere.gp");
}

TEST_F(CliPredictTest, InfoTellsWhatTheModelHolds) {
  const ProcessResult text = Cli({"info", Model()});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("25 rows, 2 inputs (a, b), target y"), std::string::npos) << text.out;
  const auto j = ParseJson(Cli({"info", Model(), "--json"}));
  EXPECT_EQ(j.at("schema"), "instantgp/info/1");
  EXPECT_EQ(j.at("format"), "instantgp/model");
  EXPECT_EQ(j.at("model").at("n"), 25);
  const auto program = ParseJson(Cli({"info", "--json"}));
  for (const char* key : {"version", "build", "instruction_set", "cpu_features", "threads"}) {
    EXPECT_TRUE(program.contains(key)) << key;
  }
}

TEST_F(CliPredictTest, InfoTellsWhatTheWeightsAre) {
  const std::string weights = std::string(INSTANTGP_SOURCE_DIR) + "/models/base.safetensors";
  const auto j = ParseJson(Cli({"info", weights, "--json"}));
  EXPECT_EQ(j.at("format"), "instantgp-weights");
  EXPECT_GT(j.at("datasets_seen").get<std::int64_t>(), 0);
  EXPECT_TRUE(j.at("validation").at("gap_median").is_number());
  EXPECT_EQ(j.at("architecture").at("symbols").size(), 10u);
  EXPECT_EQ(j.at("checksum").get<std::string>().size(), 16u);
  EXPECT_EQ(ParseJson(Cli({"info", "--json"})).at("weights").at("checksum"), j.at("checksum"));
  const ProcessResult text = Cli({"info", weights});
  for (const char* piece : {"trained range", "datasets seen", "gap_median", "checksum", "hypotheses"}) {
    EXPECT_NE(text.out.find(piece), std::string::npos) << piece << "\n" << text.out;
  }
  ExpectFails(Cli({"predict", weights, weights}), 3);
}

}  // namespace
}  // namespace instantgp::testing
