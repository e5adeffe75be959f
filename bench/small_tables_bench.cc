// Held-out scores of every method on tables of few rows, simulated and real.
//
//   small_tables_bench [--count N] [--data DIR] [--splits S] [--seed S] [--threads T] [--methods a,b] [--dump FILE]
//
// N simulated tables of 8 to 60 rows and 1 to 9 columns, in turn from each of the families below and with each of the
// kernels; with --data S random parts of at most 60 rows and at most half of each CSV file in DIR, the rest held out.
// For each method: median, 95th and 99th percentile and maximum of the held-out NLL per row on standardised targets,
// mean RMSE, and how many fits failed. --dump writes every fit as CSV.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "instantgp/base/rng.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/data/csv.h"
#include "instantgp/data/split.h"
#include "instantgp/model/fit.h"
#include "instantgp/simulate/distribution.h"
#include "instantgp/simulate/tables.h"

namespace {

using namespace instantgp;

constexpr int kMostRows = 60, kTestRows = 200, kMostTestRows = 400;
constexpr std::array<const char*, 4> kKernels = {"SE", "MAT52", "SE + LIN", "SE + PER"};

struct Column {
  std::string name;
  FitOptions options;
};

std::vector<Column> Columns() {
  std::vector<Column> columns;
  for (const Method method : {Method::kOneShot, Method::kRefine, Method::kMl, Method::kAdam, Method::kMultiStart,
                              Method::kMap, Method::kSvgp, Method::kAhgp}) {
    columns.push_back({std::string(Name(method)), {.method = method}});
    if (method == Method::kRefine) {
      columns.push_back({"refine-map", {.method = method, .map = true}});
    }
  }
  return columns;
}

struct SmallTable {
  std::string family, kernel;
  Dataset train, test;
};

using Function = double (*)(const Vector& x, const Vector& weights);

double Linear(const Vector& x, const Vector& weights) { return weights.dot(x); }
double NearlyLinear(const Vector& x, const Vector& weights) {
  return Linear(x, weights) + 0.1 * std::sin(4 * x[0]) * x[x.size() - 1];
}
double Smooth(const Vector& x, const Vector& weights) {
  const double u = weights.dot(x);
  return std::sin(2 * u) + 0.5 * u * u + std::exp(-x[0]);
}
double FirstColumn(const Vector& x, const Vector&) { return std::sin(6 * x[0]); }
double Nothing(const Vector&, const Vector&) { return 0; }

// What a table is made of; `noise` is relative to the function's own standard deviation where it has one.
struct Family {
  const char* name;
  Function function;
  double noise;
  int levels = 0;           // of every column but the first; 0: any value
  bool all_levels = false;  // of the first, too
  int target_levels = 0;    // 0: any value; else cut at quantiles, most rows in the lowest level
  double repeated = 0;      // share of rows that repeat an earlier one's inputs
};

constexpr std::array<Family, 16> kFamilies = {{{"linear", Linear, 0.1},
                                               {"linear, little noise", Linear, 0.004},
                                               {"nearly linear", NearlyLinear, 0.05},
                                               {"noise-free linear", Linear, 0},
                                               {"noise-free smooth", Smooth, 0},
                                               {"smooth, little noise", Smooth, 0.01},
                                               {"smooth", Smooth, 0.3},
                                               {"one column matters", FirstColumn, 0.2},
                                               {"one column, noise-free", FirstColumn, 0},
                                               {"noise only", Nothing, 1},
                                               {"few levels", Smooth, 0.5, 3, true},
                                               {"few levels, binary", Smooth, 1, 3, false, 2},
                                               {"all few levels, binary", Smooth, 1, 3, true, 2},
                                               {"few levels, graded", Smooth, 0.5, 4, false, 4},
                                               {"repeated rows", Smooth, 0.2, 0, false, 0, 0.4},
                                               {"repeated rows, noise-free", Smooth, 0, 0, false, 0, 0.4}}};

SmallTable FromFamily(const Family& family, RandomStream& random) {
  const int n = random.UniformInt(8, kMostRows), d = random.UniformInt(1, 9), all = n + kTestRows;
  Vector weights(d);
  for (double& w : weights) w = random.Normal() / std::sqrt(d);
  Matrix X(all, d);
  Vector y(all);
  for (int i = 0; i < all; ++i) {
    for (int k = 0; k < d; ++k) {
      X(i, k) = random.Uniform();
      if (family.levels > 0 && (k > 0 || family.all_levels)) X(i, k) = std::floor(X(i, k) * family.levels);
      if (family.levels > 0 && k == 0 && !family.all_levels) X(i, k) = std::floor(X(i, k) * 18);
    }
    if (i > 0 && random.Uniform() < family.repeated) X.row(i) = X.row(random.UniformInt(0, std::min(i, n) - 1));
    y[i] = family.function(X.row(i).transpose(), weights);
  }
  const double spread = std::sqrt((y.array() - y.mean()).square().mean());
  for (double& v : y) v += family.noise * (spread > 0 ? spread : 1) * random.Normal();
  if (family.target_levels > 0) {
    std::vector<double> sorted(y.begin(), y.end());
    std::sort(sorted.begin(), sorted.end());
    for (double& v : y) {
      const double place = static_cast<double>(std::lower_bound(sorted.begin(), sorted.end(), v) - sorted.begin()) /
                           static_cast<double>(all);
      v = std::floor(std::pow(place, family.target_levels) * family.target_levels);
    }
  }
  const Dataset rows = Dataset::Of(X, y);
  std::vector<int> train(n), test(kTestRows);
  for (int i = 0; i < n; ++i) train[i] = i;
  for (int i = 0; i < kTestRows; ++i) test[i] = n + i;
  return {family.name, "", SelectRows(rows, train), SelectRows(rows, test)};
}

template <typename Options>
Options SmallSizes(RandomStream& random) {
  Options options;
  options.n = random.UniformInt(8, kMostRows);
  options.n_test = kTestRows;
  options.max_d = 8;
  return options;
}

SmallTable FromTraining(bool tables, std::uint64_t seed, int index, RandomStream& random) {
  const auto number = static_cast<std::uint64_t>(index);
  const Simulated s = tables ? SimulateTable(SmallSizes<TableOptions>(random), seed, number)
                             : Simulate(SmallSizes<SimulationOptions>(random), seed, number);
  const Dataset train = Dataset::Of(s.X, s.y);
  return {tables ? "training, tables" : "training", Print(ToExpression(s.given), train.column_names), train,
          Dataset::Of(s.X_test, s.y_test)};
}

std::vector<SmallTable> SimulatedTables(int count, std::uint64_t seed) {
  constexpr int kKinds = static_cast<int>(kFamilies.size()) + 2;
  std::vector<SmallTable> tables;
  for (int i = 0; i < count; ++i) {
    RandomStream random(seed, static_cast<std::uint64_t>(i));
    const int kind = i % kKinds;
    SmallTable table = kind < 2 ? FromTraining(kind == 1, seed, i, random) : FromFamily(kFamilies[kind - 2], random);
    if (table.kernel.empty()) table.kernel = kKernels[i / kKinds % kKernels.size()];
    tables.push_back(std::move(table));
  }
  return tables;
}

void AddReal(const std::string& folder, int splits, std::uint64_t seed, std::vector<SmallTable>& tables) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".csv") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& file : files) {
    const Dataset all = ReadCsv(file.string());
    for (int split = 0; split < splits; ++split) {
      RandomStream random(seed, static_cast<std::uint64_t>(split));
      const int most = std::min(kMostRows, all.rows() / 2);
      const int n = split % 2 == 0 ? most : random.UniformInt(10, most);
      const Split rows = CountSplit(all.rows(), n, kMostTestRows, seed + static_cast<std::uint64_t>(split));
      tables.push_back({file.stem().string(), kKernels[split / 2 % kKernels.size()], SelectRows(all, rows.train),
                        SelectRows(all, rows.test)});
    }
  }
}

