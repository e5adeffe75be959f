// Records: printing, reading, running and resuming them, and the tables made of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "instantgp/base/error.h"
#include "instantgp/base/file.h"
#include "instantgp/experiments/report/figures.h"
#include "instantgp/experiments/report/grouping.h"
#include "instantgp/experiments/report/tables.h"
#include "instantgp/experiments/run/record.h"
#include "instantgp/experiments/run/runner.h"
#include "instantgp/experiments/run/store.h"
#include "instantgp/model/methods.h"
#include "instantgp/plot/figure.h"
#include "tests/support/xml.h"

namespace instantgp {
namespace {

Record Make(const std::string& dataset, int split, const std::string& structure, const std::string& method, double rmse,
            double seconds = 1) {
  Record r;
  r.dataset = dataset;
  r.split = split;
  r.structure = structure;
  r.method = method;
  r.rmse = rmse;
  r.nll = rmse / 3;
  r.seconds = seconds;
  return r;
}

Record Failed(const std::string& dataset, const std::string& method) {
  Record r;
  r.dataset = dataset;
  r.structure = "SE*LIN, \"quoted\"";
  r.method = method;
  r.status = "numerical: no factor, \"even\" with jitter; # of 3";
  return r;
}

TEST(Records, CsvRoundTripsBitForBit) {
  const std::vector<Record> records = {Make("a b", 3, "SE + LIN*PER", "ml", 1.0 / 3, 1e-300), Failed("x,y", "svgp")};
  const std::string text = RecordsToCsv(records);
  EXPECT_EQ(RecordsToCsv(RecordsFromCsv(text, "t")), text);
  const std::vector<Record> read = RecordsFromCsv(text, "t");
  EXPECT_EQ(read[0].rmse, records[0].rmse);
  EXPECT_EQ(read[0].structure, records[0].structure);
  EXPECT_EQ(read[1].status, records[1].status);
  EXPECT_TRUE(std::isnan(read[1].rmse));
  EXPECT_FALSE(read[1].ok());
  const nlohmann::json json = nlohmann::json::parse(RecordsToJson(records));
  EXPECT_EQ(json[0]["rmse"], 1.0 / 3);
  EXPECT_TRUE(json[1]["rmse"].is_null());
  EXPECT_EQ(json[1]["status"], records[1].status);
}

TEST(Records, AFileThatIsNoneIsRefused) {
  const std::string good = RecordsToCsv({Make("a", 0, "SE", "ml", 1)});
  for (const std::string& bad :
       {std::string(), std::string("a,b\n1,2\n"), good + "a,0,SE\n", good + good, good + "\"", good.substr(5)}) {
    EXPECT_THROW(RecordsFromCsv(bad, "bad.csv"), Error) << bad;
  }
}

std::vector<Task> CountingTasks(std::atomic<int>& calls) {
  std::vector<Task> tasks;
  for (int k = 0; k < 9; ++k) {
    tasks.push_back({"d" + std::to_string(k % 3), k / 3, "SE", 1.0 + k, {}, [&calls, k](const std::string& method) {
                       ++calls;
                       if (method == "bad") throw Error(ErrorCode::kNumerical, "two\nlines");
                       if (method == "worse") throw std::logic_error("bug");
                       Record r;
                       r.rmse = k;
                       return r;
                     }});
  }
  return tasks;
}

TEST(Runner, RunsEveryMethodOfEveryCellWhateverTheThreadsAndGoesOnAfterFailures) {
  const std::vector<std::string> methods = {"good", "bad", "worse"};
  std::string first;
  for (int threads : {1, 2, 5}) {
    std::atomic<int> calls = 0;
    int updates = 0;
    RunnerOptions options;
    options.threads = threads;
    options.progress = [&](int done, int of, double left) {
      EXPECT_EQ(done, ++updates);
      EXPECT_EQ(of, 9);
      EXPECT_GE(left, 0);
    };
    const std::vector<Record> records = RunTasks(CountingTasks(calls), methods, {}, options);
    EXPECT_EQ(calls, 27);
    EXPECT_EQ(updates, 9);
    ASSERT_EQ(records.size(), 27U);
    EXPECT_EQ(records[1].status, "numerical: two lines");
    EXPECT_EQ(records[2].status, "internal: bug");
    const std::string text = RecordsToCsv(records);
    if (first.empty()) first = text;
    EXPECT_EQ(text, first);
  }
}

TEST(Runner, KeepsWhatIsDoneAndStopsWhenAsked) {
  std::atomic<int> calls = 0;
  RunnerOptions options;
  options.threads = 1;
  std::stop_source source;
  options.stop = source.get_token();
  int saves = 0;
  std::vector<Record> saved;
  options.save = [&](const std::vector<Record>& records) {
    saved = records;
    if (++saves == 4) source.request_stop();
  };
  const std::vector<Task> tasks = CountingTasks(calls);
  const std::vector<Record> part = RunTasks(tasks, {"good"}, {}, options);
  EXPECT_EQ(part.size(), 4U);
  EXPECT_EQ(RecordsToCsv(part), RecordsToCsv(saved));
  std::vector<Record> done = part;
  done[0].rmse = 77;  // taken over, not computed again
  done.push_back(Make("other", 0, "SE", "good", 5));
  calls = 0;
  const std::vector<Record> all = RunTasks(tasks, {"good"}, done, {});
  EXPECT_EQ(calls, 5);
  ASSERT_EQ(all.size(), 10U);
  EXPECT_EQ(all[0].rmse, 77);
  EXPECT_EQ(all.back().dataset, "other");
}

class FolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() / ("instantgp_records_" + std::to_string(::getpid()));
    std::filesystem::remove_all(path_);
  }
  void TearDown() override { std::filesystem::remove_all(path_); }
  std::filesystem::path path_;
};

