// The operations of the network as plain loops in double: what the fast ones are compared with.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/base/rng.h"

namespace instantgp::testing {

using Values = std::vector<double>;
inline Vector ToVector(const Values& values) { return Eigen::Map<const Vector>(values.data(), values.size()); }

inline Values RandomValues(RandomStream& random, std::size_t count, double scale = 1) {
  Values values(count);
  for (double& v : values) v = scale * random.Normal();
  return values;
}

template <typename T>
std::vector<T> Cast(const Values& values) {
  return std::vector<T>(values.begin(), values.end());
}

// The largest |a - b|, relative to the largest |b|.
template <typename A, typename B>
double Difference(const std::vector<A>& a, const std::vector<B>& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double worst = 0, scale = 1e-30;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    if (!(d <= worst)) worst = d;  // catches NaN
    scale = std::max(scale, std::abs(static_cast<double>(b[i])));
  }
  return worst / scale;
}

// C (m, n) = A (m, k) B (k, n)
inline Values NaiveProduct(int m, int n, int k, const Values& A, const Values& B) {
  Values C(static_cast<std::size_t>(m) * n, 0.0);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int p = 0; p < k; ++p) C[i * n + j] += A[i * k + p] * B[p * n + j];
    }
  }
  return C;
}

inline Values NaiveTranspose(int m, int n, const Values& A) {
  Values t(A.size());
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) t[j * m + i] = A[i * n + j];
  }
  return t;
}

struct NaiveAttention {
  Values o;     // (tokens, width)
  Values dqkv;  // (tokens, 3 width), for the given dO
};

inline NaiveAttention AttentionByLoops(const std::vector<int>& begin, int width, int heads, const Values& qkv,
                                       const Values& dO) {
  const int tokens = begin.back(), c = width / heads;
  const double scale = 1 / std::sqrt(static_cast<double>(c));
  NaiveAttention result{Values(static_cast<std::size_t>(tokens) * width, 0.0), Values(qkv.size(), 0.0)};
  for (std::size_t s = 0; s + 1 < begin.size(); ++s) {
    for (int h = 0; h < heads; ++h) {
      for (int i = begin[s]; i < begin[s + 1]; ++i) {
        const int q = i * 3 * width + h * c;
        Values p;
        double largest = -std::numeric_limits<double>::infinity(), sum = 0;
        for (int j = begin[s]; j < begin[s + 1]; ++j) {
          double dot = 0;
          for (int e = 0; e < c; ++e) dot += qkv[q + e] * qkv[j * 3 * width + width + h * c + e];
          p.push_back(dot * scale);
          largest = std::max(largest, p.back());
        }
        for (double& v : p) sum += v = std::exp(v - largest);
        double row_sum = 0;
        Values dp(p.size(), 0.0);
        for (std::size_t t = 0; t < p.size(); ++t) {
          p[t] /= sum;
          const int v = (begin[s] + static_cast<int>(t)) * 3 * width + 2 * width + h * c;
          for (int e = 0; e < c; ++e) {
            result.o[i * width + h * c + e] += p[t] * qkv[v + e];
            dp[t] += dO[i * width + h * c + e] * qkv[v + e];
          }
          row_sum += p[t] * dp[t];
        }
        for (std::size_t t = 0; t < p.size(); ++t) {
          const int k = (begin[s] + static_cast<int>(t)) * 3 * width + width + h * c;
          const double ds = p[t] * (dp[t] - row_sum) * scale;
          for (int e = 0; e < c; ++e) {
            result.dqkv[q + e] += ds * qkv[k + e];
            result.dqkv[k + e] += ds * qkv[q + e];
            result.dqkv[k + width + e] += p[t] * dO[i * width + h * c + e];
          }
        }
      }
    }
  }
  return result;
}

}  // namespace instantgp::testing
