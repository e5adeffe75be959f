#include "instantgp/training/batch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>

#include "instantgp/base/check.h"
#include "instantgp/base/error.h"
#include "instantgp/base/rng.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/inference/ranking.h"
#include "instantgp/simulate/distribution.h"
#include "instantgp/training/curriculum.h"
#include "instantgp/training/loss.h"
#include "instantgp/training/mixture.h"

namespace instantgp {

// Gradients are summed in blocks of this many weights: the sums stay in the first-level cache.
constexpr std::size_t kBlock = 2048;

struct BatchEngine::Worker {
  Workspace<float> network;
  LossWorkspace loss;
  SimulationWorkspace simulation;
  Matrix theta;
  Matrix dtheta;
};

struct BatchEngine::Batch {
  BatchSource source;
  LanePlan plan;
  std::vector<int> own_items;       // places this rank works on
  std::vector<Simulated> datasets;  // per place; empty when another rank's or when no covariance could be factorised
};

BatchEngine::BatchEngine(const TrainingConfig& config, const Network<float>& network, ThreadPool& pool,
                         Communicator& communicator)
    : config_(config),
      network_(network),
      pool_(pool),
      communicator_(communicator),
      own_(LanesOfRank(config.lanes, communicator.rank(), communicator.size())) {
  if (communicator.size() > config.lanes) {
    throw Error(ErrorCode::kUsage, "there are " + std::to_string(communicator.size()) + " processes but only " +
                                       std::to_string(config.lanes) +
                                       " lanes to share out; raise 'lanes' (and 'batch') or start fewer processes");
  }
  for (int i = 0; i < pool.threads(); ++i) workers_.push_back(std::make_unique<Worker>());
  for (int lane = own_.first; lane < own_.last; ++lane) {
    lane_gradients_.push_back(std::make_unique_for_overwrite<float[]>(network.num_weights()));
  }
  lane_results_.resize(lane_gradients_.size());
  gradient_.resize(network.num_weights());
}

BatchEngine::~BatchEngine() = default;

std::unique_ptr<BatchEngine::Batch> BatchEngine::Plan(const BatchSource& source) const {
  auto batch = std::make_unique<Batch>();
  batch->source = source;
  std::vector<double> costs(config_.batch);
  for (int item = 0; item < config_.batch; ++item) {
    const std::uint64_t index = source.first + item;
    const SimulatedSize size = DrawTrainingSize(config_, source.stage, index);
    costs[item] = EstimateCost(network_, size.n, size.d);
  }
  batch->plan = AssignLanes(costs, config_.lanes);
  for (int lane = own_.first; lane < own_.last; ++lane) {
    const std::vector<int>& members = batch->plan.members[lane];
    batch->own_items.insert(batch->own_items.end(), members.begin(), members.end());
  }
  batch->datasets.resize(config_.batch);
  return batch;
}

void BatchEngine::Draw(Batch& batch, int item, Worker& worker) const {
  const std::uint64_t index = batch.source.first + item;
  try {
    batch.datasets[item] = DrawTrainingDataset(config_, batch.source.stage, index, &worker.simulation);
    batch.datasets[item].given = network_.Asked(batch.datasets[item].given);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kNumerical) throw;
  }
}

void BatchEngine::Load(const BatchSource& source) {
  batch_ = Plan(source);
  pool_.Run(static_cast<int>(batch_->own_items.size()),
            [&](int i, int worker) { Draw(*batch_, batch_->own_items[i], *workers_[worker]); });
}

void BatchEngine::RunLane(const float* weights, const Batch& batch, int lane, Worker& worker) {
  float* gradient = lane_gradients_[lane - own_.first].get();
  std::memset(gradient, 0, network_.num_weights() * sizeof(float));
  BatchResult& result = lane_results_[lane - own_.first];
  result = {};
  for (const int item : batch.plan.members[lane]) {
    const Simulated& data = batch.datasets[item];
    if (data.y.size() == 0) {
      ++result.skipped;
      continue;
    }
    network_.Forward(weights, data.X, data.y, data.given, worker.network, &worker.theta);
    RandomStream random(config_.seed, batch.source.first + item, kLossSubstream);
    const DatasetLoss loss = EvaluateLoss(config_.loss, data.given, data.X, data.y, data.theta.noise(), worker.theta,
                                          ScaleOf(network_.config()), random, worker.loss, &worker.dtheta);
    if (!loss.ok) {
      ++result.skipped;
      continue;
    }
    network_.Backward(weights, worker.dtheta, worker.network, gradient);
    result.loss += loss.loss;
    ++result.used;
    result.clipped += loss.clipped;
  }
}

