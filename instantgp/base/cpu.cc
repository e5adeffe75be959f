// Compiled for the oldest processor of the architecture (see CMakeLists.txt). Only plain C: an inline function of the
// standard library might be linked from a file compiled for a newer one.
#include "instantgp/base/cpu.h"

#include "instantgp/base/cpu_features.h"

namespace instantgp {

namespace {

#ifdef __x86_64__
#define INSTANTGP_NAME(macro, builtin_name, name) name,
constexpr const char* kNames[] = {INSTANTGP_CPU_FEATURES(INSTANTGP_NAME)};
#undef INSTANTGP_NAME
constexpr int kFeatures = sizeof(kNames) / sizeof(kNames[0]);
static_assert(kFeatures <= 64);
#endif

// Appends what fits and keeps room for the closing zero.
class Text {
 public:
  Text(char* buffer, std::size_t size) : buffer_(buffer), size_(size) {
    if (size_ > 0) buffer_[0] = '\0';
  }
  void Append(const char* text) {
    for (; *text != '\0' && length_ + 1 < size_; ++text) buffer_[length_++] = *text;
    if (size_ > 0) buffer_[length_] = '\0';
  }
  std::size_t length() const { return length_; }

 private:
  char* buffer_;
  std::size_t size_;
  std::size_t length_ = 0;
};

}  // namespace

CpuFeatures MachineCpuFeatures() {
  CpuFeatures features = 0;
#ifdef __x86_64__
  __builtin_cpu_init();  // needed when no static initialiser has run yet
  CpuFeatures bit = 1;
#define INSTANTGP_ADD(macro, builtin_name, name)             \
  if (__builtin_cpu_supports(builtin_name)) features |= bit; \
  bit <<= 1;
  INSTANTGP_CPU_FEATURES(INSTANTGP_ADD)
#undef INSTANTGP_ADD
#endif
  return features;
}

const char* CpuFeatureName(int bit) {
#ifdef __x86_64__
  if (bit >= 0 && bit < kFeatures) return kNames[bit];
#endif
  static_cast<void>(bit);
  return nullptr;
}

std::size_t DescribeMissingCpuFeatures(CpuFeatures needed, CpuFeatures present, char* buffer, std::size_t size) {
  Text text(buffer, size);
  const CpuFeatures missing = needed & ~present;
  if (missing == 0) return 0;
  text.Append("this program was built for a newer processor: this one lacks");
  for (int bit = 0; CpuFeatureName(bit) != nullptr; ++bit) {
    if ((missing >> bit & 1) == 0) continue;
    text.Append(" ");
    text.Append(CpuFeatureName(bit));
  }
  text.Append("; build it on this machine, or for every machine with -DINSTANTGP_ARCH=x86-64");
  return text.length();
}

}  // namespace instantgp
