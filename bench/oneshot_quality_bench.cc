// How good the one-shot answers are: simulated pairs that training never saw, and the seven real datasets.
//
//   oneshot_quality_bench [--count N] [--weights FILE] [--data DIR] [--splits S] [--ten-start-splits M] [--threads T]
//   [--seed S] [--bare 1]
//
// Simulated, N positives and N negatives: the gap per point in NLML to the true parameters (positives), by number of
// columns, rows and symbols; the difference in test NLL to type-2 ML by L-BFGS from the standard start. Real data with
// --data: ARD-SE, mean RMSE on standardised targets over S splits beside the published ones, and what ten steps of
// refinement leave to ten-start ML (the better of L-BFGS from the standard start and multi-start) on the first M
// splits, since ten starts take long. With --bare 1 the gaps are those of the best hypothesis as it was decoded.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "instantgp/base/thread_pool.h"
#include "instantgp/data/csv.h"
#include "instantgp/data/split.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/inference/hypotheses_from_data.h"
#include "instantgp/inference/oneshot.h"
#include "instantgp/model/fit.h"
#include "instantgp/network/config.h"
#include "instantgp/simulate/distribution.h"

namespace {

using namespace instantgp;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Row {
  int n = 0, d = 0;
  bool positive = false;
  Structure structure;
  double gap = kNan;                          // positives
  double one_shot_nll = kNan, ml_nll = kNan;  // test
};

double Quantile(const std::vector<double>& sorted, double q) {
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

void Print(const std::string& what, std::vector<double> values) {
  std::erase_if(values, [](double v) { return !std::isfinite(v); });
  if (values.empty()) return;
  std::sort(values.begin(), values.end());
  double sum = 0;
  for (const double v : values) sum += v;
  std::printf("| %-34s | %5zu | %8.4f | %8.4f | %8.4f |\n", what.c_str(), values.size(),
              sum / static_cast<double>(values.size()), Quantile(values, 0.5), Quantile(values, 0.9));
}

void PrintHead(const char* title) {
  std::printf("\n%s\n\n| %-34s | %5s | %8s | %8s | %8s |\n|---|---|---|---|---|\n", title, "", "count", "mean",
              "median", "p90");
}

bool Uses(const Structure& structure, BaseSymbol symbol) {
  for (const auto& addends : structure.symbols) {
    if (std::find(addends.begin(), addends.end(), symbol) != addends.end()) return true;
  }
  return false;
}

bool HasPer(const Structure& structure) {
  for (const BaseSymbol symbol : kAllBaseSymbols) {
    const auto factors = FactorsOf(symbol);
    if (std::find(factors.begin(), factors.end(), Elementary::kPER) != factors.end() && Uses(structure, symbol)) {
      return true;
    }
  }
  return false;
}

Row Evaluate(const Simulated& s, const TrainedNetwork& network, bool bare) {
  Row row;
  row.n = static_cast<int>(s.X.rows());
  row.d = static_cast<int>(s.X.cols());
  row.positive = s.positive;
  row.structure = s.given;
  // The gap on the data as drawn: only there are the true parameters the truth.
  if (s.positive) {
    const OneShot found = InferOneShot(network, network.Encode(AlreadyScaled(s.X, s.y)), s.given, {.bare = bare});
    row.gap = found.posterior.nlml() - Posterior(ToExpression(s.truth), s.X, s.y, s.theta).nlml();
  }
  // Test scores as a user gets them.
  const Dataset data = Dataset::Of(s.X, s.y);
  const std::string kernel = Print(ToExpression(s.given), data.column_names);
  const auto score = [&](Method method) {
    const Model model = Fit(data, kernel, {.method = method}, {.network = &network, .threads = 1});
    return model.Score(s.X_test, s.y_test).nll;
  };
  try {
    row.one_shot_nll = score(Method::kOneShot);
    row.ml_nll = score(Method::kMl);
  } catch (const std::exception&) {
  }
  return row;
}

void SimulatedFigures(const TrainedNetwork& network, int count, std::uint64_t seed, bool bare, ThreadPool& pool) {
  SimulationOptions options;
  options.n_test = 100;
  std::vector<Row> rows(2 * count);
  pool.Run(2 * count, [&](int i, int) {
    SimulationOptions own = options;
    own.positive_p = i % 2 == 0 ? 1 : 0;
    rows[i] = Evaluate(Simulate(own, seed, i), network, bare);
  });
  const auto gaps = [&](auto&& keep) {
    std::vector<double> values;
    for (const Row& row : rows) {
      if (row.positive && keep(row)) values.push_back(row.gap);
    }
    return values;
  };
  PrintHead("NLML per point above the true parameters, positives");
  Print("all", gaps([](const Row&) { return true; }));
  for (int d = 1; d <= 8; ++d) Print("d = " + std::to_string(d), gaps([&](const Row& r) { return r.d == d; }));
  constexpr std::array<int, 6> kEdges = {10, 20, 50, 100, 150, 251};
  for (std::size_t e = 0; e + 1 < kEdges.size(); ++e) {
    Print("n = " + std::to_string(kEdges[e]) + " to " + std::to_string(kEdges[e + 1] - 1),
          gaps([&](const Row& r) { return r.n >= kEdges[e] && r.n < kEdges[e + 1]; }));
  }
  Print("with PER", gaps([](const Row& r) { return HasPer(r.structure); }));
  Print("with PER, d <= 3", gaps([](const Row& r) { return HasPer(r.structure) && r.d <= 3; }));
  Print("with PER, d = 2", gaps([](const Row& r) { return HasPer(r.structure) && r.d == 2; }));
  Print("without PER", gaps([](const Row& r) { return !HasPer(r.structure); }));
  for (const BaseSymbol symbol : kAllBaseSymbols) {
    Print("with " + std::string(Name(symbol)), gaps([&](const Row& r) { return Uses(r.structure, symbol); }));
  }
  const auto differences = [&](auto&& keep) {
    std::vector<double> values;
    for (const Row& row : rows) {
      if (keep(row)) values.push_back(row.one_shot_nll - row.ml_nll);
    }
    return values;
  };
  PrintHead("Test NLL above type-2 ML (L-BFGS from the standard start)");
  Print("all", differences([](const Row&) { return true; }));
  Print("positives", differences([](const Row& r) { return r.positive; }));
  Print("negatives", differences([](const Row& r) { return !r.positive; }));
  Print("n <= 20", differences([](const Row& r) { return r.n <= 20; }));
  for (std::size_t e = 0; e + 1 < kEdges.size(); ++e) {
    Print("n = " + std::to_string(kEdges[e]) + " to " + std::to_string(kEdges[e + 1] - 1),
          differences([&](const Row& r) { return r.n >= kEdges[e] && r.n < kEdges[e + 1]; }));
  }
  std::vector<double> one_shot, ml;
  for (const Row& row : rows) {
    if (row.n > 20 || !std::isfinite(row.one_shot_nll - row.ml_nll)) continue;
    one_shot.push_back(row.one_shot_nll);
    ml.push_back(row.ml_nll);
  }
  PrintHead("Test NLL at n <= 20");
  Print("one-shot", one_shot);
  Print("type-2 ML", ml);
}

struct Real {
  const char* name;
  int n_train;
  double amortized, ahgp;  // published mean RMSE
};
constexpr std::array<Real, 7> kReal = {{{"energy", 500, 0.0830, 0.0800},
                                        {"concrete", 500, 0.3635, 0.3755},
                                        {"airfoil", 500, 0.4484, 0.5965},
                                        {"airline", 100, 0.2866, 0.2722},
                                        {"powerplant", 500, 0.2467, 0.2459},
                                        {"yacht", 250, 0.0606, 0.0602},
                                        {"wine", 500, 0.9287, 0.7962}}};

void RealData(const TrainedNetwork& network, const std::string& folder, int splits, int ten_start_splits,
              ThreadPool& pool) {
  std::printf("\nARD-SE on real data, mean of %d splits; RMSE on standardised targets, NLML per point\n\n", splits);
  std::printf(
      "| dataset | one-shot RMSE | GP-Amortized | AHGP-SE-ARD | ml RMSE | refine 10 RMSE | one-shot NLML | ml NLML | "
      "refine "
      "10 NLML | refine 10 above ten-start ML: mean, worst of %d |\n|---|---|---|---|---|---|---|---|---|---|\n",
      ten_start_splits);
  for (const Real& real : kReal) {
    const Dataset all = ReadCsv((std::filesystem::path(folder) / (std::string(real.name) + ".csv")).string());
    Matrix values(splits, 7);  // RMSE and NLML of one-shot, ml, refine; refine above ten-start ML
    pool.Run(splits, [&](int split, int) {
      const Split rows = CountSplit(all.rows(), real.n_train, std::min(400, all.rows() - real.n_train), split);
      const Dataset train = SelectRows(all, rows.train), test = SelectRows(all, rows.test);
      int column = 0;
      const auto fit = [&](FitOptions options) {
        return Fit(train, "SE", options, {.network = &network, .threads = 1});
      };
      for (const FitOptions& options :
           {FitOptions{}, FitOptions{.method = Method::kMl}, FitOptions{.method = Method::kRefine, .steps = 10}}) {
        const Model model = fit(options);
        values(split, column++) = model.Score(test.X, test.y).rmse_standardized;
        values(split, column++) = model.summary().nlml;
      }
      if (split >= ten_start_splits) return;
      const double ten_start = fit({.method = Method::kMultiStart}).summary().nlml;
      values(split, 6) = values(split, 5) - std::min(ten_start, values(split, 3));
    });
    const Vector mean = values.leftCols(6).colwise().mean();
    const Vector above = values.col(6).head(std::min(splits, ten_start_splits));
    std::printf("| %s | %.4f | %.4f | %.4f | %.4f | %.4f | %.4f | %.4f | %.4f |", real.name, mean[0], real.amortized,
                real.ahgp, mean[2], mean[4], mean[1], mean[3], mean[5]);
    if (above.size() > 0) std::printf(" %.4f, %.4f |", above.mean(), above.maxCoeff());
    std::printf("\n");
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  int count = 1000, splits = 20, ten_start_splits = 5, threads = 2;
  std::uint64_t seed = 424242;
  bool bare = false;
  std::string folder;
  std::optional<TrainedNetwork> network;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string key = argv[i], value = argv[i + 1];
    if (key == "--count") count = std::stoi(value);
    if (key == "--splits") splits = std::stoi(value);
    if (key == "--ten-start-splits") ten_start_splits = std::stoi(value);
    if (key == "--threads") threads = std::stoi(value);
    if (key == "--seed") seed = std::stoull(value);
    if (key == "--bare") bare = value != "0";
    if (key == "--data") folder = value;
    if (key == "--weights") network.emplace(TrainedNetwork::Load(value));
  }
  const TrainedNetwork& used = network ? *network : TrainedNetwork::Embedded();
  ThreadPool pool(threads);
  std::printf("network of %lld datasets\n", static_cast<long long>(used.datasets_seen()));
  if (count > 0) SimulatedFigures(used, count, seed, bare, pool);
  if (!folder.empty()) RealData(used, folder, splits, ten_start_splits, pool);
  return 0;
}
