// The gradient of a batch: each dataset alone through the network, lanes over threads and ranks, no padding.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "instantgp/base/thread_pool.h"
#include "instantgp/network/network.h"
#include "instantgp/training/communicator.h"
#include "instantgp/training/config.h"
#include "instantgp/training/lanes.h"

namespace instantgp {

// Sums over the datasets of a batch, all ranks.
struct BatchResult {
  double loss = 0;  // sum over the datasets used
  int used = 0;
  int skipped = 0;  // no factorisation, or no finite gradient
  int clipped = 0;  // gradient at the outputs brought down to its bound
  double norm = 0;  // of the mean gradient
};

// Which datasets a batch holds: indices first .. first + batch - 1 of the run, drawn from `stage`.
struct BatchSource {
  std::uint64_t first = 0;
  CurriculumStage stage;
};

// Datasets are drawn while the batch before is being worked on, as small tasks that fill the gaps between lanes. A
// dataset's lane depends on its size alone; lanes are summed in double in their order, so the sum does not depend on
// the number of threads and, but for the last bit, not on the number of ranks.
class BatchEngine {
 public:
  // All referenced objects must outlive the engine. Error(kUsage) when there are more ranks than lanes.
  BatchEngine(const TrainingConfig& config, const Network<float>& network, ThreadPool& pool,
              Communicator& communicator);
  ~BatchEngine();

  // Draws the batch that the next Compute works on.
  void Load(const BatchSource& source);

  // Leaves the summed gradient of the loaded batch in gradient() and draws `next`. `shared` is summed over the ranks on
  // the way.
  BatchResult Compute(const float* weights, const BatchSource& next, std::span<double> shared);

  // Sum (not mean) over the datasets used.
  const std::vector<float>& gradient() const { return gradient_; }

 private:
  struct Worker;
  struct Batch;

  std::unique_ptr<Batch> Plan(const BatchSource& source) const;
  void Draw(Batch& batch, int item, Worker& worker) const;
  void RunLane(const float* weights, const Batch& batch, int lane, Worker& worker);
  void SumBlock(std::size_t begin, std::size_t count, double* sums) const;
  void SumLanes(BatchResult& result, std::span<double> shared);

  const TrainingConfig& config_;
  const Network<float>& network_;
  ThreadPool& pool_;
  Communicator& communicator_;
  LaneRange own_;
  std::vector<std::unique_ptr<Worker>> workers_;          // per thread
  std::vector<std::unique_ptr<float[]>> lane_gradients_;  // per own lane
  std::vector<BatchResult> lane_results_;                 // per own lane
  std::unique_ptr<Batch> batch_;
  std::vector<float> gradient_;
  std::vector<double> reduced_;  // with several ranks: the sums on their way through AllReduceSum
};

}  // namespace instantgp
