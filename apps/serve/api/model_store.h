// Fitted models in memory, each under an id that cannot be guessed, until they are not used for a while.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "apps/cli/commands/fitted_file.h"
#include "apps/serve/options.h"

namespace instantgp::serve {

// Bytes of the matrices a model holds, about.
double SizeOf(const cli::Fitted& fitted);

class ModelStore {
 public:
  explicit ModelStore(const Limits& limits) : limits_(limits) {}

  // Returns the id. The models not used for longest make room.
  std::string Add(cli::Fitted fitted);
  // Null: there is none of that id, or not any more.
  std::shared_ptr<const cli::Fitted> Find(const std::string& id);
  bool Remove(const std::string& id);

  std::size_t size() const;
  double bytes() const;

 private:
  struct Kept {
    std::string id;
    std::shared_ptr<const cli::Fitted> fitted;
    double bytes = 0;
    double last_use = 0;  // seconds
  };

  void Drop(std::list<Kept>::iterator kept);
  void DropExpired();

  const Limits limits_;
  mutable std::mutex mutex_;
  std::list<Kept> kept_;  // by their last use, the oldest first
  std::unordered_map<std::string, std::list<Kept>::iterator> by_id_;
  double bytes_ = 0;
};

}  // namespace instantgp::serve