BatchResult BatchEngine::Compute(const float* weights, const BatchSource& next, std::span<double> shared) {
  INSTANTGP_CHECK(batch_ != nullptr);
  std::vector<int> lanes(own_.last - own_.first);
  std::iota(lanes.begin(), lanes.end(), own_.first);
  const std::vector<double>& cost = batch_->plan.cost;
  std::stable_sort(lanes.begin(), lanes.end(), [&](int a, int b) { return cost[a] > cost[b]; });

  std::unique_ptr<Batch> following = Plan(next);
  const int lane_tasks = static_cast<int>(lanes.size());
  pool_.Run(lane_tasks + static_cast<int>(following->own_items.size()), [&](int task, int worker) {
    if (task < lane_tasks) {
      RunLane(weights, *batch_, lanes[task], *workers_[worker]);
    } else {
      Draw(*following, following->own_items[task - lane_tasks], *workers_[worker]);
    }
  });

  BatchResult result;
  for (const BatchResult& lane : lane_results_) {
    result.loss += lane.loss;
    result.used += lane.used;
    result.skipped += lane.skipped;
    result.clipped += lane.clipped;
  }
  SumLanes(result, shared);
  batch_ = std::move(following);
  return result;
}

// sums[i] = sum over lanes of lane[begin + i]: lanes in the outer loop, so that the inner one is a vector loop.
void BatchEngine::SumBlock(std::size_t begin, std::size_t count, double* sums) const {
  std::fill_n(sums, count, 0.0);
  for (const auto& lane : lane_gradients_) {
    const float* __restrict from = lane.get() + begin;
    for (std::size_t i = 0; i < count; ++i) sums[i] += static_cast<double>(from[i]);
  }
}

void BatchEngine::SumLanes(BatchResult& result, std::span<double> shared) {
  const std::size_t size = gradient_.size();
  const int blocks = static_cast<int>((size + kBlock - 1) / kBlock);
  const bool alone = communicator_.size() == 1;
  if (!alone) {
    reduced_.resize(size + 4 + shared.size());
    pool_.Run(blocks, [&](int block, int) {
      const std::size_t begin = block * kBlock;
      SumBlock(begin, std::min(kBlock, size - begin), reduced_.data() + begin);
    });
    double* tail = reduced_.data() + size;
    tail[0] = result.loss, tail[1] = result.used, tail[2] = result.skipped, tail[3] = result.clipped;
    std::copy(shared.begin(), shared.end(), tail + 4);
    communicator_.AllReduceSum(reduced_.data(), reduced_.size());
    result.loss = tail[0];
    result.used = static_cast<int>(tail[1]);
    result.skipped = static_cast<int>(tail[2]);
    result.clipped = static_cast<int>(tail[3]);
    std::copy(tail + 4, tail + 4 + shared.size(), shared.begin());
  }

  std::vector<double> squares(blocks);  // summed in block order: the norm too does not depend on the threads
  pool_.Run(blocks, [&](int block, int) {
    const std::size_t begin = block * kBlock;
    const std::size_t count = std::min(kBlock, size - begin);
    std::array<double, kBlock> own;
    if (alone) SumBlock(begin, count, own.data());
    const double* sums = alone ? own.data() : reduced_.data() + begin;
    double square = 0;
    for (std::size_t i = 0; i < count; ++i) {
      gradient_[begin + i] = static_cast<float>(sums[i]);
      square += sums[i] * sums[i];
    }
    squares[block] = square;
  });
  result.norm = std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0)) / std::max(1, result.used);
}

}  // namespace instantgp