TEST_F(FolderTest, HoldsRecordsOfOneRunOnly) {
  const std::string folder = (path_ / "deep" / "er").string();
  const std::string settings = R"({"experiment": "benchmark", "seed": 1, "weights": "a"})";
  {
    const ResultFolder results(folder, settings, false);
    EXPECT_TRUE(results.previous().empty());
    results.SaveRecords({Make("a", 0, "SE", "ml", 1), Make("a", 0, "SE", "oneshot", 2)});
  }
  EXPECT_EQ(ResultFolder(folder, settings, false).previous().size(), 2U);
  try {
    ResultFolder(folder, R"({"experiment": "benchmark", "seed": 2, "weights": "a"})", false);
    FAIL() << "records of another seed were taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_NE(std::string(error.what()).find("seed is 1 there and 2 now"), std::string::npos) << error.what();
  }
  // Other weights: only what used them is done again.
  const ResultFolder other(folder, R"({"experiment": "benchmark", "seed": 1, "weights": "b"})", false);
  ASSERT_EQ(other.previous().size(), 1U);
  EXPECT_EQ(other.previous()[0].method, "ml");
  EXPECT_TRUE(ResultFolder(folder, settings, true).previous().empty());
}

// The baseline has weights of its own: records of no other method depend on them, and its own do.
TEST_F(FolderTest, OtherWeightsOfTheBaselineDropItsRecordsOnly) {
  const auto settings = [](const char* weights, const char* ahgp) {
    return std::string(R"({"seed": 1, "weights": ")") + weights + R"(", "ahgp_weights": ")" + ahgp + "\"}";
  };
  for (const MethodInfo& info : Methods()) {
    const bool ahgp = info.method == Method::kAhgp;
    EXPECT_EQ(NetworkOf(std::string(info.name)), !info.uses_network ? "" : ahgp ? kAhgpWeightsKey : kWeightsKey);
  }
  const auto left = [&](const std::string& now) {
    std::vector<Record> records;
    for (const MethodInfo& info : Methods()) records.push_back(Make("a", 0, "SE", std::string(info.name), 1));
    ResultFolder(path_.string(), settings("a", "a"), true).SaveRecords(records);
    std::vector<std::string> methods;
    const ResultFolder folder(path_.string(), now, false);
    for (const Record& record : folder.previous()) methods.push_back(record.method);
    return methods;
  };
  EXPECT_EQ(left(settings("a", "a")).size(), Methods().size());
  EXPECT_THAT(left(settings("a", "b")), ::testing::Not(::testing::Contains("ahgp")));
  EXPECT_EQ(left(settings("a", "b")).size(), Methods().size() - 1);
  EXPECT_THAT(left(settings("b", "a")), ::testing::Contains("ahgp"));
  EXPECT_THAT(left(settings("b", "a")), ::testing::Not(::testing::Contains("oneshot")));
}

TEST(Tables, MediansRatiosAndFailures) {
  std::vector<Record> records;
  for (int k = 0; k < 5; ++k) {
    records.push_back(Make("A", 0, std::to_string(k), "ml", k + 1, 10 * (k + 1)));
    records.push_back(Make("A", 0, std::to_string(k), "oneshot", 2, k + 1));
  }
  records.push_back(Failed("B", "ml"));
  EXPECT_EQ(MedianTable(records, &Record::rmse),
            "| method         |                 A |   B |\n"
            "|:---------------|------------------:|----:|\n"
            "| one-shot       | 2.00 (2.00, 2.00) |   - |\n"
            "| GP-ML (L-BFGS) | 3.00 (1.80, 4.20) |   - |\n");
  EXPECT_NE(RatioTable(records, &Record::seconds, "oneshot").find("| GP-ML (L-BFGS) | 10.0 (10.0, 10.0) |"),
            std::string::npos);
  EXPECT_EQ(RatioTable(records, &Record::seconds, "svgp"), "");
  EXPECT_NE(FailureTable(records).find("0 of 5 | 1 of 1"), std::string::npos) << FailureTable(records);
  records.pop_back();
  EXPECT_EQ(FailureTable(records), "");
  EXPECT_EQ(Digits(0.08304, 4), "0.08304");
  EXPECT_EQ(Digits(123.4), "123");
  EXPECT_EQ(Digits(kUnknown), "-");
}

TEST(Figures, AreWellFormedWithAndWithoutFailures) {
  std::vector<Record> records = {Failed("B", "ml")};
  for (int round = 0; round < 2; ++round) {
    plot::Figure figure(2, 2);
    DrawMedians(records, &Record::rmse, plot::Scale::kLinear, figure.At(0, 0));
    DrawMedians(records, &Record::seconds, plot::Scale::kLog, figure.At(0, 1));
    DrawRatios(records, &Record::seconds, "oneshot", figure.At(1, 0));
    DrawBoxes(records, &Record::nll, figure.At(1, 1));
    EXPECT_EQ(testing::XmlProblem(figure.ToSvg()), "");
    for (int k = 0; k < 5; ++k) {
      records.push_back(Make("A", 0, std::to_string(k), "ml", k + 1, 10));
      records.push_back(Make("A", 0, std::to_string(k), "oneshot", k - 2, 1));
    }
  }
}

TEST(Figures, MethodsOfTheBenchmarkHaveDifferentColours) {
  std::vector<std::string> colors;
  for (const char* method : {"oneshot", "bare", "refine", "ml", "adam", "multistart", "map", "svgp"}) {
    EXPECT_EQ(std::count(colors.begin(), colors.end(), MethodColor(method)), 0) << method;
    EXPECT_NE(MethodTitle(method), method);
    colors.push_back(MethodColor(method));
  }
}

}  // namespace
}  // namespace instantgp
