// The comparison on any tables: reading a folder, dividing rows, the arithmetic of its summary, and whole runs.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "instantgp/base/error.h"
#include "instantgp/base/file.h"
#include "instantgp/experiments/protocols/table_folder.h"
#include "instantgp/experiments/protocols/table_report.h"
#include "instantgp/experiments/protocols/table_splits.h"
#include "instantgp/experiments/report/ml_comparison.h"
#include "instantgp/experiments/run/experiment.h"
#include "instantgp/experiments/run/score.h"
#include "tests/support/xml.h"

namespace instantgp {
namespace {

class TablesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() / ("instantgp_tables_" + std::to_string(::getpid()));
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_ / "data");
  }
  void TearDown() override { std::filesystem::remove_all(path_); }

  std::string Data() const { return (path_ / "data").string(); }
  void Write(const std::string& file, const std::string& text) const { std::ofstream(path_ / "data" / file) << text; }
  // A wave with a little noise that no row order explains.
  void WriteWave(const std::string& file, int n, const std::string& input = "x") const {
    std::string text = input + ",y\n";
    for (int i = 0; i < n; ++i) {
      const double x = 0.1 * i;
      text += std::to_string(x) + "," + std::to_string(std::sin(x) + 0.05 * ((i * 7919) % 13 - 6)) + "\n";
    }
    Write(file, text);
  }
  ExperimentOptions Options() const {
    ExperimentOptions options;
    options.data = Data();
    options.out = (path_ / "out").string();
    options.splits = 2;
    options.rows = 20;
    return options;
  }
  std::string MessageOf(const ExperimentOptions& options, ErrorCode code) const {
    try {
      RunExperiment(FindExperiment("tables"), options);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      return error.what();
    }
    ADD_FAILURE() << "no error";
    return "";
  }
  std::filesystem::path path_;
};

// Everything but the times, which differ from run to run.
std::string WithoutTimes(std::vector<Record> records) {
  for (Record& record : records) record.seconds = record.cpu_seconds = 0;
  return RecordsToCsv(records);
}

TEST(TableSplitTest, HalfIsHeldOutAndTheRestTrainsUpToTheLimit) {
  for (int n : {4, 5, 99, 1000, 1001}) {
    for (int most : {2, 50, 500}) {
      const Split split = TableSplit(n, most, 7);
      const int test = (n + 1) / 2;
      EXPECT_EQ(static_cast<int>(split.test.size()), test);
      EXPECT_EQ(static_cast<int>(split.train.size()), std::min(most, n - test));
      std::set<int> all(split.train.begin(), split.train.end());
      all.insert(split.test.begin(), split.test.end());
      EXPECT_EQ(all.size(), split.train.size() + split.test.size()) << "a row is in both parts";
      EXPECT_TRUE(*all.begin() >= 0 && *all.rbegin() < n);
    }
  }
}

TEST(TableSplitTest, RepeatsItselfAndSizesCompare) {
  const Split a = TableSplit(1000, 100, 3), again = TableSplit(1000, 100, 3), other = TableSplit(1000, 100, 4);
  const Split more = TableSplit(1000, 300, 3);
  EXPECT_EQ(a.train, again.train);
  EXPECT_EQ(a.test, again.test);
  EXPECT_NE(a.test, other.test);
  EXPECT_NE(a.train, other.train);
  EXPECT_EQ(a.test, more.test);
  EXPECT_TRUE(std::includes(more.train.begin(), more.train.end(), a.train.begin(), a.train.end()));
}

TEST(TableSplitTest, DefaultsAreThreeSplitsOfFiveHundredRows) {
  const TableFolder folder = AirlineFolder();
  ExperimentOptions options;
  options.tables = &folder;
  EXPECT_EQ(MostTrainingRows(options), 500);
  EXPECT_EQ(TableSplits(options).size(), 3U);
  const std::vector<Task> tasks = FindExperiment("tables").tasks(options);
  ASSERT_EQ(tasks.size(), 3U);
  EXPECT_EQ(tasks[0].structure, "SE");
  EXPECT_EQ(FindExperiment("tables").methods, (std::vector<std::string>{"oneshot", "bare", "refine", "ml"}));
  options.kernels = {"SE", "PER", "SE"};
  EXPECT_EQ(FindExperiment("tables").tasks(options).size(), 6U);
  options.rows = 30;
  EXPECT_EQ(TableSplits(options)[0].Train().rows(), 30);
  EXPECT_EQ(TableSplits(options)[0].Test().rows(), 72);
}

