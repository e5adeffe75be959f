#include "instantgp/base/rng.h"

#include <Random123/philox.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "instantgp/base/check.h"

namespace instantgp {

namespace {

std::uint32_t Low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
std::uint32_t High(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }

}  // namespace

// The seed is the key. The 128-bit counter is (block, substream, stream low, stream high): two streams never meet.
RandomStream::RandomStream(std::uint64_t seed, std::uint64_t stream, std::uint32_t substream)
    : key_{Low(seed), High(seed)}, counter_{0, substream, Low(stream), High(stream)}, block_{} {}

void RandomStream::Refill() {
  const r123::Philox4x32::ctr_type counter = {{counter_[0], counter_[1], counter_[2], counter_[3]}};
  const r123::Philox4x32::key_type key = {{key_[0], key_[1]}};
  const r123::Philox4x32::ctr_type random = r123::Philox4x32()(counter, key);
  std::copy(random.begin(), random.end(), block_.begin());
  // 2^34 numbers exhaust a stream; going on would repeat them.
  INSTANTGP_CHECK(counter_[0] != std::numeric_limits<std::uint32_t>::max());
  ++counter_[0];
  used_ = 0;
}

std::uint32_t RandomStream::Bits() {
  if (used_ == static_cast<int>(block_.size())) Refill();
  return block_[static_cast<std::size_t>(used_++)];
}

double RandomStream::Uniform() {
  for (;;) {
    const std::uint64_t high = Bits();
    const std::uint64_t bits = ((high << 32) | Bits()) >> 11;
    // Zero comes once in 2^53 draws and is drawn again, which keeps the interval open without losing a bit.
    if (bits != 0) return static_cast<double>(bits) * 0x1p-53;
  }
}

double RandomStream::Uniform(double lower, double upper) {
  INSTANTGP_CHECK(lower < upper && std::isfinite(lower) && std::isfinite(upper));
  const double u = Uniform();
  // Written as a mean of the ends because upper - lower may overflow; rounding must not reach an end.
  const double value = (1 - u) * lower + u * upper;
  if (value <= lower) return std::nextafter(lower, upper);
  if (value >= upper) return std::nextafter(upper, lower);
  return value;
}

int RandomStream::UniformInt(int lower, int upper) {
  INSTANTGP_CHECK(lower <= upper);
  const std::uint64_t count = static_cast<std::uint64_t>(static_cast<std::int64_t>(upper) - lower) + 1;
  // The high word of bits * count is the result; the 2^32 mod count low words that would favour some results are
  // drawn again (Lemire 2019).
  const std::uint64_t biased = (std::uint64_t{1} << 32) % count;
  std::uint64_t product = 0;
  do {
    product = std::uint64_t{Bits()} * count;
  } while (Low(product) < biased);
  return static_cast<int>(lower + static_cast<std::int64_t>(product >> 32));
}

// Marsaglia's polar method: (u, v) uniform in the unit disc, s = u^2 + v^2, then u sqrt(-2 log(s) / s) and the same of
// v are two independent normals.
double RandomStream::Normal() {
  if (has_spare_normal_) {
    has_spare_normal_ = false;
    return spare_normal_;
  }
  for (;;) {
    const double u = 2 * Uniform() - 1;
    const double v = 2 * Uniform() - 1;
    const double s = u * u + v * v;
    if (s >= 1 || s == 0) continue;
    const double factor = std::sqrt(-2 * std::log(s) / s);
    spare_normal_ = v * factor;
    has_spare_normal_ = true;
    return u * factor;
  }
}

double RandomStream::Exponential(double mean) {
  INSTANTGP_CHECK(mean > 0);
  return -mean * std::log(Uniform());
}

// Marsaglia and Tsang (2000): with d = shape - 1/3, c = 1 / sqrt(9 d), v = (1 + c z)^3, z normal, d v is accepted when
// log u < z^2 / 2 + d - d v + d log v.
double RandomStream::Gamma(double shape, double rate) {
  INSTANTGP_CHECK(shape > 0 && std::isfinite(shape));
  INSTANTGP_CHECK(rate > 0);
  // Below one: Gamma(shape) = Gamma(shape + 1) U^(1/shape).
  const double boosted = shape < 1 ? shape + 1 : shape;
  const double d = boosted - 1.0 / 3.0;
  const double c = 1 / std::sqrt(9 * d);
  double value = 0;
  for (;;) {
    const double z = Normal();
    const double root = 1 + c * z;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (std::log(Uniform()) < 0.5 * z * z + d - d * v + d * std::log(v)) {
      value = d * v;
      break;
    }
  }
  if (shape < 1) value *= std::exp(std::log(Uniform()) / shape);
  // A tiny shape puts most of its mass below the smallest double; the result stays positive so that its log is finite.
  return std::max(value / rate, std::numeric_limits<double>::min());
}

int RandomStream::Geometric(double p) {
  INSTANTGP_CHECK(p > 0 && p <= 1);
  if (p == 1) return 1;
  const double failures = std::floor(std::log(Uniform()) / std::log1p(-p));
  return failures >= std::numeric_limits<int>::max() ? std::numeric_limits<int>::max() : 1 + static_cast<int>(failures);
}

bool RandomStream::Bernoulli(double p) {
  INSTANTGP_CHECK(p >= 0 && p <= 1);
  // Uniform() lies strictly inside (0, 1), so p = 0 never and p = 1 always succeeds.
  return Uniform() < p;
}

}  // namespace instantgp
