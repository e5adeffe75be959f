// Tables larger than most: memory that was announced is kept, and predictions stream.
#include <cmath>
#include <cstdio>
#include <sstream>

#include "tests/cli/cli_support.h"

namespace instantgp::testing {
namespace {

// A wave along two columns, with noise.
std::string WaveCsv(int rows, bool target, std::uint64_t seed) {
  RandomStream random(seed);
  std::string text = target ? "a,b,y\n" : "a,b\n";
  char line[96];
  for (int i = 0; i < rows; ++i) {
    const double a = random.Uniform(0, 10), b = random.Uniform(0, 10);
    const double y = std::sin(3 * a) * std::cos(2 * b) + 0.1 * random.Normal();
    std::snprintf(line, sizeof line, target ? "%.6g,%.6g,%.6g\n" : "%.6g,%.6g\n", a, b, y);
    text += line;
  }
  return text;
}

TEST(CliLargeTest, AFitTakesNoMoreMemoryThanItSaysAndFourTimesItsTableAtMost) {
#ifdef INSTANTGP_SANITIZED
  GTEST_SKIP() << "the sanitizer's own memory would be measured";
#endif
  const TemporaryFolder folder;
  constexpr int kRows = 600000;
  const std::string data = folder.Write("large.csv", WaveCsv(kRows, true, 1));
  const ProcessResult small = Cli({"fit", folder.Write("small.csv", WaveCsv(3000, true, 1)), "--method", "neighbours",
                                   "--neighbours", "16", "--model", folder.Path("small.gp")});
  ASSERT_EQ(small.code, 0) << small.err;
  const ProcessResult fit =
      Cli({"fit", data, "--method", "neighbours", "--neighbours", "16", "--model", folder.Path("large.gp")});
  ASSERT_EQ(fit.code, 0) << fit.err;
  const std::size_t about = fit.err.find("takes about ");
  ASSERT_NE(about, std::string::npos) << fit.err;
  const double announced = std::stod(fit.err.substr(about + 12)) * 1024 * 1024;
  EXPECT_NE(fit.err.find("MiB of memory"), std::string::npos) << fit.err;
  EXPECT_LE(fit.peak_bytes, announced);
  EXPECT_GE(fit.peak_bytes, announced / 2) << "announced far too much";
  // What the program takes by itself, its network and the systems it solves, is seen on a small table.
  const double table = 8.0 * kRows * 3, more = fit.peak_bytes - small.peak_bytes;
  EXPECT_LE(more, 4 * table) << more / table << " times the table";
}

TEST(CliLargeTest, FitPredictsALongTableInPieces) {
  const TemporaryFolder folder;
  const std::string train = folder.Write("train.csv", WaveCsv(300, true, 2));
  const std::string rows = folder.Write("rows.csv", WaveCsv(60000, true, 3));
  const ProcessResult at_once = Cli({"fit", train, "--method", "ml", "--predict", rows, "--json"});
  const auto whole = ParseJson(at_once);
  const ProcessResult streamed =
      Cli({"fit", train, "--method", "ml", "--predict", rows, "--output", folder.Path("p.csv"), "--json"});
  const auto document = ParseJson(streamed);
  EXPECT_NEAR(document["prediction_scores"]["rmse"].get<double>(), whole["prediction_scores"]["rmse"].get<double>(),
              1e-9);
  EXPECT_LT(streamed.peak_bytes, at_once.peak_bytes - 5e6);
  EXPECT_NE(streamed.err.find("wrote " + folder.Path("p.csv")), std::string::npos);
  EXPECT_EQ(streamed.err.find("MB of rows"), std::string::npos) << "too short for a progress line";
  std::istringstream lines(folder.Read("p.csv"));
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_EQ(line, "mean,std,lower95,upper95");
  const auto& mean = whole["predictions"]["mean"];
  std::size_t count = 0;
  for (; std::getline(lines, line); ++count) {
    if (count % 1000 != 0) continue;
    EXPECT_NEAR(std::stod(line), mean[count].get<double>(), 1e-9);
  }
  EXPECT_EQ(count, 60000u);
}

TEST(CliLargeTest, AWrongRowInALaterPieceIsNamedAndNothingIsWritten) {
  const TemporaryFolder folder;
  const std::string train = folder.Write("train.csv", WaveCsv(100, true, 2));
  const std::string rows = WaveCsv(120000, false, 3);
  ExpectFails(Cli({"fit", train, "--method", "ml", "--predict", folder.Write("late.csv", rows + "1,x\n"), "--output",
                   folder.Path("p.csv"), "--quiet"}),
              3, "line 120002, column 'b': 'x' is not a number");
  EXPECT_FALSE(folder.Exists("p.csv"));
  // In the first piece it is seen before the fit, whose progress would be on stderr.
  ExpectFails(Cli({"fit", train, "--predict", folder.Write("early.csv", "a,c\n" + rows.substr(4)), "--output",
                   folder.Path("p.csv")}),
              3, "needs the column 'b'");
}

TEST(CliLargeTest, PredictSaysHowFarItIs) {
  const TemporaryFolder folder;
  const std::string train = folder.Write("train.csv", WaveCsv(50, true, 2)), model = folder.Path("m.gp");
  ASSERT_EQ(Cli({"fit", train, "--method", "ml", "--model", model, "--quiet"}).code, 0);
  const std::string rows = folder.Write("rows.csv", WaveCsv(400000, false, 3));
  const ProcessResult said = Cli({"predict", model, rows, "--output", folder.Path("p.csv")});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_NE(said.err.find("/7 MB of rows"), std::string::npos) << said.err;
  EXPECT_EQ(Cli({"predict", model, rows, "--output", folder.Path("p.csv"), "--quiet"}).err, "");
}

}  // namespace
}  // namespace instantgp::testing
