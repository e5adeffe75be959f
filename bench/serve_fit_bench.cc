// What bench/serve_load.py compares the server with: fits of 50 rows and one column, one call of the library after the
// other. Prints the milliseconds of one.
#include <cmath>
#include <cstdio>

#include "instantgp/base/rng.h"
#include "instantgp/base/stopwatch.h"
#include "instantgp/model/session.h"

int main() {
  constexpr int kRows = 50, kFits = 2000;
  instantgp::RandomStream random(1);
  instantgp::Matrix X(kRows, 1);
  instantgp::Vector y(kRows);
  for (int i = 0; i < kRows; ++i) {
    X(i, 0) = static_cast<double>(i) / kRows;
    y[i] = std::sin(9 * X(i, 0)) + 0.1 * random.Normal();
  }
  const instantgp::Dataset data = instantgp::Dataset::Of(X, y, {"x"}, "y");
  instantgp::Session session;
  for (int k = 0; k < 100; ++k) session.Fit(data, "SE");
  const instantgp::Stopwatch clock;
  for (int k = 0; k < kFits; ++k) session.Fit(data, "SE");
  std::printf("%.4f ms for a fit of 50 rows and one column\n", clock.Milliseconds() / kFits);
}
