#include "instantgp/simulate/distribution.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "instantgp/base/error.h"
#include "instantgp/base/resize.h"
#include "instantgp/gp/cholesky.h"
#include "instantgp/gp/covariance.h"
#include "instantgp/kernel/parameters.h"

namespace instantgp {
namespace {

void Require(bool condition, const char* message) {
  if (!condition) throw Error(ErrorCode::kUsage, std::string("simulation options: ") + message);
}

double SymbolWeight(BaseSymbol symbol) { return FactorsOf(symbol).size() == 1 ? 2.0 : 1.0; }

int DrawRows(const SimulationOptions& options, RandomStream& random) {
  return options.n ? *options.n : random.UniformInt(options.min_n, options.max_n);
}

int DrawDimensions(const SimulationOptions& options, RandomStream& random) {
  if (options.d) return *options.d;
  if (options.structure) return options.structure->columns.back() + 1;
  const int d = random.Geometric(options.dimension_p);
  return d > options.max_d ? random.UniformInt(1, options.max_d) : d;
}

// Column by column, as they lie in memory.
void DrawInputs(Index rows, int d, RandomStream& random, Matrix& X) {
  Resize(X, rows, d);
  for (Index k = 0; k < d; ++k) {
    for (Index i = 0; i < rows; ++i) X(i, k) = random.Uniform();
  }
}

void DrawNormals(Index rows, RandomStream& random, Vector& z) {
  Resize(z, rows);
  for (Index i = 0; i < rows; ++i) z[i] = random.Normal();
}

[[noreturn]] void ThrowNotFactorized(const std::string& reason) {
  throw Error(ErrorCode::kNumerical, "no covariance of the simulated data could be factorised in " +
                                         std::to_string(kMaxSimulationTries) + " draws: " + reason +
                                         "; use fewer rows or a larger noise variance");
}

}  // namespace

void SimulationOptions::Validate() const {
  Require(min_n >= 1 && min_n <= max_n, "min_n and max_n must satisfy 1 <= min_n <= max_n");
  Require(max_d >= 1, "max_d must be at least 1");
  Require(!n || *n >= 1, "n must be at least 1");
  Require(!d || *d >= 1, "d must be at least 1");
  Require(n_test >= 0, "n_test must not be negative");
  Require(addend_p > 0 && addend_p <= 1, "addend_p must lie in (0, 1]");
  Require(dimension_p > 0 && dimension_p <= 1, "dimension_p must lie in (0, 1]");
  Require(positive_p >= 0 && positive_p <= 1, "positive_p must lie in [0, 1]");
  Require(!symbols.empty(), "symbols must not be empty");
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    Require(Number(symbols[i]) < kNumBaseSymbols, "symbols must be base symbols");
    Require(i == 0 || symbols[i - 1] < symbols[i], "symbols must be ascending, each once");
  }
  if (structure) {
    Require(!structure->columns.empty(), "the fixed structure uses no column");
    Require(!d || structure->columns.back() < *d, "the fixed structure uses a column beyond d");
  }
}

Structure DrawStructure(const SimulationOptions& options, int d, RandomStream& random) {
  Structure structure;
  structure.columns.resize(d);
  structure.symbols.resize(d);
  const int alphabet = static_cast<int>(options.symbols.size());
  std::array<BaseSymbol, kNumBaseSymbols> left;
  for (int k = 0; k < d; ++k) {
    structure.columns[k] = k;
    int size = alphabet;
    double total = 0;
    for (int i = 0; i < alphabet; ++i) {
      left[i] = options.symbols[i];
      total += SymbolWeight(left[i]);
    }
    const int addends = std::min(random.Geometric(options.addend_p), alphabet);
    std::vector<BaseSymbol>& chosen = structure.symbols[k];
    chosen.reserve(addends);
    for (int a = 0; a < addends; ++a) {
      double u = random.Uniform() * total;
      int pick = 0;
      while (pick < size - 1 && u >= SymbolWeight(left[pick])) u -= SymbolWeight(left[pick++]);
      chosen.push_back(left[pick]);
      total -= SymbolWeight(left[pick]);
      left[pick] = left[--size];
    }
    std::sort(chosen.begin(), chosen.end());
  }
  return structure;
}

