// The experiments: their protocols, and quick runs without any file.
#include "instantgp/experiments/run/experiment.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "instantgp/base/error.h"
#include "instantgp/base/file.h"
#include "instantgp/data/airline.h"
#include "instantgp/experiments/protocols/benchmark_data.h"
#include "instantgp/kernel/structure_list.h"
#include "tests/support/xml.h"

namespace instantgp {
namespace {

namespace fs = std::filesystem;

class ExperimentTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = fs::temp_directory_path() / ("instantgp_experiment_" + std::to_string(::getpid()));
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  void TearDown() override { fs::remove_all(path_); }

  // Files of the right shape with numbers of no meaning.
  std::string FakeData() const {
    const fs::path folder = path_ / "data";
    fs::create_directories(folder);
    for (const BenchmarkDataset& d : BenchmarkDatasets()) {
      std::ofstream file(folder / d.file);
      for (int j = 0; j < d.inputs; ++j) file << "c" << j << ",";
      file << d.target << "\n";
      for (int i = 0; i < d.rows; ++i) {
        for (int j = 0; j < d.inputs; ++j) file << (i * (j + 3)) % 17 << ",";
        file << i % 5 << "\n";
      }
    }
    return folder.string();
  }
  fs::path path_;
};

TEST_F(ExperimentTest, TheBenchmarkIsSevenDatasetsTimesTwentyFourStructures) {
  ExperimentOptions options;
  options.data = FakeData();
  std::set<std::string> datasets, structures;
  const std::vector<Task> tasks = FindExperiment("benchmark").tasks(options);
  for (const Task& task : tasks) {
    datasets.insert(task.dataset);
    structures.insert(task.structure);
  }
  EXPECT_EQ(tasks.size(), 7U * 24);
  EXPECT_EQ(datasets.size(), 7U);
  EXPECT_EQ(structures.size(), 24U);
  EXPECT_EQ(FindExperiment("benchmark").methods,
            (std::vector<std::string>{"oneshot", "bare", "refine", "ml", "adam", "multistart", "map", "svgp"}));
  options.splits = 3;
  EXPECT_EQ(FindExperiment("benchmark").tasks(options).size(), 3U * 7 * 24);
  options.splits = 0;
  EXPECT_EQ(FindExperiment("ahgp").tasks(options).size(), 20U * 7);
  EXPECT_EQ(FindExperiment("ensemble").tasks(options).size(), 7U * 25 + 5);
  EXPECT_EQ(FindExperiment("simulated").tasks({}).size(), 200U);
  EXPECT_EQ(FindExperiment("small-n").tasks({}).size(), 5U * 200);
}

TEST_F(ExperimentTest, PublishedNumbersAndSizesAreThePapers) {
  double amortized = 0, ahgp = 0;
  for (const BenchmarkDataset& d : BenchmarkDatasets()) {
    amortized += d.published_amortized;
    ahgp += d.published_ahgp;
    EXPECT_EQ(d.n_train, d.name == "Airline" ? 100 : d.name == "Yacht" ? 250 : 500);
    EXPECT_LT(d.n_train, d.rows);
  }
  EXPECT_NEAR(amortized, 0.0830 + 0.3635 + 0.4484 + 0.2866 + 0.2467 + 0.0606 + 0.9287, 1e-12);
  EXPECT_NEAR(ahgp, 0.0800 + 0.3755 + 0.5965 + 0.2722 + 0.2459 + 0.0602 + 0.7962, 1e-12);
}

TEST_F(ExperimentTest, MissingDataAreListedWithSourceAndShape) {
  const auto message_for = [&](const std::string& folder) -> std::string {
    ExperimentOptions options;
    options.data = folder;
    options.out = (path_ / "out").string();
    try {
      RunExperiment(FindExperiment("benchmark"), options);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kBadInput);
      return error.what();
    }
    return "";
  };
  const std::string data = FakeData();
  fs::remove(fs::path(data) / "yacht.csv");
  std::ofstream(fs::path(data) / "wine.csv") << "a,b\n1,2\n";
  for (const std::string& folder : {std::string(), (path_ / "nowhere").string(), data}) {
    const std::string message = message_for(folder);
    for (const BenchmarkDataset& d : BenchmarkDatasets()) {
      EXPECT_NE(message.find(d.file), std::string::npos) << message;
      EXPECT_NE(message.find(d.source), std::string::npos);
      EXPECT_NE(message.find(std::to_string(d.rows) + " x " + std::to_string(d.inputs + 1)), std::string::npos);
    }
  }
  EXPECT_NE(message_for(data).find("missing"), std::string::npos);
  EXPECT_NE(message_for(data).find("has the shape 1 x 2"), std::string::npos) << message_for(data);
  EXPECT_FALSE(fs::exists(path_ / "out"));
}

TEST_F(ExperimentTest, EveryQuickRunWorksWithoutFilesAndGoesOnWithoutRepeating) {
  for (const Experiment& experiment : Experiments()) {
    ExperimentOptions options;
    options.quick = true;
    options.out = (path_ / experiment.name).string();
    // Methods that take longer are the same code.
    if (experiment.name == "benchmark" || experiment.name == "map") options.methods = {"oneshot", "ml"};
    if (experiment.name == "finetune")
      options.weights_before = std::string(INSTANTGP_SOURCE_DIR) + "/models/base.safetensors";
    const ExperimentResult result = RunExperiment(experiment, options);
    EXPECT_FALSE(result.records.empty()) << experiment.name;
    for (const Record& record : result.records) {
      EXPECT_TRUE(record.ok()) << experiment.name << ": " << record.status;
      if (std::isnan(record.rmse)) continue;  // symmetry and timings have no test points
      EXPECT_GT(record.rmse, 0);
      EXPECT_TRUE(record.coverage95 >= record.coverage50 && record.coverage95 <= 1);
    }
    for (const std::string& file : result.files) {
      const std::string bytes = ReadFile((path_ / experiment.name / file).string());
      if (file.ends_with(".svg")) {
        EXPECT_EQ(testing::XmlProblem(bytes), "") << file;
      }
    }
    // Nothing is run again: the times are those of the first run.
    EXPECT_EQ(RecordsToCsv(RunExperiment(experiment, options).records), RecordsToCsv(result.records));
  }
}

TEST_F(ExperimentTest, WrongNamesAreExplained) {
  EXPECT_THROW(FindExperiment("benchmrak"), Error);
  ExperimentOptions options;
  options.quick = true;
  options.out = (path_ / "out").string();
  options.methods = {"truth"};  // only where data are simulated
  EXPECT_THROW(RunExperiment(FindExperiment("benchmark"), options), Error);
  options.methods = {"magic"};
  EXPECT_THROW(RunExperiment(FindExperiment("simulated"), options), Error);
  options.methods.clear();
  EXPECT_THROW(RunExperiment(FindExperiment("finetune"), options), Error);  // without the weights before
  EXPECT_FALSE(fs::exists(path_ / "out"));
}

TEST_F(ExperimentTest, AStopKeepsTheRecordsSoFar) {
  std::stop_source source;
  ExperimentOptions options;
  options.quick = true;
  options.threads = 1;
  options.out = (path_ / "out").string();
  options.methods = {"oneshot"};
  options.stop = source.get_token();
  options.progress = [&](int done, int, double) {
    if (done == 3) source.request_stop();
  };
  EXPECT_THROW(RunExperiment(FindExperiment("simulated"), options), Error);
  EXPECT_EQ(RecordsFromCsv(ReadFile((path_ / "out" / "records.csv").string()), "r").size(), 3U);
}

}  // namespace
}  // namespace instantgp
