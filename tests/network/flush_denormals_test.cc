#include "instantgp/network/ops/flush_denormals.h"

#include <gtest/gtest.h>

#include <limits>

namespace instantgp {
namespace {

// Through a volatile, so that the product is formed when it is asked for.
float Half(float value) {
  volatile float half = 0.5f;
  return value * half;
}

TEST(FlushDenormals, HoldsWhileTheObjectLives) {
  constexpr float kSmallest = std::numeric_limits<float>::min();
  EXPECT_GT(Half(kSmallest), 0);
#if defined(__SSE2__) || defined(__aarch64__)
  {
    const FlushDenormals flush;
    EXPECT_EQ(Half(kSmallest), 0);
    EXPECT_EQ(Half(2 * kSmallest), kSmallest);
  }
#endif
  EXPECT_GT(Half(kSmallest), 0);
}

}  // namespace
}  // namespace instantgp
