// Counter-based random streams (Philox4x32-10 of Random123).
//
// A stream is named by (seed, stream); its k-th number depends on nothing else, so work item k of a run draws the same
// numbers whatever the number of threads or processes. The distributions are our own few lines, because those of the
// standard library differ between implementations.
#pragma once

#include <array>
#include <cstdint>

namespace instantgp {

class RandomStream {
 public:
  // Streams of one seed are independent of each other. `substream` separates uses inside one work item.
  explicit RandomStream(std::uint64_t seed, std::uint64_t stream = 0, std::uint32_t substream = 0);

  std::uint32_t Bits();
  double Uniform();                            // open interval (0, 1), 53 bits
  double Uniform(double lower, double upper);  // (lower, upper)
  int UniformInt(int lower, int upper);        // inclusive at both ends, unbiased
  double Normal();                             // mean 0, variance 1
  double Exponential(double mean);
  double Gamma(double shape, double rate);  // shape > 0; mean shape / rate
  int Geometric(double p);                  // 1, 2, ... ; P(k) = p (1-p)^(k-1)
  bool Bernoulli(double p);

 private:
  void Refill();

  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_;
  int used_ = 4;
  double spare_normal_ = 0;
  bool has_spare_normal_ = false;
};

}  // namespace instantgp
