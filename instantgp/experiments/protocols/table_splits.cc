#include "instantgp/experiments/protocols/table_splits.h"

#include <utility>

#include "instantgp/base/check.h"
#include "instantgp/experiments/protocols/protocols.h"
#include "instantgp/experiments/protocols/table_folder.h"

namespace instantgp {
namespace {

constexpr double kTestShare = 0.5;
constexpr int kTrainingRows = 500;  // as in the paper's benchmark
constexpr int kQuickTrainingRows = 100;
constexpr int kTableSplits = 3;
// Added to the seed of the choice of training rows, which would else repeat the numbers that chose the test rows.
constexpr std::uint64_t kTrainingChoice = 0x7461'626c'6500'0000;

}  // namespace

int MostTrainingRows(const ExperimentOptions& options) {
  if (options.rows > 0) return options.rows;
  return options.quick ? kQuickTrainingRows : kTrainingRows;
}

Split TableSplit(int n, int most_train, std::uint64_t seed) {
  Split split = HoldoutSplit(n, kTestShare, seed);
  const int available = static_cast<int>(split.train.size());
  if (available <= most_train) return split;
  std::vector<int> chosen;
  for (int k : CountSplit(available, most_train, 0, seed + kTrainingChoice).train) {
    chosen.push_back(split.train[static_cast<std::size_t>(k)]);
  }
  split.train = std::move(chosen);
  return split;
}

std::vector<RealSplit> TableSplits(const ExperimentOptions& options) {
  INSTANTGP_CHECK(options.tables != nullptr);
  const int splits = options.splits > 0 ? options.splits : options.quick ? 1 : kTableSplits;
  std::vector<RealSplit> list;
  for (const FolderTable& table : options.tables->tables) {
    for (int split = 0; split < splits; ++split) {
      const std::uint64_t seed = SplitSeed(options.seed, split);
      list.push_back(
          {table.name, split, seed, TableSplit(table.data->rows(), MostTrainingRows(options), seed), table.data});
    }
  }
  return list;
}

}  // namespace instantgp
