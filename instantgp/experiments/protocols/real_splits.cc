#include "instantgp/experiments/protocols/real_splits.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "instantgp/data/airline.h"
#include "instantgp/experiments/protocols/benchmark_data.h"
#include "instantgp/experiments/protocols/protocols.h"
#include "instantgp/experiments/run/score.h"

namespace instantgp {
namespace {

constexpr int kQuickRows = 100;  // of each part

}  // namespace

std::vector<RealSplit> RealSplits(const ExperimentOptions& options, int splits) {
  const bool only_airline = options.quick && options.data.empty();
  std::vector<Dataset> tables;
  if (!only_airline) tables = LoadBenchmarkData(options.data);
  std::vector<RealSplit> list;
  for (std::size_t k = 0; k < BenchmarkDatasets().size(); ++k) {
    const BenchmarkDataset& about = BenchmarkDatasets()[k];
    if (only_airline && about.name != "Airline") continue;
    const auto table = std::make_shared<const Dataset>(only_airline ? AirlineExample() : std::move(tables[k]));
    const int n_train = options.quick ? std::min(about.n_train, kQuickRows) : about.n_train;
    for (int split = 0; split < splits; ++split) {
      const std::uint64_t seed = SplitSeed(options.seed, split);
      list.push_back({about.name, split, seed,
                      CountSplit(table->rows(), n_train, options.quick ? kQuickRows : kMaxTestRows, seed), table});
    }
  }
  return list;
}

double RelativeCost(const RealSplit& split, std::size_t addends) {
  return std::pow(static_cast<double>(split.rows.train.size()), 2.5) * static_cast<double>(addends) *
         split.table->columns();
}

Task FitTask(const RealSplit& part, const std::string& kernel, double cost, const ExperimentOptions& options) {
  const FitSettings settings{part.seed, options.stop, options.network};
  return {part.dataset, part.split, kernel, cost, {}, [part, settings, kernel](const std::string& method) {
            return FitAndScore(part.Train(), part.Test(), kernel, method, settings);
          }};
}

std::vector<Task> RealTasks(const ExperimentOptions& options, const std::vector<ColumnSymbols>& structures,
                            int splits) {
  std::vector<Task> tasks;
  for (const RealSplit& part : RealSplits(options, splits)) {
    for (const ColumnSymbols& symbols : structures) {
      tasks.push_back(FitTask(part, ShorthandText(symbols), RelativeCost(part, symbols.size()), options));
    }
  }
  return tasks;
}

}  // namespace instantgp