TEST_F(TablesTest, AFolderIsReadByNameAndWhatCannotBeUsedIsNamed) {
  WriteWave("b.csv", 30);
  WriteWave("a.csv", 10);
  Write("broken.csv", "x,y\n1,2\n2,oops\n3,4\n4,5\n");
  Write("few.csv", "x,y\n1,2\n2,3\n3,4\n");
  Write("holes.csv", "x,y\n1,2\n2,\n3,4\n4,5\n");
  Write("empty.csv", "");
  Write("notes.txt", "no table");
  std::filesystem::create_directories(path_ / "data" / "folder.csv");
  const TableFolder folder = ReadTableFolder(Data());
  ASSERT_EQ(folder.tables.size(), 2U);
  EXPECT_EQ(folder.tables[0].name, "a");
  EXPECT_EQ(folder.tables[1].name, "b");
  EXPECT_EQ(folder.tables[1].data->rows(), 30);
  EXPECT_NE(folder.tables[0].fingerprint, folder.tables[1].fingerprint);
  ASSERT_EQ(folder.skipped.size(), 4U);
  EXPECT_EQ(folder.skipped[0].file, "broken.csv");
  EXPECT_NE(folder.skipped[0].reason.find("oops"), std::string::npos) << folder.skipped[0].reason;
  EXPECT_EQ(folder.skipped[0].reason.rfind("line 3", 0), 0U) << folder.skipped[0].reason;
  EXPECT_EQ(folder.skipped[1].file, "empty.csv");
  EXPECT_EQ(folder.skipped[2].file, "few.csv");
  EXPECT_NE(folder.skipped[2].reason.find("3 rows"), std::string::npos) << folder.skipped[2].reason;
  EXPECT_EQ(folder.skipped[3].file, "holes.csv");
}

TEST_F(TablesTest, AFolderWithoutTablesIsExplainedAndNothingIsWritten) {
  ExperimentOptions options = Options();
  EXPECT_NE(MessageOf(options, ErrorCode::kBadInput).find("holds no CSV file"), std::string::npos);
  Write("broken.csv", "x,y\n1,2\n2,oops\n");
  EXPECT_NE(MessageOf(options, ErrorCode::kBadInput).find("broken.csv: "), std::string::npos);
  options.data = (path_ / "nowhere").string();
  EXPECT_NE(MessageOf(options, ErrorCode::kBadInput).find("nowhere"), std::string::npos);
  options.data.clear();
  EXPECT_NE(MessageOf(options, ErrorCode::kBadInput).find("needs a folder"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path_ / "out"));
}

TEST_F(TablesTest, WrongOptionsAreExplained) {
  WriteWave("a.csv", 20);
  ExperimentOptions options = Options();
  options.kernels = {"SE", "SEE"};
  EXPECT_NE(MessageOf(options, ErrorCode::kBadInput).find("SEE"), std::string::npos);
  options.kernels = {"SE"};
  options.rows = 1;
  EXPECT_NE(MessageOf(options, ErrorCode::kUsage).find("at least 2"), std::string::npos);
  options.rows = 0;
  options.quick = true;
  try {
    RunExperiment(FindExperiment("map"), options);
    FAIL() << "map took kernels";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_EQ(error.remedies().front().option, "kernel");
  }
  EXPECT_FALSE(std::filesystem::exists(path_ / "out"));
}

