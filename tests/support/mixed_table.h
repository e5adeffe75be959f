// A table as people have it: months, shops, prices with gaps, a name for every row.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

#include "instantgp/base/rng.h"

namespace instantgp::testing {

struct MixedTable {
  std::string train;  // with a header: month,city,price,note,sales
  std::string test;   // later months, with their sales
};

// Sales have a trend and a year's wave, a level for each city, fall with the price, and are lower where the price is
// missing. Rows: `months` of every of three cities; the last 6 months are the test.
inline MixedTable MakeMixedTable(int months, std::uint64_t seed = 7, bool gaps = true) {
  RandomStream random(seed);
  const char* const cities[] = {"Zürich", "Paris", "New York"};
  const double levels[] = {0, 4, 9};
  MixedTable table;
  table.train = table.test = "month,city,price,note,sales\n";
  for (int m = 0; m < months; ++m) {
    for (int c = 0; c < 3; ++c) {
      const double price = 2 + 3 * random.Uniform();
      const bool gap = gaps && random.Uniform() < 0.1;
      const double sales =
          20 + 0.1 * m + 3 * std::sin(2 * M_PI * m / 12) + levels[c] - (gap ? 12 : 2 * price) + 0.2 * random.Normal();
      char row[200], number[32] = "";
      if (!gap) std::snprintf(number, sizeof number, "%.3f", price);
      std::snprintf(row, sizeof row, "%04d-%02d,%s,%s,row %d of %s,%.4f\n", 2015 + m / 12, m % 12 + 1, cities[c],
                    number, m, cities[c], sales);
      (m < months - 6 ? table.train : table.test) += row;
    }
  }
  return table;
}

}  // namespace instantgp::testing
