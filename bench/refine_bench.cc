// refine against type-2 ML from the standard start, and against ten starts: likelihoods and times of whole fits, on the
// same rows in the same run.
//
//   refine_bench --data DIR [--kernels A,B] [--tables a,b] [--splits S] [--rows N] [--seed S] [--threads T]
//                [--repeats R] [--ten-start 0|1]
//
// Every CSV file in DIR, half of its rows and at most N (500), each kernel on all columns. A time is the best of R (3),
// the two methods in turn. A cell is (table, kernel, split). At the end: the share of cells within 0.003 nats a row of
// the better of ML and ten starts, and the median ratio of the times, by kernel.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "instantgp/base/stopwatch.h"
#include "instantgp/data/csv.h"
#include "instantgp/data/split.h"
#include "instantgp/inference/trained_network.h"
#include "instantgp/model/fit.h"

namespace {

using namespace instantgp;

constexpr double kSame = 0.003;  // nats a row

struct Cell {
  std::string table, kernel;
  Dataset data;
};

struct Timed {
  double ms = 1e300;
  FitSummary summary;
};

void FitOnce(Session& session, const Cell& cell, const FitOptions& options, Timed& timed) {
  const Stopwatch clock;
  const Model model = session.Fit(cell.data, cell.kernel, options);
  const double ms = clock.Milliseconds();
  if (ms < timed.ms) timed = {ms, model.summary()};
}

double Quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(std::lround(q * static_cast<double>(values.size() - 1)))];
}

std::vector<std::string> Words(const std::string& list) {
  std::vector<std::string> words(1);
  for (const char c : list) {
    if (c == ',') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

struct Settings {
  std::string folder;
  std::vector<std::string> kernels = {"SE"}, tables;
  int splits = 1, rows = 500, threads = 2, repeats = 3;
  bool ten_start = false;
  std::uint64_t seed = 1;
};

std::vector<Cell> CellsOf(const Settings& settings) {
  std::vector<Cell> cells;
  std::vector<std::filesystem::path> files;
  if (!settings.folder.empty()) {
    for (const auto& entry : std::filesystem::directory_iterator(settings.folder)) {
      const std::string stem = entry.path().stem().string();
      const auto& wanted = settings.tables;
      if (entry.path().extension() != ".csv") continue;
      if (wanted.empty() || std::find(wanted.begin(), wanted.end(), stem) != wanted.end()) {
        files.push_back(entry.path());
      }
    }
  }
  std::sort(files.begin(), files.end());
  for (const std::string& kernel : settings.kernels) {
    for (const std::filesystem::path& file : files) {
      const Dataset all = ReadCsv(file.string());
      for (int split = 0; split < settings.splits; ++split) {
        const Split rows = CountSplit(all.rows(), std::min(settings.rows, all.rows() / 2), 0,
                                      settings.seed + static_cast<std::uint64_t>(split));
        cells.push_back({file.stem().string(), kernel, SelectRows(all, rows.train)});
      }
    }
  }
  return cells;
}

struct Summary {
  std::vector<double> ratios;
  int cells = 0, same = 0, below = 0;
};

void Print(const std::string& name, const Summary& s) {
  std::printf("%-24s %4d cells, %5.1f %% within %.3f (%d below by more); time / ml median %.3f, quartiles %.3f %.3f\n",
              name.c_str(), s.cells, 100.0 * s.same / s.cells, kSame, s.below, Quantile(s.ratios, 0.5),
              Quantile(s.ratios, 0.25), Quantile(s.ratios, 0.75));
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string key = argv[i], value = argv[i + 1];
    if (key == "--data") settings.folder = value;
    if (key == "--kernels") settings.kernels = Words(value);
    if (key == "--tables") settings.tables = Words(value);
    if (key == "--splits") settings.splits = std::stoi(value);
    if (key == "--rows") settings.rows = std::stoi(value);
    if (key == "--seed") settings.seed = std::stoull(value);
    if (key == "--threads") settings.threads = std::stoi(value);
    if (key == "--repeats") settings.repeats = std::stoi(value);
    if (key == "--ten-start") settings.ten_start = value == "1";
  }
  TrainedNetwork::Embedded();
  Session session({.threads = settings.threads});
  std::map<std::string, Summary> by_kernel;
  Summary all;
  std::printf("%-14s %-14s %4s %3s  %8s %8s %5s %5s  %8s %5s  %6s  %9s %9s %9s\n", "table", "kernel", "n", "d",
              "refine ms", "one-shot", "steps", "evals", "ml ms", "evals", "ratio", "refine", "ml", "ten-start");
  for (const Cell& cell : CellsOf(settings)) {
    Timed refine, ml, ten;
    try {
      for (int r = 0; r < settings.repeats; ++r) {
        FitOnce(session, cell, {.method = Method::kRefine}, refine);
        FitOnce(session, cell, {.method = Method::kMl}, ml);
      }
      if (settings.ten_start) FitOnce(session, cell, {.method = Method::kMultiStart}, ten);
    } catch (const std::exception& error) {
      std::printf("%-14s %-14s left out: %s\n", cell.table.c_str(), cell.kernel.c_str(), error.what());
      continue;
    }
    double best = ml.summary.nlml;
    if (settings.ten_start) best = std::min(best, ten.summary.nlml);
    const double ratio = refine.ms / ml.ms, above = refine.summary.nlml - best;
    for (Summary* s : {&all, &by_kernel[cell.kernel]}) {
      ++s->cells;
      s->same += above <= kSame;
      s->below += above < -kSame;
      s->ratios.push_back(ratio);
    }
    std::printf("%-14s %-14s %4d %3d  %8.2f %8.2f %5d %5d  %8.2f %5d  %6.3f  %9.4f %+9.4f", cell.table.c_str(),
                cell.kernel.substr(0, 14).c_str(), cell.data.rows(), cell.data.columns(), refine.ms,
                refine.ms - refine.summary.time_ms.optimize, refine.summary.steps, refine.summary.evaluations, ml.ms,
                ml.summary.evaluations, ratio, refine.summary.nlml, ml.summary.nlml - refine.summary.nlml);
    if (settings.ten_start) std::printf(" %+9.4f", ten.summary.nlml - refine.summary.nlml);
    std::printf("%s\n", above > kSame ? "  *" : "");
    std::fflush(stdout);
  }
  std::printf("\n");
  for (const auto& [name, summary] : by_kernel) Print(name, summary);
  if (all.cells > 0) Print("all", all);
  return 0;
}