TEST_F(TablesTest, RecordsAreTheSameWhateverTheThreadsAndTheOtherFiles) {
  WriteWave("a.csv", 50);
  WriteWave("c.csv", 31);
  ExperimentOptions options = Options();
  options.methods = {"oneshot", "ml"};
  options.threads = 1;
  const std::vector<Record> one = RunExperiment(FindExperiment("tables"), options).records;
  ASSERT_EQ(one.size(), 8U);
  for (const Record& record : one) EXPECT_TRUE(record.ok()) << record.status;
  options.threads = 3;
  options.fresh = true;
  EXPECT_EQ(WithoutTimes(RunExperiment(FindExperiment("tables"), options).records), WithoutTimes(one));
  options.fresh = false;
  WriteWave("b.csv", 12);
  std::vector<Record> more = RunExperiment(FindExperiment("tables"), options).records;
  EXPECT_EQ(more.size(), 12U);
  std::erase_if(more, [](const Record& record) { return record.dataset == "b"; });
  EXPECT_EQ(WithoutTimes(more), WithoutTimes(one));
}

TEST_F(TablesTest, AChangedFileRunsAgainAndAFileThatIsGoneLeavesTheReport) {
  WriteWave("a.csv", 50);
  WriteWave("b.csv", 40);
  ExperimentOptions options = Options();
  options.methods = {"oneshot"};
  const std::vector<Record> before = RunExperiment(FindExperiment("tables"), options).records;
  EXPECT_EQ(RecordsToCsv(RunExperiment(FindExperiment("tables"), options).records), RecordsToCsv(before));
  WriteWave("b.csv", 60);
  const std::vector<Record> after = RunExperiment(FindExperiment("tables"), options).records;
  ASSERT_EQ(after.size(), 4U);
  EXPECT_EQ(after[0].seconds, before[0].seconds);  // kept, not run again
  EXPECT_NE(after[2].rmse, before[2].rmse);
  std::filesystem::remove(path_ / "data" / "a.csv");
  const ExperimentResult rest = RunExperiment(FindExperiment("tables"), options);
  EXPECT_EQ(rest.records.size(), 2U);
  EXPECT_EQ(rest.records[0].dataset, "b");
  options.rows = 10;
  EXPECT_NE(MessageOf(options, ErrorCode::kUsage).find("rows is 20 there and 10 now"), std::string::npos);
}

TEST_F(TablesTest, ABrokenFileAndAKernelForSomeTablesDoNotStopTheOthers) {
  WriteWave("a.csv", 30, "time");
  WriteWave("b.csv", 30);
  Write("broken.csv", "x,y\n1,oops\n");
  ExperimentOptions options = Options();
  options.kernels = {"SE", "PER(time)"};
  options.methods = {"oneshot", "ml", "bare"};
  const ExperimentResult result = RunExperiment(FindExperiment("tables"), options);
  ASSERT_EQ(result.records.size(), 2U * 2 * 2 * 3);
  for (const Record& record : result.records) {
    EXPECT_EQ(record.ok(), record.dataset == "a" || record.structure == "SE") << record.status;
  }
  const std::string& text = result.report.markdown;
  EXPECT_NE(text.find("- broken.csv: "), std::string::npos) << text;
  EXPECT_NE(text.find("- b, PER(time), GP-ML (L-BFGS): 2 of 2 fits: input: "), std::string::npos) << text;
  const nlohmann::json json = nlohmann::json::parse(ReadFile((path_ / "out" / "summary.json").string()));
  EXPECT_EQ(json["tables"].size(), 12U);
  EXPECT_EQ(json["skipped"][0]["file"], "broken.csv");
  for (const char* method : {"oneshot", "ml", "bare"}) {
    EXPECT_EQ(json["summary"][method]["failed"], 2);
    EXPECT_EQ(json["summary"][method]["failures"][0]["table"], "b");
    EXPECT_EQ(json["summary"][method]["compared"], 3);
  }
  EXPECT_EQ(testing::XmlProblem(ReadFile((path_ / "out" / "tables.svg").string())), "");
}

// One-shot inference only adds to the network's answer what the likelihood prefers.
TEST_F(TablesTest, TheNetworkAloneIsNoBetterOnItsTrainingRows) {
  WriteWave("a.csv", 200);
  ExperimentOptions options = Options();
  options.rows = 100;
  options.methods = {"bare", "oneshot"};
  const std::vector<Record> records = RunExperiment(FindExperiment("tables"), options).records;
  ASSERT_EQ(records.size(), 4U);
  for (std::size_t k = 0; k < 4; k += 2) {
    EXPECT_TRUE(records[k].ok() && records[k + 1].ok()) << records[k].status;
    EXPECT_GE(records[k].nlml, records[k + 1].nlml - 1e-9);
    EXPECT_LT(records[k].evaluations, records[k + 1].evaluations);
  }
}

