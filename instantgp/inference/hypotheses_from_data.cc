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
// measured.
constexpr double kSpacings = 2, kFineNoise = 0.03;
// Waves to propose. Among the first one, two, six and eight for 400 draws of PER, PER + LIN and PER + SE with at least
// one and a half cycles, 80, 89, 95 and 96 percent have the true period.
constexpr int kWaves = 6;
// Beside a wave: its noise variance, relative to the wave's. The spread divides it by 10 and 100.
constexpr double kWaveNoise = 0.1;

}  // namespace

bool AsksForWaves(const Structure& structure) {
  return structure.dimensions() == 1 &&
         !ParameterTable(ToExpression(structure)).Rows(ParameterKind::kPeriod, {Elementary::kPER}).empty();
}

std::vector<Wave> WavesOf(const Matrix& X, const Vector& y, int column) {
  const RowSample rows = SpreadSample(X, y, kRankingRows);
  return LikelyWaves(rows.X.col(column), rows.y, kWaves);
}

Matrix WithHypothesesFromData(const Structure& structure, const Matrix& X, const Vector& y, const Matrix& theta,
                              const std::vector<Wave>* waves) {
  if (structure.dimensions() != 1) return theta;
  const ParameterTable table(ToExpression(structure));
  Index noisiest = 0;
  theta.row(theta.rows() - 1).maxCoeff(&noisiest);
  std::vector<Vector> extra;
  const auto lengthscales = table.Rows(ParameterKind::kLengthscale, {Elementary::kSE, Elementary::kMAT52});
  if (!lengthscales.empty()) {
    // Hypotheses are compared on that many rows at most: a finer scale would look like noise there.
    const auto rows = std::min<Index>(X.rows(), kRankingRows);
    extra.emplace_back(theta.col(noisiest));
    for (const Index row : lengthscales) extra.back()[row] = std::log(kSpacings / static_cast<double>(rows));
    extra.back()[theta.rows() - 1] = std::log(kFineNoise);
  }
  const auto periods = table.Rows(ParameterKind::kPeriod, {Elementary::kPER});
  if (!periods.empty()) {
    for (const Wave& wave : waves != nullptr ? *waves : WavesOf(X, y, structure.columns[0])) {
      extra.emplace_back(theta.col(noisiest));
      for (const Index row : periods) extra.back()[row] = -std::log(wave.frequency);
      for (const Index row : table.Rows(ParameterKind::kLengthscale, {Elementary::kPER})) {
        extra.back()[row] = std::log(wave.lengthscale);
      }
      extra.back()[theta.rows() - 1] = std::log(kWaveNoise);
    }
  }
  Matrix all(theta.rows(), theta.cols() + static_cast<Index>(extra.size()));
  all.leftCols(theta.cols()) = theta;
  for (std::size_t k = 0; k < extra.size(); ++k) all.col(theta.cols() + static_cast<Index>(k)) = extra[k];
  return all;
}

}  // namespace instantgp
