// Options and encodings as Python holds them: with the network they need.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "instantgp/inference/encoding.h"
#include "instantgp/inference/trained_network.h"
#include "instantgp/model/session.h"

namespace instantgp::python {

using NetworkPointer = std::shared_ptr<const TrainedNetwork>;  // null: the one inside the library

struct Options {
  FitOptions fit;
  int threads = 0;
  NetworkPointer network;

  // The session of one call: with the network and a way to stop.
  SessionOptions Session(const std::stop_token& stop) const {
    return {.network = network.get(), .threads = threads, .stop = stop};
  }
};

// Never changed after it was made.
struct KeptEncoding {
  Encoding encoding;
  NetworkPointer network;

  // The session of a call for this encoding: its network, whatever weights the options name.
  SessionOptions Session(const Options& options, const std::stop_token& stop) const {
    SessionOptions session = options.Session(stop);
    session.network = network ? network.get() : &TrainedNetwork::Embedded();  // never the default of another method
    return session;
  }
};

}  // namespace instantgp::python
