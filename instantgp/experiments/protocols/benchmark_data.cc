#include "instantgp/experiments/protocols/benchmark_data.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "instantgp/base/error.h"
#include "instantgp/data/csv.h"

namespace instantgp {
namespace {

std::string Shape(int rows, int inputs) { return std::to_string(rows) + " x " + std::to_string(inputs + 1); }

std::string Describe(const BenchmarkDataset& d, const std::string& problem) {
  return "  " + d.file + ": " + Shape(d.rows, d.inputs) + " with a header, target '" + d.target + "' last; " +
         d.source + (problem.empty() ? "" : " -- " + problem) + "\n";
}

}  // namespace

const std::vector<BenchmarkDataset>& BenchmarkDatasets() {
  static const std::vector<BenchmarkDataset> list = {
      {"Energy", "energy.csv", 768, 8, "heating_load", "UCI Energy Efficiency (archive.ics.uci.edu/dataset/242), Y1",
       500, 0.0830, 0.0800},
      {"Concrete", "concrete.csv", 1030, 8, "compressive_strength",
       "UCI Concrete Compressive Strength (archive.ics.uci.edu/dataset/165)", 500, 0.3635, 0.3755},
      {"Airfoil", "airfoil.csv", 1503, 5, "sound_pressure_level",
       "UCI Airfoil Self-Noise (archive.ics.uci.edu/dataset/291)", 500, 0.4484, 0.5965},
      {"Airline", "airline.csv", 144, 1, "passengers",
       "AirPassengers of R's datasets, months numbered 1..144 (also examples/airline.csv of this project)", 100, 0.2866,
       0.2722},
      {"PowerPlant", "powerplant.csv", 9568, 4, "PE",
       "UCI Combined Cycle Power Plant (archive.ics.uci.edu/dataset/294)", 500, 0.2467, 0.2459},
      {"Yacht", "yacht.csv", 308, 6, "residuary_resistance",
       "UCI Yacht Hydrodynamics (archive.ics.uci.edu/dataset/243)", 250, 0.0606, 0.0602},
      {"Wine", "wine.csv", 1599, 11, "quality", "UCI Wine Quality, red (archive.ics.uci.edu/dataset/186)", 500, 0.9287,
       0.7962}};
  return list;
}

std::string DescribeBenchmarkData() {
  std::string text;
  for (const BenchmarkDataset& d : BenchmarkDatasets()) text += Describe(d, "");
  return text;
}

std::vector<Dataset> LoadBenchmarkData(const std::string& folder) {
  std::error_code ignored;
  if (folder.empty() || !std::filesystem::is_directory(folder, ignored)) {
    throw Error(ErrorCode::kBadInput,
                (folder.empty() ? "this experiment needs the folder of the real datasets"
                                : "there is no folder '" + folder + "'") +
                    std::string(". It must hold (rows x columns):\n") + DescribeBenchmarkData(),
                {{"data", "DIR"}});
  }
  std::vector<Dataset> data;
  std::string report;
  bool complete = true;
  for (const BenchmarkDataset& d : BenchmarkDatasets()) {
    const std::string path = (std::filesystem::path(folder) / d.file).string();
    std::string problem;
    if (!std::filesystem::exists(path, ignored)) {
      problem = "missing";
    } else {
      try {
        Dataset table = ReadCsv(path);
        if (table.rows() != d.rows || table.columns() != d.inputs) {
          problem = "has the shape " + Shape(table.rows(), table.columns());
        }
        data.push_back(std::move(table));
      } catch (const Error& error) {
        problem = error.what();
      }
    }
    complete = complete && problem.empty();
    report += Describe(d, problem);
  }
  if (!complete) {
    throw Error(ErrorCode::kBadInput,
                "the folder '" + folder + "' does not hold the datasets as expected " + "(rows x columns):\n" + report);
  }
  return data;
}

}  // namespace instantgp
