#include "instantgp/inference/trained_network.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "instantgp/base/error.h"
#include "instantgp/base/stopwatch.h"
#include "instantgp/inference/row_sample.h"

namespace instantgp {
namespace {

// The structure with columns counted among those the network read.
Structure AmongRead(const Structure& structure, const std::vector<int>& read) {
  Structure local = structure;
  for (int& column : local.columns) {
    const auto found = std::lower_bound(read.begin(), read.end(), column);
    if (found == read.end() || *found != column) {
      throw Error(ErrorCode::kBadInput, "the structure uses column " + std::to_string(column + 1) +
                                            ", which this encoding has not read; encode the data with that column");
    }
    column = static_cast<int>(found - read.begin());
  }
  return local;
}

int RowsRead(const NetworkConfig& config, int n, int most_rows) {
  const bool ahgp_baseline = config.family == NetworkFamily::kAhgp;
  if (most_rows == 0) most_rows = ahgp_baseline ? config.trained_max_n : RowsReadForOneFit(n);
  return std::min({n, most_rows, config.trained_max_n});
}

void WarnBeyondRange(const NetworkConfig& config, int n, int read, int d, std::vector<std::string>& warnings) {
  if (n > config.trained_max_n) {
    warnings.push_back(std::to_string(n) + " rows are beyond the " + std::to_string(config.trained_max_n) +
                       " the network was trained on: it read " + std::to_string(read) +
                       " of them, spread over the data; the Gaussian process keeps all");
  }
  if (d > config.trained_max_d) {
    warnings.push_back(std::to_string(d) + " columns are beyond the " + std::to_string(config.trained_max_d) +
                       " the network was trained on: check the answer against --method refine or ml");
  }
}

}  // namespace

int RowsReadForOneFit(int n) { return std::min(n, std::clamp(n / 3, 64, 128)); }

TrainedNetwork::TrainedNetwork(NetworkWeights weights)
    : weights_(std::move(weights)), network_(NetworkConfig(weights_.config)) {}

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
  Encoding out;
  Stopwatch clock;
  out.scaler = Scaler::Fit(data.X, data.y);
  out.X = out.scaler.ScaleX(data.X);
  out.y = out.scaler.ScaleY(data.y);
  out.column_names = data.column_names;
  out.target_name = data.target_name;
  out.scale_ms = clock.Milliseconds();

  clock = Stopwatch();
  if (columns.empty()) {
    columns.resize(data.columns());
    std::iota(columns.begin(), columns.end(), 0);
  }
  const NetworkConfig& config = weights_.config;
  out.rows_read = RowsRead(config, data.rows(), most_rows);
  WarnBeyondRange(config, data.rows(), out.rows_read, static_cast<int>(columns.size()), out.warnings);
  out.columns = std::move(columns);
  const bool every_column = static_cast<int>(out.columns.size()) == data.columns();
  out.embedding = Embed(every_column ? out.X : Matrix(out.X(Eigen::all, out.columns)), out.y, pool, most_rows);
  out.encode_ms = clock.Milliseconds();
  return out;
}

Embedding<float> TrainedNetwork::Embed(const Matrix& X, const Vector& y, ThreadPool* pool, int most_rows) const {
  Workspace<float> workspace;
  Embedding<float> embedding;
  const RowSample rows = SpreadSample(X, y, RowsRead(weights_.config, static_cast<int>(X.rows()), most_rows));
  network_.Encode(weights_.values.data(), rows.X, rows.y, workspace, &embedding, pool);
  return embedding;
}

Matrix TrainedNetwork::Decode(const Encoding& encoding, const Structure& structure, ThreadPool* pool) const {
  Workspace<float> workspace;
  Matrix theta;
  network_.Decode(weights_.values.data(), encoding.embedding, AmongRead(structure, encoding.columns), workspace, &theta,
                  pool);
  return theta;
}

std::vector<Matrix> TrainedNetwork::Decode(const Encoding& encoding, std::span<const Structure> structures) const {
  std::vector<Structure> local;
  local.reserve(structures.size());
  for (const Structure& structure : structures) local.push_back(AmongRead(structure, encoding.columns));
  Workspace<float> workspace;
  std::vector<Matrix> thetas;
  network_.DecodeBatch(weights_.values.data(), encoding.embedding, local, workspace, &thetas);
  return thetas;
}

}  // namespace instantgp
