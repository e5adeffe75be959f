#include "apps/serve/api/model_store.h"

#include <sys/random.h>

#include <chrono>
#include <utility>

#include "instantgp/base/error.h"

namespace instantgp::serve {
namespace {

double Now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// 128 random bits: whoever was not told an id does not find it.
std::string NewId() {
  unsigned char bytes[16];
  if (::getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes)) {
    throw Error(ErrorCode::kFailure, "the system gives no random numbers");
  }
  std::string id;
  for (const unsigned char byte : bytes) {
    id += "0123456789abcdef"[byte >> 4];
    id += "0123456789abcdef"[byte & 15];
  }
  return id;
}

double ModelBytes(const Model& model) {
  const double n = model.rows(), d = model.columns();
  const double factors = model.neighbours() != nullptr || model.sparse() != nullptr ? 0 : 1 + model.AveragedOver();
  return 8 * (n * (d + 4) + n * n * factors) + 4096;
}

}  // namespace

double SizeOf(const cli::Fitted& fitted) {
  if (const auto* model = std::get_if<Model>(&fitted)) return ModelBytes(*model);
  double bytes = 0;
  for (const EnsembleMember& member : std::get<Ensemble>(fitted).members()) bytes += ModelBytes(member.model);
  return bytes;
}

std::string ModelStore::Add(cli::Fitted fitted) {
  Kept kept{NewId(), nullptr, SizeOf(fitted), Now()};
  kept.fitted = std::make_shared<const cli::Fitted>(std::move(fitted));
  const std::lock_guard<std::mutex> lock(mutex_);
  DropExpired();
  while (!kept_.empty() && (kept_.size() >= limits_.models || bytes_ + kept.bytes > limits_.model_bytes)) {
    Drop(kept_.begin());
  }
  bytes_ += kept.bytes;
  std::string id = kept.id;
  by_id_[id] = kept_.insert(kept_.end(), std::move(kept));
  return id;
}

std::shared_ptr<const cli::Fitted> ModelStore::Find(const std::string& id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  DropExpired();
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return nullptr;
  found->second->last_use = Now();
  kept_.splice(kept_.end(), kept_, found->second);
  return found->second->fitted;
}

bool ModelStore::Remove(const std::string& id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return false;
  Drop(found->second);
  return true;
}

std::size_t ModelStore::size() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return kept_.size();
}

double ModelStore::bytes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return bytes_;
}

void ModelStore::Drop(std::list<Kept>::iterator kept) {
  bytes_ -= kept->bytes;
  by_id_.erase(kept->id);
  kept_.erase(kept);
}

void ModelStore::DropExpired() {
  const double oldest = Now() - limits_.model_seconds;
  while (!kept_.empty() && kept_.front().last_use < oldest) Drop(kept_.begin());
}

}  // namespace instantgp::serve
