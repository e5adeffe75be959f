#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string>

#include "instantgp/base/file.h"
#include "tests/cli/cli_support.h"
#include "tests/support/xml.h"

namespace instantgp::testing {
namespace {

// Months of a few shops, one below the other, with a trend and a season.
std::string Shops(int shops, int months, bool by) {
  std::string csv = by ? "month,shop,sold\n" : "month,sold\n";
  for (int shop = 0; shop < shops; ++shop) {
    for (int t = 0; t < months; ++t) {
      const double y = 100 + 10 * shop + 0.5 * t + 8 * std::sin(0.5235987755982988 * t) + (t * 7 + shop) % 5;
      char month[16];
      std::snprintf(month, sizeof month, "%d-%02d", 2015 + t / 12, t % 12 + 1);
      csv += std::string(month) + (by ? ",S" + std::to_string(shop) : "") + "," + std::to_string(y) + "\n";
    }
  }
  return csv;
}

TEST(CliForecastTest, JsonHoldsEveryPromisedKey) {
  const TemporaryFolder folder;
  const std::string data = folder.Write("sales.csv", Shops(1, 60, false));
  const auto j = ParseJson(Cli({"forecast", data, "--horizon", "12", "--backtest", "2", "--json"}));
  EXPECT_EQ(j.at("schema"), "instantgp/forecast/1");
  ASSERT_EQ(j.at("series").size(), 1u);
  const auto& one = j["series"][0];
  EXPECT_EQ(one.at("n"), 60);
  EXPECT_EQ(one.at("step"), "monthly");
  EXPECT_EQ(one.at("season"), std::vector<double>{12});
  EXPECT_EQ(one.at("status"), "ok");
  EXPECT_EQ(one.at("reason"), "");
  EXPECT_TRUE(one.at("transform").is_string());
  double weights = 0;
  for (const auto& structure : one.at("structures")) {
    EXPECT_TRUE(structure.at("kernel").is_string());
    weights += structure.at("weight").get<double>();
  }
  EXPECT_NEAR(weights, 1, 1e-12);
  ASSERT_EQ(one.at("forecast").size(), 12u);
  EXPECT_EQ(one["forecast"][0].at("month"), "2020-01");
  for (const char* key : {"mean", "median", "std", "lower80", "upper80", "lower95", "upper95"}) {
    EXPECT_TRUE(one["forecast"][11].at(key).is_number()) << key;
  }
  for (const char* key : {"mase", "smape", "scrps", "coverage95"}) EXPECT_TRUE(one.at("backtest").at(key).is_number());
  EXPECT_GT(j.at("time_ms").at("total").get<double>(), 0);
  EXPECT_TRUE(j.at("warnings").is_array());
}

TEST(CliForecastTest, ManySeriesGiveOneLineAStepAndAReasonForTheRest) {
  const TemporaryFolder folder;
  const std::string data =
      folder.Write("shops.csv", Shops(3, 48, true) + "2019-01,lonely,5\n2015-01,odd,1\n2015-02-x,odd2,3\n");
  // A date that is not one is a mistake in the table.
  EXPECT_EQ(Cli({"forecast", data, "--horizon", "3", "--by", "shop"}).code, 3);
  const std::string good = folder.Write("good.csv", Shops(3, 48, true) + "2019-01,lonely,5\n");
  const auto run = Cli({"forecast", good, "--horizon", "3", "--by", "shop", "--target", "sold", "--level", "50"});
  ASSERT_EQ(run.code, 0) << run.err;
  std::istringstream lines(run.out);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "shop,month,mean,median,std,lower50,upper50,reason");
  int count = 0;
  std::string last;
  while (std::getline(lines, line)) {
    ++count;
    last = line;
  }
  EXPECT_EQ(count, 10);
  EXPECT_NE(last.find("lonely,,,,,,,"), std::string::npos) << last;
  EXPECT_NE(last.find("single value"), std::string::npos) << last;
  // The same whatever the threads, and from a file.
  const std::string out = folder.Path("next.csv");
  ASSERT_EQ(Cli({"forecast", good, "--horizon", "3", "--by", "shop", "--target", "sold", "--level", "50", "--output",
                 out, "--threads", "1"})
                .code,
            0);
  EXPECT_EQ(ReadFile(out), run.out);
}

TEST(CliForecastTest, ResumeGoesOnWhereARunStopped) {
  const TemporaryFolder folder;
  const std::string data = folder.Write("shops.csv", Shops(4, 48, true));
  const std::string out = folder.Path("next.csv");
  const std::vector<std::string> command = {"forecast", data, "--horizon", "2", "--by", "shop", "--output", out};
  ASSERT_EQ(Cli(command).code, 0);
  const std::string whole = ReadFile(out);
  // As if stopped in the middle of the third series' second line: S0 and S1 are done, S2 is not.
  std::size_t cut = 0;
  for (int line = 0; line < 6; ++line) cut = whole.find('\n', cut) + 1;
  WriteFileAtomically(out + ".partial", whole.substr(0, cut + 5));
  std::filesystem::remove(out);
  std::vector<std::string> resumed = command;
  resumed.push_back("--resume");
  const auto run = Cli(resumed);
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(ReadFile(out), whole);
  EXPECT_NE(run.out.find("2 series"), std::string::npos) << run.out;
  EXPECT_FALSE(std::filesystem::exists(out + ".partial"));
  // Another horizon would not fit; another set of levels is noticed.
  WriteFileAtomically(out + ".partial", whole.substr(0, cut));
  resumed.insert(resumed.end(), {"--level", "50"});
  EXPECT_EQ(Cli(resumed).code, 3);
}

TEST(CliForecastTest, CtrlCKeepsWhatIsDoneAndResumeGoesOn) {
  const TemporaryFolder folder;
  const std::string data = folder.Write("shops.csv", Shops(1500, 60, true) + "2019-01,lonely,5\n");
  const std::string out = folder.Path("next.csv"), whole = folder.Path("whole.csv");
  const auto command = [&](const std::string& to, std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"forecast", data, "--horizon", "3", "--by", "shop", "--fast", "--output", to};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  ASSERT_EQ(Cli(command(whole)).code, 0);
  // The signal is to come when some series are done; how long the table takes to read depends on build and machine.
  auto stopped = Cli(command(out), "", 300);
  for (int ms = 600; ms < 60000 && stopped.code != 0 && !std::filesystem::exists(out + ".partial"); ms *= 2) {
    stopped = Cli(command(out), "", ms);
  }
  if (stopped.code == 0) GTEST_SKIP() << "it was done before the signal came";
  ASSERT_EQ(stopped.code, 130) << stopped.err;
  EXPECT_NE(stopped.err.find("finished series are in " + out + ".partial, go on with --resume"), std::string::npos)
      << stopped.err;
  EXPECT_FALSE(std::filesystem::exists(out));
  ASSERT_TRUE(std::filesystem::exists(out + ".partial"));
  const auto resumed = Cli(command(out, {"--resume"}));
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(ReadFile(out), ReadFile(whole));
  EXPECT_NE(resumed.out.find(" a second"), std::string::npos) << resumed.out;
  EXPECT_FALSE(std::filesystem::exists(out + ".partial"));
  // Where another horizon had been asked for, the rows do not fit.
  WriteFileAtomically(out + ".partial", ReadFile(whole).substr(0, 2000));
  std::vector<std::string> other = command(out, {"--resume"});
  other[3] = "4";
  EXPECT_EQ(Cli(other).code, 3);
}

TEST(CliForecastTest, PriorsAreLearnedOnceAndKeptForTheRunThatResumes) {
  const TemporaryFolder folder;
  // Much noise, which the library does not expect.
  std::string table = "month,shop,sold\n";
  std::uint64_t state = 1;
  for (int shop = 0; shop < 40; ++shop) {
    for (int t = 0; t < 48; ++t) {
      double noise = 0;
      for (int k = 0; k < 4; ++k) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        noise += static_cast<double>(state >> 40) / (1 << 24) - 0.5;
      }
      char line[64];
      std::snprintf(line, sizeof line, "%d-%02d,S%d,%.3f\n", 2015 + t / 12, t % 12 + 1, shop,
                    500 + 20 * std::sin(0.5235987755982988 * t) + 60 * noise);
      table += line;
    }
  }
  const std::string data = folder.Write("shops.csv", table), out = folder.Path("next.csv");
  std::vector<std::string> command = {"forecast", data, "--horizon",      "6", "--by", "shop", "--fast",
                                      "--output", out,  "--learn-priors", "30"};
  const auto run = Cli(command);
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("priors learned from 30 series"), std::string::npos) << run.out;
  EXPECT_FALSE(std::filesystem::exists(out + ".partial.priors"));
  const std::string whole = ReadFile(out), plain = folder.Path("plain.csv");
  ASSERT_EQ(Cli({"forecast", data, "--horizon", "6", "--by", "shop", "--fast", "--output", plain}).code, 0);
  EXPECT_NE(ReadFile(plain), whole);
  // The same for one thread, and told in the document.
  const auto document = ParseJson(Cli({"forecast", data, "--horizon", "6", "--by", "shop", "--fast", "--learn-priors",
                                       "30", "--threads", "1", "--json"}));
  EXPECT_EQ(document.at("learned_priors").at("series"), 30);
  const auto& learned = document["learned_priors"].at("priors");
  EXPECT_EQ(learned.at("two_scales.seasons.noise").size(), 2u);
  EXPECT_NE(whole.find(document["series"][0]["forecast"][0]["median"].dump().substr(0, 8)), std::string::npos);
  // Another sample gives other priors.
  const auto other = ParseJson(Cli(
      {"forecast", data, "--horizon", "6", "--by", "shop", "--fast", "--learn-priors", "30", "--seed", "1", "--json"}));
  EXPECT_NE(other["learned_priors"]["priors"].dump(), learned.dump());
  // A run that stopped after three series left its priors, and they count, whatever the table would say now.
  std::string kept = "instantgp priors 1\nseries 30\nshare 1\nscore 0.9\n";
  for (const auto& [name, prior] : learned.items()) {
    kept += name + " " + prior["mean"].dump() + " " + prior["std"].dump() + "\n";
  }
  std::size_t cut = 0;
  for (int line = 0; line < 19; ++line) cut = whole.find('\n', cut) + 1;
  const auto leave = [&](bool priors) {
    std::filesystem::remove(out);
    WriteFileAtomically(out + ".partial", whole.substr(0, cut));
    std::filesystem::remove(out + ".partial.priors");
    if (priors) WriteFileAtomically(out + ".partial.priors", kept);
  };
  leave(true);
  std::vector<std::string> resumed = command;
  resumed.insert(resumed.end(), {"--resume", "--seed", "1"});
  ASSERT_EQ(Cli(resumed).code, 0);
  EXPECT_EQ(ReadFile(out), whole);
  EXPECT_FALSE(std::filesystem::exists(out + ".partial.priors"));
  leave(false);
  EXPECT_EQ(Cli(resumed).code, 3);
  leave(true);
  EXPECT_EQ(Cli({"forecast", data, "--horizon", "6", "--by", "shop", "--fast", "--output", out, "--resume"}).code, 3);
  // One series has nobody to learn from.
  const std::string one = folder.Write("one.csv", Shops(1, 48, false));
  const auto refused = Cli({"forecast", one, "--horizon", "6", "--learn-priors", "30"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("--by"), std::string::npos) << refused.err;
}

