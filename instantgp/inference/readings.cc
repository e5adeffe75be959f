#include "instantgp/inference/readings.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "instantgp/base/error.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/data/scaled_table.h"
#include "instantgp/inference/oneshot.h"
#include "instantgp/inference/rescaled_parameters.h"
#include "instantgp/inference/row_sample.h"

namespace instantgp {
namespace {

constexpr int kReadingRows = 500;
constexpr int kLeastReadingRows = 200;  // fewer say too little about many columns
constexpr int kRandomReadings = 4;
constexpr int kReadingsPerZoom = 2;

struct ReadingPart {
  std::vector<int> rows;
  int zoom = 1;
};

std::vector<ReadingPart> PartsToRead(const RowTree& tree, const Structure& structure, const std::vector<int>& order,
                                     ThreadPool* pool) {
  const int n = tree.rows(), most = std::min(n, kReadingRows);
  const auto row = [&](std::int64_t k) { return order[static_cast<std::size_t>(k % n)]; };
  std::vector<ReadingPart> parts;
  std::int64_t used = 0;
  for (int r = 0; r < (most == n ? 1 : kRandomReadings); ++r) {
    ReadingPart part;
    for (int i = 0; i < most; ++i) part.rows.push_back(row(used++));
    parts.push_back(std::move(part));
  }
  Nearness alike;
  for (const int column : structure.columns) alike.push_back({column, 1, 0});
  std::vector<std::pair<int, int>> centres;  // row, zoom
  for (int zoom = 10, last = n; zoom <= 1000; zoom *= 10) {
    const int near = std::max(n / zoom, kLeastReadingRows);
    if (near >= last) break;
    last = near;
    for (int k = 0; k < kReadingsPerZoom; ++k) centres.emplace_back(row(used++), zoom);
  }
  const std::size_t random = parts.size();
  parts.resize(random + centres.size());
  RunOn(pool, static_cast<int>(centres.size()), [&](int k, int) {
    const auto [centre, zoom] = centres[static_cast<std::size_t>(k)];
    const Vector x = tree.X().row(centre).transpose();
    NearestScratch scratch;
    std::vector<int> near;
    tree.Nearest(x.data(), alike, {.count = std::max(n / zoom, kLeastReadingRows)}, scratch, near);
    ReadingPart& part = parts[random + static_cast<std::size_t>(k)];
    part.zoom = zoom;
    const std::size_t take = std::min<std::size_t>(near.size(), kReadingRows);
    for (std::size_t i = 0; i < take; ++i) part.rows.push_back(near[(2 * i + 1) * near.size() / (2 * take)]);
  });
  return parts;
}

std::optional<Reading> ReadPart(const TrainedNetwork& network, const RowTree& tree, const Structure& structure,
                                const ReadingPart& part) {
  const ScaledTable table = Scaled(Dataset::Of(SelectRows(tree.X(), part.rows), SelectRows(tree.y(), part.rows)));
  try {
    const Encoding encoding = network.Encode(table, structure.columns);
    const OneShot found = InferOneShot(network, encoding, structure);
    const Matrix theta = InOuterUnits(found.posterior.expression(), found.posterior.theta(), table.scaler);
    if (!theta.allFinite()) return std::nullopt;
    return Reading{LogParameters(theta.col(0)), part.zoom, static_cast<int>(part.rows.size())};
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kNumerical) throw;
    return std::nullopt;
  }
}

}  // namespace

std::vector<Reading> ReadAtSeveralScales(const TrainedNetwork& network, const RowTree& tree, const Structure& structure,
                                         const std::vector<int>& order, ThreadPool* pool, const std::stop_token& stop) {
  const std::vector<ReadingPart> parts = PartsToRead(tree, structure, order, pool);
  std::vector<std::optional<Reading>> read(parts.size());
  RunOn(pool, static_cast<int>(parts.size()), [&](int k, int) {
    if (!stop.stop_requested()) read[k] = ReadPart(network, tree, structure, parts[k]);
  });
  std::vector<Reading> readings;
  for (std::optional<Reading>& reading : read) {
    if (reading) readings.push_back(*std::move(reading));
  }
  if (readings.empty() && !stop.stop_requested()) {
    throw Error(ErrorCode::kNumerical,
                "none of the " + std::to_string(parts.size()) +
                    " parts of the table that were read gave parameters whose covariance can be factorised. Look for "
                    "extreme values.");
  }
  return readings;
}

}  // namespace instantgp