Record Fitted(const std::string& table, int split, const std::string& method, double rmse, double nll,
              double coverage = 0.9, double cpu_seconds = 1) {
  Record r;
  r.dataset = table;
  r.split = split;
  r.structure = "SE";
  r.method = method;
  r.rmse = rmse;
  r.nll = nll;
  r.nlml = 2 * nll;
  r.coverage95 = coverage;
  r.seconds = 2 * cpu_seconds;
  r.cpu_seconds = cpu_seconds;
  return r;
}

Record FailedFit(const std::string& table, int split, const std::string& method) {
  Record r = Fitted(table, split, method, kUnknown, kUnknown, kUnknown, kUnknown);
  r.nlml = kUnknown;
  r.status = "numerical: no factor";
  return r;
}

// Four tables with known answers, and a fifth on which ml fails.
std::vector<Record> MadeUp() {
  return {// ratio 4 of the means 2 and 0.5; NLL 1 above
          Fitted("a", 0, "oneshot", 1, 1, 0.8, 0.1), Fitted("a", 1, "oneshot", 3, 3, 1.0, 0.1),
          Fitted("a", 0, "ml", 0.25, 0), Fitted("a", 1, "ml", 0.75, 2),
          // ratio 1/4; NLL 3 below; split 1 has no partner
          Fitted("b", 0, "oneshot", 0.5, -1, 0.9, 0.4), Fitted("b", 1, "oneshot", 100, 100, 0.9, 50),
          Fitted("b", 0, "ml", 2, 2), FailedFit("b", 1, "ml"),
          // a tie; equal NLL
          Fitted("c", 0, "oneshot", 1.005, 1, 0.9, 0.2), Fitted("c", 0, "ml", 1, 1),
          // one-shot fails
          FailedFit("d", 0, "oneshot"), Fitted("d", 0, "ml", 1, 1),
          // ml fails
          Fitted("e", 0, "oneshot", 7, 7, 0.5), FailedFit("e", 0, "ml")};
}

TEST(MlComparison, RowsAreMeansOfWhatSucceededAndRatiosOfWhatBothDid) {
  const std::vector<TableRow> rows = TableRows(MadeUp());
  ASSERT_EQ(rows.size(), 10U);
  const TableRow &a = rows[0], &b = rows[2], &b_ml = rows[3], &d = rows[6], &e = rows[8];
  EXPECT_EQ(a.method, "oneshot");
  EXPECT_DOUBLE_EQ(a.rmse, 2);
  EXPECT_DOUBLE_EQ(a.nll, 2);
  EXPECT_DOUBLE_EQ(a.nlml, 4);
  EXPECT_DOUBLE_EQ(a.coverage95, 0.9);
  EXPECT_DOUBLE_EQ(a.ms, 200);
  EXPECT_DOUBLE_EQ(a.rmse_ratio, 4);
  EXPECT_DOUBLE_EQ(a.nll_difference, 1);
  EXPECT_DOUBLE_EQ(a.time_ratio, 0.1);
  EXPECT_DOUBLE_EQ(b.rmse, 50.25);
  EXPECT_DOUBLE_EQ(b.rmse_ratio, 0.25);
  EXPECT_DOUBLE_EQ(b.time_ratio, 0.4);
  EXPECT_EQ(b_ml.splits, 2);
  EXPECT_EQ(b_ml.failed, 1);
  EXPECT_EQ(b_ml.status, "numerical: no factor");
  EXPECT_DOUBLE_EQ(b_ml.rmse_ratio, 1);
  EXPECT_TRUE(std::isnan(d.rmse) && std::isnan(d.rmse_ratio));
  EXPECT_DOUBLE_EQ(e.rmse, 7);
  EXPECT_TRUE(std::isnan(e.rmse_ratio) && std::isnan(e.nll_difference) && std::isnan(e.time_ratio));
}

