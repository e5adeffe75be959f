#include "instantgp/inference/trained_network.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "instantgp/base/error.h"
#include "instantgp/base/stopwatch.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/inference/embedded_weights.h"
#include "instantgp/inference/row_sample.h"
#include "instantgp/network/network.h"
#include "instantgp/network/weights.h"

namespace instantgp {
namespace {

// The structure with columns counted among those the network read.
Structure AmongRead(const Structure& structure, const std::vector<int>& read) {
  Structure local = structure;
  for (int& column : local.columns) {
    const auto found = std::lower_bound(read.begin(), read.end(), column);
    if (found == read.end() || *found != column) {
      throw Error(ErrorCode::kBadInput, "the structure uses column " + std::to_string(column + 1) +
                                            ", which is not part of this encoding; encode the data with that column");
    }
    column = static_cast<int>(found - read.begin());
  }
  return local;
}

int RowsRead(const NetworkConfig& config, int n, int most_rows) {
  const bool ahgp = config.family == NetworkFamily::kAhgp;
  if (most_rows == 0) most_rows = ahgp ? config.trained_max_n : RowsReadForOneFit(n);
  return std::min({n, most_rows, config.trained_max_n});
}

void WarnBeyondRange(const NetworkConfig& config, int n, int read, int d, std::vector<std::string>& warnings) {
  if (n > config.trained_max_n) {
    warnings.push_back(std::to_string(n) + " rows are more than the " + std::to_string(config.trained_max_n) +
                       " the network was trained on: it read " + std::to_string(read) +
                       " of them, spread over the data; the Gaussian process uses all");
  }
  if (d > config.trained_max_d) {
    warnings.push_back(std::to_string(d) + " columns are more than the " + std::to_string(config.trained_max_d) +
                       " the network was trained on: check the answer against the method refine or ml");
  }
}

}  // namespace

int RowsReadForOneFit(int n) { return std::min(n, std::clamp(n / 3, 64, 128)); }

struct TrainedNetwork::Parts {
  explicit Parts(NetworkWeights given) : weights(std::move(given)), network(NetworkConfig(weights.config)) {}
  NetworkWeights weights;
  Network<float> network;
};

TrainedNetwork::TrainedNetwork(NetworkWeights weights) : parts_(std::make_shared<const Parts>(std::move(weights))) {}

const NetworkConfig& TrainedNetwork::config() const { return parts_->weights.config; }
std::size_t TrainedNetwork::num_weights() const { return parts_->weights.values.size(); }
std::int64_t TrainedNetwork::datasets_seen() const { return parts_->weights.datasets_seen; }
const std::map<std::string, double>& TrainedNetwork::validation() const { return parts_->weights.validation; }
const StepWeights& TrainedNetwork::steps() const { return parts_->weights.steps; }

TrainedNetwork TrainedNetwork::Load(const std::string& path) { return TrainedNetwork(LoadWeights(path)); }

const TrainedNetwork& TrainedNetwork::Embedded() {
  static const TrainedNetwork network(ParseWeights(EmbeddedWeights(), "the embedded weights"));
  return network;
}

const TrainedNetwork& TrainedNetwork::EmbeddedAhgp() {
  static const TrainedNetwork network(ParseWeights(EmbeddedAhgpWeights(), "the embedded AHGP-SE-ARD weights"));
  return network;
}

Encoding TrainedNetwork::Encode(const Dataset& data, std::vector<int> columns, ThreadPool* pool, int most_rows) const {
  return Encode(Scaled(data), std::move(columns), pool, most_rows);
}

Encoding TrainedNetwork::Encode(ScaledTable table, std::vector<int> columns, ThreadPool* pool, int most_rows) const {
  const Stopwatch clock;
  Encoding out{std::move(table), {}, 0, {}, 0};
  if (columns.empty()) {
    columns.resize(out.columns());
    std::iota(columns.begin(), columns.end(), 0);
  }
  const NetworkConfig& config = this->config();
  out.rows_read = RowsRead(config, out.rows(), most_rows);
  WarnBeyondRange(config, out.rows(), out.rows_read, static_cast<int>(columns.size()), out.warnings);
  out.columns_read = std::move(columns);
  const bool every_column = static_cast<int>(out.columns_read.size()) == out.columns();
  const RowSample rows =
      SpreadSample(every_column ? out.X : Matrix(out.X(Eigen::all, out.columns_read)), out.y, out.rows_read);
  Workspace<float> workspace;
  Embedding<float> embedding;
  parts_->network.Encode(parts_->weights.values.data(), rows.X, rows.y, workspace, &embedding, pool);
  out.embedding = std::make_shared<const Embedding<float>>(std::move(embedding));
  out.encode_ms = clock.Milliseconds();
  return out;
}

Matrix TrainedNetwork::Decode(const Encoding& encoding, const Structure& structure, ThreadPool* pool) const {
  Workspace<float> workspace;
  Matrix theta;
  parts_->network.Decode(parts_->weights.values.data(), *encoding.embedding,
                         AmongRead(structure, encoding.columns_read), workspace, &theta, pool);
  return theta;
}

std::vector<Matrix> TrainedNetwork::Decode(const Encoding& encoding, std::span<const Structure> structures) const {
  std::vector<Structure> local;
  local.reserve(structures.size());
  for (const Structure& structure : structures) local.push_back(AmongRead(structure, encoding.columns_read));
  Workspace<float> workspace;
  std::vector<Matrix> thetas;
  parts_->network.DecodeBatch(parts_->weights.values.data(), *encoding.embedding, local, workspace, &thetas);
  return thetas;
}

}  // namespace instantgp