SimulatedSize DrawSize(const SimulationOptions& options, std::uint64_t seed, std::uint64_t index) {
  RandomStream random(seed, index, 0);
  const int n = DrawRows(options, random);
  return {n, DrawDimensions(options, random)};
}

Simulated Simulate(const SimulationOptions& options, std::uint64_t seed, std::uint64_t index,
                   SimulationWorkspace* workspace) {
  options.Validate();
  SimulationWorkspace own;
  SimulationWorkspace& w = workspace ? *workspace : own;
  std::string reason;
  for (int attempt = 0; attempt < kMaxSimulationTries; ++attempt) {
    RandomStream random(seed, index, static_cast<std::uint32_t>(attempt));
    Simulated out;
    const int n = DrawRows(options, random);
    const int d = DrawDimensions(options, random);
    const Index rows = static_cast<Index>(n) + options.n_test;
    out.truth = options.structure ? *options.structure : DrawStructure(options, d, random);
    out.positive = options.positives_only || random.Bernoulli(options.positive_p);
    out.given = out.positive ? out.truth : DrawStructure(options, d, random);
    const Expression expression = ToExpression(out.truth);
    out.theta = DrawFromPrior(ParameterTable(expression), random);
    DrawInputs(rows, d, random, w.X);
    DrawNormals(rows, random, w.z);

    const Covariance covariance(expression);
    Resize(w.K, rows, rows);
    const auto build = [&](Matrix& K) {
      covariance.Gram(w.X, out.theta.data(), K, w.covariance);
      K.diagonal().array() += std::exp(out.theta.noise());
    };
    build(w.K);
    const Factorization factorization = Factorize(w.K, build);
    if (!factorization.ok) {
      reason = factorization.reason;
      continue;
    }
    out.jitter = factorization.jitter;
    out.tries = attempt + 1;
    const Vector y = w.K.triangularView<Eigen::Lower>() * w.z;
    out.X = w.X.topRows(n);
    out.y = y.head(n);
    out.X_test = w.X.bottomRows(options.n_test);
    out.y_test = y.tail(options.n_test);
    return out;
  }
  ThrowNotFactorized(reason);
}

SimulatedFunction SimulateFunction(const Expression& expression, int n, int d, std::uint64_t seed, std::uint64_t index,
                                   const std::optional<Vector>& theta) {
  const ParameterTable table(expression);
  if (n < 1) throw Error(ErrorCode::kUsage, "simulated data need at least one row, got n = " + std::to_string(n));
  if (ColumnsOf(expression).back() >= d) {
    throw Error(ErrorCode::kUsage, "the kernel uses column " + std::to_string(ColumnsOf(expression).back() + 1) +
                                       " but the data have only " + std::to_string(d));
  }
  if (theta && theta->size() != static_cast<Index>(table.size()) + 1) {
    throw Error(ErrorCode::kUsage, "the kernel has " + std::to_string(table.size()) +
                                       " parameters and the noise variance, got " + std::to_string(theta->size()) +
                                       " values");
  }
  const Covariance covariance(expression);
  Matrix K(n, n);
  CovarianceScratch scratch;
  Vector z;
  std::string reason;
  for (int attempt = 0; attempt < kMaxSimulationTries; ++attempt) {
    RandomStream random(seed, index, static_cast<std::uint32_t>(attempt));
    SimulatedFunction out;
    out.theta = theta ? *theta : DrawFromPrior(table, random);
    DrawInputs(n, d, random, out.X);
    const auto build = [&](Matrix& target) { covariance.Gram(out.X, out.theta.data(), target, scratch); };
    build(K);
    const Factorization factorization = Factorize(K, build);
    if (!factorization.ok) {
      reason = factorization.reason;
      continue;
    }
    out.jitter = factorization.jitter;
    DrawNormals(n, random, z);
    out.f = K.triangularView<Eigen::Lower>() * z;
    DrawNormals(n, random, z);
    out.y = out.f + std::exp(0.5 * out.theta.noise()) * z;
    return out;
  }
  ThrowNotFactorized(reason);
}

}  // namespace instantgp