TEST(CliForecastTest, SeveralProcessesWriteTheFileOfOne) {
  if (std::system("command -v mpirun >/dev/null 2>&1") != 0 ||
      !std::filesystem::exists(std::filesystem::path(INSTANTGP_CLI).parent_path() / "libinstantgp_mpi.so")) {
    GTEST_SKIP() << "no mpirun, or built without the MPI module";
  }
  const TemporaryFolder folder;
  const std::string data = folder.Write("shops.csv", Shops(40, 48, true) + "2019-01,lonely,5\n");
  const std::string one = folder.Path("one.csv"), many = folder.Path("many.csv");
  const std::string rest = " --horizon 3 --by shop --fast --quiet --output ";
  ASSERT_EQ(Cli({"forecast", data, "--horizon", "3", "--by", "shop", "--fast", "--output", one}).code, 0);
  // MPI keeps memory to its end, which is no leak of ours.
  const std::string launcher =
      "ASAN_OPTIONS=detect_leaks=0 mpirun --allow-run-as-root --oversubscribe -n 3 " INSTANTGP_CLI " forecast " + data;
  ASSERT_EQ(RunProcess({"/bin/sh", "-c", launcher + rest + many}).code, 0);
  EXPECT_EQ(ReadFile(many), ReadFile(one));
  const std::string learned = folder.Path("learned.csv"), together = folder.Path("together.csv");
  ASSERT_EQ(
      Cli({"forecast", data, "--horizon", "3", "--by", "shop", "--fast", "--output", learned, "--learn-priors", "10"})
          .code,
      0);
  ASSERT_EQ(RunProcess({"/bin/sh", "-c", launcher + " --learn-priors 10" + rest + together}).code, 0);
  EXPECT_EQ(ReadFile(together), ReadFile(learned));
  // What three processes left when they were lost, one process takes up: of each a part, one cut off in a line.
  const std::string text = ReadFile(one);
  const std::size_t head = text.find('\n') + 1;
  const auto lines = [&](int from, int to) {
    std::size_t begin = head, end = head;
    for (int line = 0; line < to; ++line) {
      end = text.find('\n', end) + 1;
      if (line + 1 == from) begin = end;
    }
    return text.substr(begin, end - begin);
  };
  std::filesystem::remove(many);
  WriteFileAtomically(many + ".partial", text.substr(0, head) + lines(3, 9));
  WriteFileAtomically(many + ".partial.1", text.substr(0, head) + lines(0, 3) + "S9,2019-01,1");
  WriteFileAtomically(many + ".partial.2", text.substr(0, 10));
  const auto resumed =
      Cli({"forecast", data, "--horizon", "3", "--by", "shop", "--fast", "--output", many, "--resume"});
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_NE(resumed.out.find("38 series"), std::string::npos) << resumed.out;
  EXPECT_EQ(ReadFile(many), text);
  for (const char* left : {".partial", ".partial.1", ".partial.2"}) EXPECT_FALSE(std::filesystem::exists(many + left));
  // Several processes have no common standard output.
  EXPECT_NE(RunProcess({"/bin/sh", "-c", launcher + " --horizon 3 --by shop"}).code, 0);
}

