// What `instantgp serve` was asked for, and what a request may take.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace instantgp::serve {

// Beyond these a request is refused with the number (413), asked to come back (429, 503), or cut off.
struct Limits {
  std::size_t header_bytes = std::size_t{16} << 10;
  std::size_t body_bytes = std::size_t{32} << 20;
  double cells = 2e6;  // rows times columns of a table
  std::size_t kernel_bytes = 4096;
  std::size_t kernels = 64;
  int waiting = 256;        // requests being worked on or waiting for a thread
  int connections = 4096;   // open at once; the oldest that waits for its client makes room for a new one
  double seconds = 60;      // of a request, waiting included
  double memory = 1 << 30;  // bytes of the matrices of a request

  double header_seconds = 10;  // from the first byte of a request to the end of its header
  double body_seconds = 30;
  double idle_seconds = 60;   // between two requests of a connection
  double write_seconds = 30;  // for a client to take its answer
  double drain_seconds = 10;  // after a signal, for requests that are being worked on

  std::size_t models = 256;  // kept in memory; the one not used for longest makes room
  double model_bytes = 1 << 30;
  double model_seconds = 3600;  // since its last use

  std::size_t live_points = 2000;
  std::size_t live_kernels = 16;
  int live_connections = 64;
};

struct ServeOptions {
  std::string host = "127.0.0.1";
  int port = 8080;  // 0: any that is free
  int threads = 0;  // that work on requests; 0: one per core
  std::string token;
  std::vector<std::string> allowed_hosts;    // besides the address itself: names a proxy passes on
  std::vector<std::string> allowed_origins;  // other sites whose pages may ask, "https://example.org"
  Limits limits;
};

}  // namespace instantgp::serve
