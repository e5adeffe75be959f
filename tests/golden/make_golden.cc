// Writes gp_golden.json: the golden numbers of every case, in 50-digit arithmetic. Run it after changing the cases:
//   make_golden > tests/golden/gp_golden.json
#include <iostream>
#include <nlohmann/json.hpp>

#include "tests/support/golden_case.h"

int main() {
  using namespace instantgp::testing;
  nlohmann::ordered_json cases = nlohmann::ordered_json::array();
  for (const GoldenCase& golden : AllGoldenCases()) {
    std::cerr << golden.kernel << " n=" << golden.n << " d=" << golden.d << '\n';
    const GoldenNumbers numbers = ComputeGoldenNumbers(golden);
    cases.push_back({{"kernel", golden.kernel},
                     {"n", golden.n},
                     {"d", golden.d},
                     {"seed", golden.seed},
                     {"nlml", numbers.nlml},
                     {"gradient", numbers.gradient},
                     {"mean", numbers.mean},
                     {"variance", numbers.variance}});
  }
  std::cout << nlohmann::ordered_json{{"schema", "instantgp/golden/1"}, {"cases", cases}}.dump(1) << '\n';
}