TEST(CliForecastTest, TellsWhatItDoesAndDraws) {
  const TemporaryFolder folder;
  const std::string data = folder.Write("sales.csv", Shops(1, 60, false));
  const std::string svg = folder.Path("f.svg");
  const auto run = Cli({"forecast", data, "--horizon", "6", "--explain", "--anomalies", "--plot", svg});
  ASSERT_EQ(run.code, 0) << run.err;
  for (const char* text : {"monthly", "season 12", "2020-06", "trend", "LIN", "a yearly season"}) {
    EXPECT_NE(run.out.find(text), std::string::npos) << text << " in " << run.out;
  }
  EXPECT_EQ(XmlProblem(ReadFile(svg)), "");
  EXPECT_NE(ReadFile(svg).find(">2018<"), std::string::npos) << "dates are marked by dates";
  EXPECT_NE(run.out.find("No value of the past stands out."), std::string::npos) << run.out;
  // Plain numbers: the distance of the steps, and anomalies as a list even when it is empty.
  std::string numbers = "t,y\n";
  for (int t = 0; t < 20; ++t) numbers += std::to_string(0.5 * t) + "," + std::to_string(t * t % 7) + "\n";
  const std::string plain = folder.Write("plain.csv", numbers);
  const auto text = Cli({"forecast", plain, "--horizon", "2"});
  EXPECT_NE(text.out.find("20 steps, 0.5 apart"), std::string::npos) << text.out;
  const auto document = ParseJson(Cli({"forecast", plain, "--horizon", "2", "--anomalies", "--json"}));
  EXPECT_TRUE(document["series"][0].at("anomalies").is_array());
}

TEST(CliForecastTest, MistakesAreNamed) {
  const TemporaryFolder folder;
  const std::string data = folder.Write("sales.csv", Shops(1, 30, false));
  EXPECT_EQ(Cli({"forecast", data}).code, 2);
  EXPECT_EQ(Cli({"forecast", data, "--horizon", "0"}).code, 2);
  EXPECT_EQ(Cli({"forecast", data, "--horizon", "2", "--transform", "sqrt"}).code, 2);
  EXPECT_EQ(Cli({"forecast", data, "--horizon", "2", "--season", "monthly"}).code, 2);
  EXPECT_EQ(Cli({"forecast", data, "--horizon", "2", "--resume"}).code, 2);
  const auto run = Cli({"forecast", data, "--horizon", "2", "--target", "sald"});
  EXPECT_EQ(run.code, 3);
  EXPECT_NE(run.err.find("sold"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace instantgp::testing
