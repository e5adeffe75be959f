#include "instantgp/training/lanes.h"

#include <algorithm>
#include <numeric>

#include "instantgp/kernel/structure_list.h"

namespace instantgp {

LanePlan AssignLanes(const std::vector<double>& costs, int lanes) {
  std::vector<int> order(costs.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return costs[a] > costs[b]; });
  LanePlan plan;
  plan.members.resize(lanes);
  plan.cost.assign(lanes, 0.0);
  for (const int item : order) {
    const auto lane = std::min_element(plan.cost.begin(), plan.cost.end()) - plan.cost.begin();
    plan.members[lane].push_back(item);
    plan.cost[lane] += costs[item];
  }
  for (std::vector<int>& members : plan.members) std::sort(members.begin(), members.end());
  return plan;
}

double EstimateCost(const Network<float>& network, int n, int d) {
  const Structure structure = SpreadOverColumns({BaseSymbol::kSE}, d);
  // One Cholesky and the kernel entries of each hypothesis, and the gradient of about one; in double, at about a tenth
  // of the rate of the network's products.
  const double rows = n;
  const double evaluations = network.config().hypotheses + 2;
  return network.TrainingFlops(n, structure) + 10 * evaluations * (rows * rows * rows / 3 + 20 * rows * rows * d);
}

LaneRange LanesOfRank(int lanes, int rank, int size) {
  return {static_cast<int>(static_cast<long long>(lanes) * rank / size),
          static_cast<int>(static_cast<long long>(lanes) * (rank + 1) / size)};
}

}  // namespace instantgp
