#include "tests/fuzz/allocation_meter.h"

#include <atomic>
#include <cstddef>

namespace {

std::atomic<long long> held = 0, peak = 0;

}  // namespace

#if defined(__has_feature) && defined(INSTANTGP_METER)  // in the fuzzers; replays do not count
#if __has_feature(address_sanitizer)
extern "C" std::size_t __sanitizer_get_allocated_size(const volatile void* block);
// Called by the sanitizer; the names are its.
extern "C" void __sanitizer_malloc_hook(const volatile void*, std::size_t size) {
  const long long now = held.fetch_add(static_cast<long long>(size)) + static_cast<long long>(size);
  long long seen = peak.load();
  while (now > seen && !peak.compare_exchange_weak(seen, now)) {
  }
}
extern "C" void __sanitizer_free_hook(const volatile void* block) {
  if (block != nullptr) held.fetch_sub(static_cast<long long>(__sanitizer_get_allocated_size(block)));
}
#endif
#endif

namespace instantgp::fuzz {

void StartMeter() {
  held = 0;
  peak = 0;
}

double MeteredPeak() { return static_cast<double>(peak.load()); }

}  // namespace instantgp::fuzz
