#include "instantgp/inference/hypotheses_from_data.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "instantgp/inference/oneshot.h"
#include "instantgp/inference/row_sample.h"
#include "instantgp/inference/wave_scan.h"
#include "instantgp/kernel/parameters.h"

namespace instantgp {
namespace {

// The fine scale: the lengthscale in spacings of the rows, and the noise variance (a standard deviation of 0.17). Not
// measured. Noise is relative to the mean square of the targets.
constexpr double kSpacings = 2, kFineNoise = 0.03;
// Waves to propose. Among the first one, two, six and eight for 400 draws of PER, PER + LIN and PER + SE with at least
// one and a half cycles, 80, 89, 95 and 96 percent have the true period.
constexpr int kWaves = 6;
constexpr std::size_t kWavesOfSeveralColumns = 4;  // of each
// Beside a wave: its noise variance, relative to the wave's. The spread goes down from there.
constexpr double kWaveNoise = 0.1;

}  // namespace

std::vector<int> ColumnsWithPeriods(const Structure& structure) {
  std::vector<int> columns;
  if (structure.dimensions() > kMostColumnsWithWaves) return columns;
  const ParameterTable table(ToExpression(structure));
  for (const int column : structure.columns) {
    if (!table.RowsOf(column, ParameterKind::kPeriod, Elementary::kPER).empty()) columns.push_back(column);
  }
  return columns;
}

std::vector<Wave> WavesOf(const Matrix& X, const Vector& y, int column) {
  const RowSample rows = SpreadSample(X, y, kRankingRows);
  return LikelyWaves(rows.X.col(column), rows.y, kWaves);
}

Matrix WithHypothesesFromData(const Structure& structure, const Matrix& X, const Vector& y, const Matrix& theta,
                              const ColumnWaves* waves, ThreadPool* pool) {
  const int d = structure.dimensions();
  if (d > kMostColumnsWithWaves) return theta;
  const ParameterTable table(ToExpression(structure));
  Index noisiest = 0;
  theta.row(theta.rows() - 1).maxCoeff(&noisiest);
  const double log_scale = std::log(std::max(y.squaredNorm() / static_cast<double>(y.size()), 1e-300));
  std::vector<Vector> extra;
  const auto lengthscales = table.Rows(ParameterKind::kLengthscale, {Elementary::kSE, Elementary::kMAT52});
  if (d == 1 && !lengthscales.empty()) {
    // Hypotheses are compared on that many rows at most: a finer scale would look like noise there.
    const auto rows = std::min<Index>(X.rows(), kRankingRows);
    extra.emplace_back(theta.col(noisiest));
    for (const Index row : lengthscales) extra.back()[row] = std::log(kSpacings / static_cast<double>(rows));
    extra.back()[theta.rows() - 1] = std::log(kFineNoise) + log_scale;
  }
  const std::vector<int> columns = ColumnsWithPeriods(structure);
  std::vector<std::vector<Wave>> along(columns.size());
  RunOn(pool, static_cast<int>(columns.size()), [&](int k, int) {
    const auto at = static_cast<std::size_t>(k);
    along[at] = waves != nullptr ? waves->at(columns[at]) : WavesOf(X, y, columns[at]);
    if (d > 1 && along[at].size() > kWavesOfSeveralColumns) along[at].resize(kWavesOfSeveralColumns);
  });
  const auto add = [&](int column, const Wave& wave, Vector& guess) {
    for (const Index row : table.RowsOf(column, ParameterKind::kPeriod, Elementary::kPER)) {
      guess[row] = -std::log(wave.frequency);
    }
    for (const Index row : table.RowsOf(column, ParameterKind::kLengthscale, Elementary::kPER)) {
      guess[row] = std::log(wave.lengthscale);
    }
    guess[theta.rows() - 1] = std::log(kWaveNoise) + log_scale;
  };
  const Vector beside = theta.col(d == 1 ? noisiest : 0);
  Vector together = beside;  // the likeliest of every column
  int joined = 0;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    for (const Wave& wave : along[k]) add(columns[k], wave, extra.emplace_back(beside));
    if (along[k].empty()) continue;
    add(columns[k], along[k].front(), together);
    ++joined;
  }
  if (joined > 1) extra.push_back(together);
  Matrix all(theta.rows(), theta.cols() + static_cast<Index>(extra.size()));
  all.leftCols(theta.cols()) = theta;
  for (std::size_t k = 0; k < extra.size(); ++k) all.col(theta.cols() + static_cast<Index>(k)) = extra[k];
  return all;
}

}  // namespace instantgp