TEST(MlComparison, TheSummaryHasTheKnownAnswer) {
  const std::vector<MethodSummary> summaries = SummarizeMethods(TableRows(MadeUp()));
  ASSERT_EQ(summaries.size(), 2U);
  const MethodSummary &oneshot = summaries[0], &ml = summaries[1];
  EXPECT_EQ(oneshot.method, "oneshot");
  EXPECT_EQ(oneshot.compared, 3);
  EXPECT_NEAR(oneshot.rmse_ratio, std::cbrt(4 * 0.25 * 1.005), 1e-12);
  EXPECT_DOUBLE_EQ(oneshot.worst_ratio, 4);
  EXPECT_EQ(oneshot.worst_table, "a");
  EXPECT_EQ(oneshot.worst_kernel, "SE");
  EXPECT_NEAR(oneshot.nll_difference_mean, (1 - 3 + 0) / 3.0, 1e-12);
  EXPECT_NEAR(oneshot.nll_difference_median, 0, 1e-12);
  EXPECT_NEAR(oneshot.time_ratio, std::cbrt(0.1 * 0.4 * 0.2), 1e-12);
  EXPECT_EQ(oneshot.wins, 1);
  EXPECT_EQ(oneshot.ties, 1);
  EXPECT_EQ(oneshot.losses, 1);
  EXPECT_NEAR(oneshot.coverage95, (0.9 + 0.9 + 0.9 + 0.5) / 4, 1e-12);
  EXPECT_EQ(oneshot.fits, 7);
  EXPECT_EQ(oneshot.failed, 1);
  EXPECT_DOUBLE_EQ(ml.rmse_ratio, 1);
  EXPECT_EQ(ml.ties, 4);
  EXPECT_EQ(ml.failed, 2);
}

TEST(MlComparison, WithoutMlThereAreMeansButNoComparison) {
  std::vector<Record> records = MadeUp();
  std::erase_if(records, [](const Record& record) { return record.method == "ml"; });
  const std::vector<MethodSummary> summaries = SummarizeMethods(TableRows(records));
  ASSERT_EQ(summaries.size(), 1U);
  EXPECT_EQ(summaries[0].compared, 0);
  EXPECT_TRUE(std::isnan(summaries[0].rmse_ratio) && std::isnan(summaries[0].nll_difference_median));
  EXPECT_NEAR(summaries[0].coverage95, 0.8, 1e-12);
  const Report report = TableReport(records, {});
  EXPECT_NE(report.markdown.find("nothing to compare with"), std::string::npos);
  EXPECT_EQ(testing::XmlProblem(report.figures.at(0).second), "");
}

TEST(MlComparison, TheJsonHasItsKeysAndNullWhereThereIsNoNumber) {
  const Report report = TableReport(MadeUp(), {});
  const nlohmann::json json = nlohmann::json::parse(report.json);
  ASSERT_EQ(json["tables"].size(), 10U);
  for (const auto& row : json["tables"]) {
    for (const char* key : {"table", "n", "d", "kernel", "method", "rmse", "nll", "nlml", "coverage95", "ms"}) {
      EXPECT_TRUE(row.contains(key)) << key;
    }
  }
  EXPECT_DOUBLE_EQ(json["tables"][0]["rmse"], 2);
  EXPECT_TRUE(json["tables"][6]["rmse"].is_null());
  EXPECT_EQ(json["tables"][6]["status"], "numerical: no factor");
  for (const char* method : {"oneshot", "ml"}) {
    for (const char* key : {"rmse_ratio_to_ml", "nll_minus_ml", "coverage95", "time_ratio_to_ml"}) {
      EXPECT_TRUE(json["summary"][method][key].is_number()) << method << " " << key;
    }
  }
  EXPECT_EQ(json["summary"]["oneshot"]["worst_table"], "a");
  EXPECT_EQ(json["summary"]["oneshot"]["failures"][0]["table"], "d");
  EXPECT_EQ(testing::XmlProblem(report.figures.at(0).second), "");
}

}  // namespace
}  // namespace instantgp
