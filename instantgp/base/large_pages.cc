#include "instantgp/base/large_pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace instantgp {

void AskForLargePages(void* begin, std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t kLarge = std::uintptr_t{2} << 20;
  // Whole pages within the range alone: what lies beside it is not ours.
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t first = (address + kLarge - 1) / kLarge * kLarge, last = (address + bytes) / kLarge * kLarge;
  if (first < last) ::madvise(static_cast<char*>(begin) + (first - address), last - first, MADV_HUGEPAGE);
#else
  static_cast<void>(begin);
  static_cast<void>(bytes);
#endif
}

}  // namespace instantgp
