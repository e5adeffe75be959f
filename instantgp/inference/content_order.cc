#include "instantgp/inference/content_order.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace instantgp {
namespace {

// SplitMix64's finaliser: every bit of the input moves half of the bits of the output.
std::uint64_t Mix(std::uint64_t h) {
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
  return h ^ (h >> 31);
}

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;  // 2^64 over the golden ratio

}  // namespace

std::vector<int> ContentOrder(const Matrix& X, const Vector& y, std::uint64_t seed) {
  const int n = static_cast<int>(X.rows());
  std::vector<std::pair<std::uint64_t, int>> keys(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) keys[i] = {Mix(seed + kGolden), i};
  for (Index c = 0; c < X.cols(); ++c) {
    for (int i = 0; i < n; ++i) {
      keys[i].first = Mix(keys[i].first + kGolden + std::bit_cast<std::uint64_t>(X(i, c) + 0.0));  // -0 as 0
    }
  }
  const auto before = [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : y[a.second] < y[b.second];
  };
  std::sort(keys.begin(), keys.end(), before);
  // Copies have one hash and would come together: their number among them parts them.
  std::uint64_t previous = 0, number = 0;
  bool copies = false;
  for (int i = 0; i < n; ++i) {
    const std::uint64_t own = keys[i].first;
    number = i > 0 && own == previous ? number + 1 : 0;
    copies = copies || number > 0;
    if (number > 0) keys[i].first = Mix(own + kGolden * number);
    previous = own;
  }
  if (copies) std::sort(keys.begin(), keys.end(), before);
  std::vector<int> order(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) order[i] = keys[i].second;
  return order;
}

}  // namespace instantgp
