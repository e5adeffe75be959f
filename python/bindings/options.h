// Options and encodings as Python holds them: with the network they need.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "instantgp/inference/encoding.h"
#include "instantgp/model/fit.h"

namespace instantgp::python {

using NetworkPointer = std::shared_ptr<const TrainedNetwork>;  // null: the one inside the library

struct Options {
  FitOptions fit;
  NetworkPointer network;

  // The options of one call: with the network and a way to stop.
  FitOptions With(const std::stop_token& stop) const {
    FitOptions options = fit;
    options.network = network.get();
    options.stop = stop;
    return options;
  }
};

// Never changed after it was made.
struct KeptEncoding {
  Encoding encoding;
  NetworkPointer network;

  // Options for this encoding: its network, whatever weights they name.
  FitOptions Adapt(const Options& options, const std::stop_token& stop) const {
    FitOptions adapted = options.With(stop);
    adapted.network = network ? network.get() : &TrainedNetwork::Embedded();  // never the default of another method
    return adapted;
  }
};

}  // namespace instantgp::python
