// How fast tables are read: MB/s of one core and of all, beside a plain count of line ends.
//
//   csv_bench [--rows 1000000] [--file TABLE.csv]...
//
// Without files, tables are made in memory's file system: numbers of seven digits as people write them, all seventeen
// digits, decimal commas, quoted numbers, and numbers beside texts. Each figure is the best of several runs; those of
// one core are of processor time, that of all cores of the clock on the wall.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "instantgp/base/byte_source.h"
#include "instantgp/base/file.h"
#include "instantgp/base/rng.h"
#include "instantgp/data/csv.h"
#include "instantgp/data/raw_table.h"

namespace instantgp {
namespace {

// On a clock: CLOCK_MONOTONIC, or CLOCK_PROCESS_CPUTIME_ID for what one core would take by itself on a busy machine.
double BestSeconds(clockid_t clock, const std::function<void()>& run) {
  constexpr int kRuns = 7;
  const auto now = [clock] {
    timespec time{};
    ::clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  double best = 1e300;
  for (int k = 0; k < kRuns; ++k) {
    const double start = now();
    run();
    best = std::min(best, now() - start);
  }
  return best;
}

std::size_t CountLineEnds(const std::string& path) {
  const std::string text = ReadText(path);
  std::size_t count = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  while ((at = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)))) != nullptr) {
    ++count;
    ++at;
  }
  return count;
}

void Measure(const std::string& name, const std::string& path) {
  const double megabytes = static_cast<double>(std::filesystem::file_size(path)) / 1e6;
  std::size_t sink = 0;
  const double counting = BestSeconds(CLOCK_PROCESS_CPUTIME_ID, [&] { sink += CountLineEnds(path); });
  const auto read = [&] { sink += static_cast<std::size_t>(ReadRawTable(path).rows()); };
  ::setenv("OMP_NUM_THREADS", "1", 1);
  const double one = BestSeconds(CLOCK_PROCESS_CPUTIME_ID, read);
  const double dataset =
      BestSeconds(CLOCK_PROCESS_CPUTIME_ID, [&] { sink += static_cast<std::size_t>(ReadCsv(path).rows()); });
  ::unsetenv("OMP_NUM_THREADS");
  const double all = BestSeconds(CLOCK_MONOTONIC, read);
  std::printf(
      "%-24s %7.1f MB  count %6.0f MB/s  read, one core %5.0f MB/s (%.2f of it), all cores %5.0f MB/s, "
      "to a dataset, one core %5.0f MB/s%s\n",
      name.c_str(), megabytes, megabytes / counting, megabytes / one, counting / one, megabytes / all,
      megabytes / dataset, sink == 0 ? " (nothing read)" : "");
}

std::string Made(const std::string& kind, int rows) {
  RandomStream random(1);
  const bool commas = kind == "decimal commas", quoted = kind == "quoted numbers", texts = kind == "texts beside";
  const char separator = commas ? ';' : ',';
  std::string text = std::string("a") + separator + "b" + separator + "c" + separator + "d\n";
  char cell[64];
  for (int i = 0; i < rows; ++i) {
    for (int k = 0; k < 4; ++k) {
      std::snprintf(cell, sizeof cell, kind == "seventeen digits" ? "%.17g" : "%.7g", 100 * random.Normal());
      if (commas) std::replace(cell, cell + std::strlen(cell), '.', ',');
      if (texts && k == 1) std::snprintf(cell, sizeof cell, "city %d", random.UniformInt(0, 9));
      if (k > 0) text += separator;
      text += quoted ? "\"" + std::string(cell) + "\"" : std::string(cell);
    }
    text += '\n';
  }
  return text;
}

int Main(int argc, char** argv) {
  int rows = 1000000;
  std::vector<std::string> files;
  for (int k = 1; k + 1 < argc; k += 2) {
    if (std::string(argv[k]) == "--rows") rows = std::atoi(argv[k + 1]);
    if (std::string(argv[k]) == "--file") files.emplace_back(argv[k + 1]);
  }
  for (const std::string& file : files) Measure(std::filesystem::path(file).filename(), file);
  if (!files.empty()) return 0;
  const std::string path = "/dev/shm/instantgp_csv_bench.csv";
  for (const char* kind : {"seven digits", "seventeen digits", "decimal commas", "quoted numbers", "texts beside"}) {
    WriteFileAtomically(path, Made(kind, rows));
    Measure(kind, path);
  }
  std::filesystem::remove(path);
  return 0;
}

}  // namespace
}  // namespace instantgp

int main(int argc, char** argv) { return instantgp::Main(argc, argv); }