struct Outcome {
  bool ok = false;
  double nll = 0, rmse = 0, nlml = 0, noise = 0, ms = 0;
};

Outcome Run(const SmallTable& table, FitOptions options) {
  Outcome outcome;
  try {
    const Model model =
        Fit(table.train, options.method == Method::kAhgp ? "SE" : table.kernel, options, {.threads = 1});
    const Scores scores = model.Score(table.test.X, table.test.y);
    outcome = {true,
               scores.nll_standardized,
               scores.rmse_standardized,
               model.summary().nlml,
               model.NoiseVariance(),
               model.summary().time_ms.total};
  } catch (const std::exception&) {
  }
  return outcome;
}

double Quantile(const std::vector<double>& sorted, double q) {
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

bool Constant(const Vector& y) { return y.maxCoeff() == y.minCoeff(); }

}  // namespace

int main(int argc, char** argv) {
  int count = 252, splits = 4, threads = 1;
  std::uint64_t seed = 1;
  std::string folder, dump, chosen;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string key = argv[i], value = argv[i + 1];
    if (key == "--count") count = std::stoi(value);
    if (key == "--splits") splits = std::stoi(value);
    if (key == "--threads") threads = std::stoi(value);
    if (key == "--seed") seed = std::stoull(value);
    if (key == "--data") folder = value;
    if (key == "--dump") dump = value;
    if (key == "--methods") chosen = "," + value + ",";
  }
  std::vector<Column> columns = Columns();
  if (!chosen.empty()) {
    std::erase_if(columns, [&](const Column& c) { return chosen.find("," + c.name + ",") == std::string::npos; });
  }
  std::vector<SmallTable> tables = SimulatedTables(count, seed);
  if (!folder.empty()) AddReal(folder, splits, seed, tables);
  std::erase_if(tables, [](const SmallTable& table) { return Constant(table.train.y); });

  const int of_columns = static_cast<int>(columns.size());
  std::vector<Outcome> outcomes(tables.size() * columns.size());
  ThreadPool pool(threads);
  pool.Run(static_cast<int>(outcomes.size()),
           [&](int k, int) { outcomes[k] = Run(tables[k / of_columns], columns[k % of_columns].options); });

  std::printf("%zu tables of at most %d rows, seed %llu\n\n", tables.size(), kMostRows,
              static_cast<unsigned long long>(seed));
  std::printf(
      "| method | median NLL | 95 %% | 99 %% | largest | mean RMSE | failed |\n|---|---|---|---|---|---|---|\n");
  for (int c = 0; c < of_columns; ++c) {
    std::vector<double> nll;
    double rmse = 0;
    for (std::size_t t = 0; t < tables.size(); ++t) {
      const Outcome& outcome = outcomes[t * columns.size() + static_cast<std::size_t>(c)];
      if (!outcome.ok) continue;
      nll.push_back(outcome.nll);
      rmse += outcome.rmse;
    }
    if (nll.empty()) continue;
    std::sort(nll.begin(), nll.end());
    std::printf("| %s | %.3f | %.3f | %.3f | %.4g | %.4f | %zu |\n", columns[c].name.c_str(), Quantile(nll, 0.5),
                Quantile(nll, 0.95), Quantile(nll, 0.99), nll.back(), rmse / static_cast<double>(nll.size()),
                tables.size() - nll.size());
  }
  if (!dump.empty()) {
    std::FILE* file = std::fopen(dump.c_str(), "w");
    if (file == nullptr) return 1;
    std::fprintf(file, "table;family;kernel;n;d;method;ok;nll;rmse;nlml;noise;ms\n");
    for (std::size_t k = 0; k < outcomes.size(); ++k) {
      const SmallTable& table = tables[k / columns.size()];
      const Outcome& o = outcomes[k];
      std::fprintf(file, "%zu;%s;%s;%d;%d;%s;%d;%.17g;%.17g;%.17g;%.17g;%.3f\n", k / columns.size(),
                   table.family.c_str(), table.kernel.c_str(), table.train.rows(), table.train.columns(),
                   columns[k % columns.size()].name.c_str(), o.ok, o.nll, o.rmse, o.nlml, o.noise, o.ms);
    }
    std::fclose(file);
  }
  return 0;
}
