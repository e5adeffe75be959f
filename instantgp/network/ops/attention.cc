#include "instantgp/network/ops/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace instantgp {

template <typename T>
void AttentionForward(const Segments& segments, int width, int heads, const T* qkv, T* o, T* lse, Arena& arena) {
  const int c = width / heads;
  const T scale = 1 / std::sqrt(static_cast<T>(c));
  const int tokens = segments.tokens();
  const Arena::Mark mark = arena.Here();
  T* p = arena.New<T>(tokens);
  for (int s = 0; s < segments.count; ++s) {
    const int begin = segments.begin[s], end = segments.begin[s + 1];
    for (int h = 0; h < heads; ++h) {
      for (int i = begin; i < end; ++i) {
        const T* q = qkv + static_cast<std::size_t>(i) * 3 * width + h * c;
        T max = -std::numeric_limits<T>::infinity();
        for (int j = begin; j < end; ++j) {
          const T* k = qkv + static_cast<std::size_t>(j) * 3 * width + width + h * c;
          T dot = 0;
          for (int e = 0; e < c; ++e) dot += q[e] * k[e];
          p[j] = dot * scale;
          max = std::max(max, p[j]);
        }
        T sum = 0;
        for (int j = begin; j < end; ++j) sum += p[j] = std::exp(p[j] - max);
        T* row = o + static_cast<std::size_t>(i) * width + h * c;
        std::fill(row, row + c, T(0));
        for (int j = begin; j < end; ++j) {
          const T* v = qkv + static_cast<std::size_t>(j) * 3 * width + 2 * width + h * c;
          const T weight = p[j] / sum;
          for (int e = 0; e < c; ++e) row[e] += weight * v[e];
        }
        if (lse != nullptr) lse[static_cast<std::size_t>(h) * tokens + i] = max + std::log(sum);
      }
    }
  }
  arena.Rewind(mark);
}

template <typename T>
void AttentionBackward(const Segments& segments, int width, int heads, const T* qkv, const T* o, const T* lse,
                       const T* dO, T* dqkv, Arena&) {
  const int c = width / heads;
  const T scale = 1 / std::sqrt(static_cast<T>(c));
  const int tokens = segments.tokens();
  std::fill(dqkv, dqkv + static_cast<std::size_t>(tokens) * 3 * width, T(0));
  for (int s = 0; s < segments.count; ++s) {
    const int begin = segments.begin[s], end = segments.begin[s + 1];
    for (int h = 0; h < heads; ++h) {
      for (int i = begin; i < end; ++i) {
        const std::size_t qi = static_cast<std::size_t>(i) * 3 * width + h * c;
        const T* out = o + static_cast<std::size_t>(i) * width + h * c;
        const T* dout = dO + static_cast<std::size_t>(i) * width + h * c;
        // o = P v  =>  dP = dO v^T, and the row sum of P dP is dO . o
        T row_sum = 0;
        for (int e = 0; e < c; ++e) row_sum += dout[e] * out[e];
        for (int j = begin; j < end; ++j) {
          const std::size_t kj = static_cast<std::size_t>(j) * 3 * width + width + h * c;
          const std::size_t vj = kj + width;
          T dot = 0, dp = 0;
          for (int e = 0; e < c; ++e) {
            dot += qkv[qi + e] * qkv[kj + e];
            dp += dout[e] * qkv[vj + e];
          }
          const T p = std::exp(dot * scale - lse[static_cast<std::size_t>(h) * tokens + i]);
          // P = softmax(S), S = q k^T / sqrt(c)  =>  dS = P (dP - rowsum),  dq = dS k / sqrt(c),  dk = dS^T q / sqrt(c)
          const T ds = p * (dp - row_sum) * scale;
          for (int e = 0; e < c; ++e) {
            dqkv[qi + e] += ds * qkv[kj + e];
            dqkv[kj + e] += ds * qkv[qi + e];
            dqkv[vj + e] += p * dout[e];
          }
        }
      }
    }
  }
}

template void AttentionForward(const Segments&, int, int, const float*, float*, float*, Arena&);
template void AttentionForward(const Segments&, int, int, const double*, double*, double*, Arena&);
template void AttentionBackward(const Segments&, int, int, const float*, const float*, const float*, const float*,
                                float*, Arena&);
template void AttentionBackward(const Segments&, int, int, const double*, const double*, const double*, const double*,
                                double*, Arena&);

}  // namespace instantgp
