#include "instantgp/training/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "instantgp/base/error.h"
#include "instantgp/base/file.h"
#include "instantgp/base/rng.h"
#include "tests/training/small_config.h"

namespace instantgp {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryFolder;

LogRecord RandomRecord(std::uint64_t seed) {
  RandomStream random(seed);
  LogRecord record;
  record.step = random.UniformInt(1, 100000);
  record.datasets = record.step * 16;
  record.loss = random.Normal();
  record.learning_rate = random.Uniform() * 1e-3;
  record.validation.score = random.Uniform();
  record.validation.truth = {12, random.Normal(), random.Uniform(), random.Uniform()};
  record.validation.truth_by_d[3] = {4, random.Normal(), random.Normal(), random.Normal()};
  record.selection = random.Uniform();
  if (seed % 2 == 0) return record;
  record.tables.emplace();
  record.tables->score = random.Uniform();
  record.tables->truth = {7, random.Normal(), random.Uniform(), random.Uniform()};
  record.tables->truth_by_d[20] = {7, random.Normal(), random.Normal(), random.Normal()};
  return record;
}

TEST(TrainingLog, JsonLinesRoundTrip) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::string line = ToJsonLine(RandomRecord(seed));
    EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
    EXPECT_EQ(ToJsonLine(ParseJsonLine(line)), line);
  }
  EXPECT_THROW(ParseJsonLine("{\"step\": 1}"), Error);
  EXPECT_THROW(ParseJsonLine("nonsense"), Error);
}

TEST(TrainingLog, CsvHasAsManyCellsAsTheHeader) {
  const std::string header = CsvHeader();
  for (const std::uint64_t seed : {1, 2}) {  // with and without tables
    const std::string line = ToCsvLine(RandomRecord(seed));
    EXPECT_EQ(std::count(header.begin(), header.end(), ','), std::count(line.begin(), line.end(), ','));
  }
  EXPECT_THAT(header, HasSubstr("tables_score,tables_failed,tables_gap_mean,tables_gap_median,tables_gap_p90"));
}

TEST(TrainingLog, ContinuesAtThePositionOfTheCheckpoint) {
  TemporaryFolder folder;
  std::int64_t csv_bytes = 0, jsonl_bytes = 0;
  {
    TrainingLog log(folder.path(), 0, 0);
    log.Append(RandomRecord(1));
    log.Append(RandomRecord(2));
    csv_bytes = log.csv_bytes();
    jsonl_bytes = log.jsonl_bytes();
    log.Append(RandomRecord(3));  // after the checkpoint: lost in the crash
  }
  TrainingLog log(folder.path(), csv_bytes, jsonl_bytes);
  ASSERT_EQ(log.records().size(), 2u);
  EXPECT_EQ(ToJsonLine(log.records()[1]), ToJsonLine(RandomRecord(2)));
  log.Append(RandomRecord(4));
  EXPECT_EQ(ReadFile(folder / "log.csv"),
            CsvHeader() + ToCsvLine(RandomRecord(1)) + ToCsvLine(RandomRecord(2)) + ToCsvLine(RandomRecord(4)));
  EXPECT_EQ(ReadFile(folder / "log.jsonl"),
            ToJsonLine(RandomRecord(1)) + ToJsonLine(RandomRecord(2)) + ToJsonLine(RandomRecord(4)));
}

TEST(TrainingLog, CurveShowsEveryGap) {
  std::vector<LogRecord> records;
  for (std::uint64_t seed = 0; seed < 5; ++seed) records.push_back(RandomRecord(seed));
  const std::string svg = LearningCurveSvg(records);
  for (const char* text : {"<svg", "mean", "median", "90th percentile", "thousand datasets", "mean on tables"}) {
    EXPECT_THAT(svg, HasSubstr(text));
  }
  EXPECT_THAT(LearningCurveSvg({}), HasSubstr("<svg"));
}

}  // namespace
}  // namespace instantgp
