#include "apps/cli/terminal/memory_reserve.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace instantgp::cli {
namespace {

constexpr std::size_t kReserve = std::size_t{1} << 20;
std::atomic<void*> reserve = nullptr;

void GiveFree() {
  void* const kept = reserve.exchange(nullptr);
  if (kept == nullptr) throw std::bad_alloc();
  std::free(kept);
}

}  // namespace

void KeepMemoryReserve() {
  reserve = std::malloc(kReserve);
  std::set_new_handler(GiveFree);
}

}  // namespace instantgp::cli
