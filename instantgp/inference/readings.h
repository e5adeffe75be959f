// A large table read at several scales: parts of it, near and wide, each as the network reads a small table.
//
// A few hundred rows out of a million see the coarse structure only and call the rest noise; a few hundred out of the
// nearest thousand see the rest. Which scale is the right one is not known beforehand, so all are read.
#pragma once

#include <stop_token>
#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/gp/row_tree.h"
#include "instantgp/inference/trained_network.h"
#include "instantgp/kernel/log_parameters.h"
#include "instantgp/kernel/structure.h"

namespace instantgp {

struct Reading {
  LogParameters theta;  // in the table's units
  int zoom = 1;         // out of the nearest n / zoom rows of a random one; 1: out of all
  int rows = 0;
};

// One-shot inference on every part: random rows, and rows out of the nearest n/10, n/100, n/1000 of random ones.
// `order` names random rows (content_order.h). Parts without an answer are left out; all of them is an
// Error(kNumerical). The result does not depend on the pool.
std::vector<Reading> ReadAtSeveralScales(const TrainedNetwork& network, const RowTree& tree, const Structure& structure,
                                         const std::vector<int>& order, ThreadPool* pool, const std::stop_token& stop);

}  // namespace instantgp
