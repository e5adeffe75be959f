// What bench/serve_load.py compares the server with: fits of a table by calls of the library, one after the other on
// each of so many threads, every thread with a session of its own that works on that thread alone, as the server's
// workers do. --threads 0: one caller, whose session has all of the machine's threads, as a user's has.
//
//   serve_fit_bench [--file TABLE.csv] [--threads 1] [--seconds 3]
//
// Prints fits a second. Without a file the table has 50 rows and one column.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "instantgp/base/rng.h"
#include "instantgp/base/stopwatch.h"
#include "instantgp/data/csv.h"
#include "instantgp/model/session.h"

namespace instantgp {
namespace {

Dataset MadeTable() {
  constexpr int kRows = 50;
  RandomStream random(1);
  Matrix X(kRows, 1);
  Vector y(kRows);
  for (int i = 0; i < kRows; ++i) {
    X(i, 0) = static_cast<double>(i) / kRows;
    y[i] = std::sin(9 * X(i, 0)) + 0.1 * random.Normal();
  }
  return Dataset::Of(X, y, {"x"}, "y");
}

int Main(int argc, char** argv) {
  std::string file;
  int threads = 1;
  double seconds = 3;
  for (int k = 1; k + 1 < argc; k += 2) {
    const std::string name = argv[k];
    if (name == "--file") file = argv[k + 1];
    if (name == "--threads") threads = std::atoi(argv[k + 1]);
    if (name == "--seconds") seconds = std::atof(argv[k + 1]);
  }
  const Dataset data = file.empty() ? MadeTable() : ReadCsv(file);
  std::atomic<int> warm{0};
  std::atomic<long> fits{0};
  std::atomic<bool> begun{false}, ended{false};
  const auto work = [&] {
    Session session({.threads = threads == 0 ? 0 : 1});
    for (int k = 0; k < 50; ++k) session.Fit(data, "SE");
    ++warm;
    while (!begun) std::this_thread::yield();
    while (!ended) {
      session.Fit(data, "SE");
      ++fits;
    }
  };
  std::vector<std::jthread> workers;
  const int callers = std::max(1, threads);
  for (int k = 0; k < callers; ++k) workers.emplace_back(work);
  while (warm < callers) std::this_thread::yield();
  const Stopwatch clock;
  begun = true;
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  ended = true;
  workers.clear();
  const double took = clock.Milliseconds() / 1000;
  std::printf("%.1f fits a second, %d threads\n", static_cast<double>(fits) / took, threads);
  return 0;
}

}  // namespace
}  // namespace instantgp

int main(int argc, char** argv) { return instantgp::Main(argc, argv); }
