// How the datasets of a batch are shared out: a fixed number of lanes, each summing its gradients in a fixed order.
//
// Lanes are run by whatever threads and ranks there are; the sum over lanes has a fixed order too. So the result of a
// step depends on the number of lanes, never on the number of threads.
#pragma once

#include <vector>

#include "instantgp/network/network.h"

namespace instantgp {

struct LanePlan {
  std::vector<std::vector<int>> members;  // per lane: places in the batch, ascending
  std::vector<double> cost;               // per lane
};

// Longest first, each to the lane with the least work so far (ties: the lower number). Every lane costs at most
// 4/3 of the best possible maximum.
LanePlan AssignLanes(const std::vector<double>& costs, int lanes);

// Estimated work of one training pass on n rows and d columns, in floating-point operations of the network.
double EstimateCost(const Network<float>& network, int n, int d);

// The lanes [first, last) that rank `rank` of `size` runs.
struct LaneRange {
  int first = 0;
  int last = 0;
};
LaneRange LanesOfRank(int lanes, int rank, int size);

}  // namespace instantgp
