#include "instantgp/simulate/tables.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "instantgp/base/error.h"
#include "instantgp/base/resize.h"
#include "instantgp/gp/cholesky.h"
#include "instantgp/gp/covariance.h"
#include "instantgp/kernel/structure_list.h"
#include "instantgp/simulate/table_inputs.h"
#include "instantgp/simulate/table_parameters.h"

namespace instantgp {
namespace {

// Streams of their own, apart from those of Simulate and of training.
constexpr std::uint32_t kTableSubstream = 2000;

// Log-uniform, each half of the tables: the median is where the ranges meet.
constexpr double kLeastNoise = 0.003, kMedianNoise = 0.15, kMostNoise = 0.995;

// The mean that is subtracted is not in the model. Most kernels can do without it; where the true parameters lose more
// than this by it (in nats, over all rows), which is rare and nearly always a product of lines, the table is drawn
// anew: such parameters would be true in name alone.
constexpr double kMostLostByCentring = 2;

// What people ask for on every column, with its share; the rest of the share goes to a sum drawn as for one column.
struct CommonSum {
  double share;
  ColumnSymbols symbols;
};
const std::vector<CommonSum>& CommonSums() {
  using enum BaseSymbol;
  static const std::vector<CommonSum> kSums = {{0.34, {kSE}},         {0.12, {kSE, kLIN}}, {0.10, {kMAT52}},
                                               {0.05, {kLIN}},        {0.05, {kSE_LIN}},   {0.05, {kSE, kPER}},
                                               {0.04, {kPER}},        {0.04, {kSE_PER}},   {0.04, {kSE, kLIN, kPER}},
                                               {0.04, {kLIN, kMAT52}}};
  return kSums;
}

void RequireTable(bool condition, const char* message) {
  if (!condition) throw Error(ErrorCode::kUsage, std::string("simulated tables: ") + message);
}

bool IsProbability(double value) { return value >= 0 && value <= 1; }

int LogUniformInt(int lower, int upper, RandomStream& random) {
  const double drawn = std::exp(random.Uniform(std::log(static_cast<double>(lower)), std::log(upper + 1.0)));
  return std::clamp(static_cast<int>(drawn), lower, upper);
}

SimulatedSize DrawTableSizeFrom(const TableOptions& options, RandomStream& random) {
  const bool usual = random.Bernoulli(0.6);
  const int d = LogUniformInt(usual ? std::min(4, options.max_d) : 1,
                              usual ? std::min(16, options.max_d) : options.max_d, random);
  const int columns = options.d.value_or(d);
  const bool large = random.Bernoulli(options.large_share);
  const int rows_by_cells = std::max(options.min_n, (large ? 2 : 1) * options.max_cells / columns);
  const int most = std::min(large ? options.large_n : options.max_n, rows_by_cells);
  const int n = LogUniformInt(large ? std::min(options.max_n + 1, most) : options.min_n, most, random);
  return {options.n.value_or(n), columns};
}

double DrawNoise(RandomStream& random) {
  const bool little = random.Bernoulli(0.5);
  return std::exp(little ? random.Uniform(std::log(kLeastNoise), std::log(kMedianNoise))
                         : random.Uniform(std::log(kMedianNoise), std::log(kMostNoise)));
}

// The expectation of the variance of n values from N(0, K) about their own mean: mean of the diagonal minus mean of all
// entries. Reads the lower triangle.
double ExpectedVariance(const Matrix& K, Index n) {
  double diagonal = 0, below = 0;
  for (Index j = 0; j < n; ++j) {
    diagonal += K(j, j);
    below += K.col(j).segment(j + 1, n - j - 1).sum();
  }
  const auto rows = static_cast<double>(n);
  return diagonal / rows - (diagonal + 2 * below) / (rows * rows);
}

// 1/2 (y - m 1)' A^-1 (y - m 1) - 1/2 y' A^-1 y for y = L z, A = L L'.
double LostByCentring(const Matrix& L, const Vector& z, Index n, double mean) {
  const Vector u = L.topLeftCorner(n, n).triangularView<Eigen::Lower>().solve(Vector::Ones(n));
  return mean * (0.5 * mean * u.squaredNorm() - u.dot(z.head(n)));
}

}  // namespace

void TableOptions::Validate() const {
  RequireTable(min_n >= 2 && min_n <= max_n, "min_n and max_n must satisfy 2 <= min_n <= max_n");
  RequireTable(max_d >= 1, "max_d must be at least 1");
  RequireTable(max_cells >= 1 && max_cells / max_d >= min_n, "max_cells must be at least min_n times max_d");
  RequireTable(IsProbability(large_share), "large_share must lie in [0, 1]");
  RequireTable(large_share == 0 || large_n > max_n, "large_n must be above max_n");
  RequireTable(IsProbability(same_symbols_p), "same_symbols_p must lie in [0, 1]");
  RequireTable(IsProbability(nearly_linear_p), "nearly_linear_p must lie in [0, 1]");
  RequireTable(IsProbability(positive_p), "positive_p must lie in [0, 1]");
  RequireTable(!n || *n >= 2, "n must be at least 2");
  RequireTable(!d || *d >= 1, "d must be at least 1");
  RequireTable(n_test >= 0, "n_test must not be negative");
  SimulationOptions alphabet;
  alphabet.symbols = symbols;
  alphabet.Validate();
}

Structure DrawTableStructure(const TableOptions& options, int d, RandomStream& random) {
  SimulationOptions sums;
  sums.symbols = options.symbols;
  if (!random.Bernoulli(options.same_symbols_p)) return DrawStructure(sums, d, random);
  double u = random.Uniform();
  for (const CommonSum& sum : CommonSums()) {
    const bool known =
        std::includes(options.symbols.begin(), options.symbols.end(), sum.symbols.begin(), sum.symbols.end());
    if (u < sum.share && known) return SpreadOverColumns(sum.symbols, d);
    u -= sum.share;
    if (u < 0) break;
  }
  return SpreadOverColumns(DrawStructure(sums, 1, random).symbols[0], d);
}

SimulatedSize DrawTableSize(const TableOptions& options, std::uint64_t seed, std::uint64_t index) {
  RandomStream random(seed, index, kTableSubstream);
  return DrawTableSizeFrom(options, random);
}

Simulated SimulateTable(const TableOptions& options, std::uint64_t seed, std::uint64_t index,
                        SimulationWorkspace* workspace) {
  options.Validate();
  SimulationWorkspace own;
  SimulationWorkspace& w = workspace ? *workspace : own;
  std::string reason;
  for (int attempt = 0; attempt < kMaxSimulationTries; ++attempt) {
    RandomStream random(seed, index, kTableSubstream + static_cast<std::uint32_t>(attempt));
    Simulated out;
    const auto [n, d] = DrawTableSizeFrom(options, random);
    const Index rows = static_cast<Index>(n) + options.n_test;
    out.truth = DrawTableStructure(options, d, random);
    out.positive = random.Bernoulli(options.positive_p) || options.positives_only;
    out.given = out.positive ? out.truth : DrawTableStructure(options, d, random);
    const TableSmoothness smoothness = DrawSmoothness(d, options.nearly_linear_p, random);
    out.theta = DrawTableParameters(out.truth, smoothness, random);
    const double noise = DrawNoise(random);
    DrawTableInputs(rows, n, d, random, w.X);
    Resize(w.z, rows);
    for (double& z : w.z) z = random.Normal();

    const Covariance covariance(ToExpression(out.truth));
    Resize(w.K, rows, rows);
    covariance.Gram(w.X, out.theta.data(), w.K, w.covariance);
    // From the expectation, not from the values drawn, so that the targets are a plain draw at these parameters.
    const double variance = ExpectedVariance(w.K, n);
    if (!(variance > 1e-12 * w.K.diagonal().mean())) {
      reason = "the function hardly varies over the rows";
      continue;
    }
    out.theta.noise() = std::log(variance * noise * noise / (1 - noise * noise));
    w.K.diagonal().array() += std::exp(out.theta.noise());
    const Factorization factorization = Factorize(w.K, [&](Matrix& K) {
      covariance.Gram(w.X, out.theta.data(), K, w.covariance);
      K.diagonal().array() += std::exp(out.theta.noise());
    });
    if (!factorization.ok) {
      reason = factorization.reason;
      continue;
    }
    Vector y = w.K.triangularView<Eigen::Lower>() * w.z;
    const double mean = y.head(n).mean();
    if (LostByCentring(w.K, w.z, n, mean) > kMostLostByCentring) {
      reason = "the parameters do not fit centred targets";
      continue;
    }
    y.array() -= mean;
    const double scale = std::sqrt(y.head(n).squaredNorm() / n);
    y /= scale;
    ScaleKernel(out.truth, -2 * std::log(scale), out.theta);
    out.theta.noise() -= 2 * std::log(scale);

    out.jitter = factorization.jitter / (scale * scale);
    out.tries = attempt + 1;
    out.X = w.X.topRows(n);
    out.y = y.head(n);
    out.X_test = w.X.bottomRows(options.n_test);
    out.y_test = y.tail(options.n_test);
    return out;
  }
  throw Error(ErrorCode::kNumerical, "no table could be simulated in " + std::to_string(kMaxSimulationTries) +
                                         " draws: " + reason + "; allow fewer rows (max_n, large_n)");
}

}  // namespace instantgp
