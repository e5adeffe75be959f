#include "instantgp/network/ops/layer_norm.h"

#include <cmath>
#include <cstddef>

#include "instantgp/network/ops/simd.h"

namespace instantgp {
namespace {

using namespace simd;

// Rows go through in groups, so that their horizontal sums overlap and column sums are touched once per group.
constexpr int kGroup = 4;

// Calls vector(column) for every whole vector of a row and scalar(column) for the rest.
template <typename T, typename VectorBody, typename ScalarBody>
HWY_INLINE void ForEachColumn(int width, VectorBody&& vector, ScalarBody&& scalar) {
  int j = 0;
  for (; j + kLanes<T> <= width; j += kLanes<T>) vector(j);
  for (; j < width; ++j) scalar(j);
}

template <typename T>
HWY_INLINE T Total(Vec<T> sum) {
  return hn::GetLane(hn::SumOfLanes(Tag<T>(), sum));
}

template <int R, typename T>
HWY_INLINE void NormRows(int width, const T* x, const T* gain, const T* bias, T* y, T* hat, T* rstd) {
  const Tag<T> d;
  Vec<T> sum[R];
  T mean[R], rest[R] = {};
  INSTANTGP_UNROLL
  for (int r = 0; r < R; ++r) sum[r] = hn::Zero(d);
  ForEachColumn<T>(
      width,
      [&](int j) HWY_ATTR {
        INSTANTGP_UNROLL
        for (int r = 0; r < R; ++r) sum[r] = hn::Add(sum[r], hn::LoadU(d, x + r * width + j));
      },
      [&](int j) {
        for (int r = 0; r < R; ++r) rest[r] += x[r * width + j];
      });
  INSTANTGP_UNROLL
  for (int r = 0; r < R; ++r) {
    mean[r] = (Total<T>(sum[r]) + rest[r]) / static_cast<T>(width);
    sum[r] = hn::Zero(d);
    rest[r] = 0;
  }
  ForEachColumn<T>(
      width,
      [&](int j) HWY_ATTR {
        INSTANTGP_UNROLL
        for (int r = 0; r < R; ++r) {
          const Vec<T> centred = hn::Sub(hn::LoadU(d, x + r * width + j), hn::Set(d, mean[r]));
          sum[r] = hn::MulAdd(centred, centred, sum[r]);
        }
      },
      [&](int j) {
        for (int r = 0; r < R; ++r) rest[r] += (x[r * width + j] - mean[r]) * (x[r * width + j] - mean[r]);
      });
  // hat = (x - mean) s, s = 1 / sqrt(variance + eps);  y = gain hat + bias
  T s[R];
  INSTANTGP_UNROLL
  for (int r = 0; r < R; ++r) {
    s[r] = 1 / std::sqrt((Total<T>(sum[r]) + rest[r]) / static_cast<T>(width) + T(kNormEpsilon));
    if (rstd != nullptr) rstd[r] = s[r];
  }
  ForEachColumn<T>(
      width,
      [&](int j) HWY_ATTR {
        const Vec<T> g = hn::LoadU(d, gain + j), b = hn::LoadU(d, bias + j);
        INSTANTGP_UNROLL
        for (int r = 0; r < R; ++r) {
          const Vec<T> h = hn::Mul(hn::Sub(hn::LoadU(d, x + r * width + j), hn::Set(d, mean[r])), hn::Set(d, s[r]));
          if (hat != nullptr) hn::StoreU(h, d, hat + r * width + j);
          hn::StoreU(hn::MulAdd(g, h, b), d, y + r * width + j);
        }
      },
      [&](int j) {
        for (int r = 0; r < R; ++r) {
          const T h = (x[r * width + j] - mean[r]) * s[r];
          if (hat != nullptr) hat[r * width + j] = h;
          y[r * width + j] = gain[j] * h + bias[j];
        }
      });
}

// y = gain hat + bias, hat = (x - mean) s  =>  g = gain dy,  dx = s (g - mean(g) - hat mean(g hat)),
// dgain += dy hat,  dbias += dy
template <int R, typename T>
HWY_INLINE void NormRowsBackward(int width, const T* hat, const T* rstd, const T* gain, const T* dy, T* dx,
                                 bool accumulate, T* dgain, T* dbias) {
  const Tag<T> d;
  Vec<T> sum[R], dot[R];
  T mean_g[R] = {}, mean_gh[R] = {};
  INSTANTGP_UNROLL
  for (int r = 0; r < R; ++r) sum[r] = dot[r] = hn::Zero(d);
  ForEachColumn<T>(
      width,
      [&](int j) HWY_ATTR {
        const Vec<T> gains = hn::LoadU(d, gain + j);
        INSTANTGP_UNROLL
        for (int r = 0; r < R; ++r) {
          const Vec<T> g = hn::Mul(gains, hn::LoadU(d, dy + r * width + j));
          sum[r] = hn::Add(sum[r], g);
          dot[r] = hn::MulAdd(g, hn::LoadU(d, hat + r * width + j), dot[r]);
        }
      },
      [&](int j) {
        for (int r = 0; r < R; ++r) {
          mean_g[r] += gain[j] * dy[r * width + j];
          mean_gh[r] += gain[j] * dy[r * width + j] * hat[r * width + j];
        }
      });
  INSTANTGP_UNROLL
  for (int r = 0; r < R; ++r) {
    mean_g[r] = (Total<T>(sum[r]) + mean_g[r]) / static_cast<T>(width);
    mean_gh[r] = (Total<T>(dot[r]) + mean_gh[r]) / static_cast<T>(width);
  }
  ForEachColumn<T>(
      width,
      [&](int j) HWY_ATTR {
        const Vec<T> gains = hn::LoadU(d, gain + j);
        Vec<T> to_gain = hn::LoadU(d, dgain + j), to_bias = hn::LoadU(d, dbias + j);
        INSTANTGP_UNROLL
        for (int r = 0; r < R; ++r) {
          const Vec<T> g = hn::LoadU(d, dy + r * width + j), h = hn::LoadU(d, hat + r * width + j);
          to_gain = hn::MulAdd(g, h, to_gain);
          to_bias = hn::Add(to_bias, g);
          Vec<T> value = hn::Sub(hn::Mul(gains, g), hn::Set(d, mean_g[r]));
          value = hn::Mul(hn::NegMulAdd(h, hn::Set(d, mean_gh[r]), value), hn::Set(d, rstd[r]));
          T* out = dx + r * width + j;
          hn::StoreU(accumulate ? hn::Add(hn::LoadU(d, out), value) : value, d, out);
        }
        hn::StoreU(to_gain, d, dgain + j);
        hn::StoreU(to_bias, d, dbias + j);
      },
      [&](int j) {
        for (int r = 0; r < R; ++r) {
          const T g = dy[r * width + j], h = hat[r * width + j];
          dgain[j] += g * h;
          dbias[j] += g;
          const T value = rstd[r] * (gain[j] * g - mean_g[r] - h * mean_gh[r]);
          dx[r * width + j] = accumulate ? dx[r * width + j] + value : value;
        }
      });
}

}  // namespace

template <typename T>
void LayerNormForward(int m, int width, const T* x, const T* gain, const T* bias, T* y, T* hat, T* rstd) {
  ForEachRowTile<kGroup>(m, [&](auto rows, int i) {
    const std::size_t at = static_cast<std::size_t>(i) * width;
    NormRows<decltype(rows)::value>(width, x + at, gain, bias, y + at, hat == nullptr ? hat : hat + at,
                                    rstd == nullptr ? rstd : rstd + i);
  });
}

template <typename T>
void LayerNormBackward(int m, int width, const T* hat, const T* rstd, const T* gain, const T* dy, T* dx,
                       bool accumulate, T* dgain, T* dbias) {
  ForEachRowTile<kGroup>(m, [&](auto rows, int i) {
    const std::size_t at = static_cast<std::size_t>(i) * width;
    NormRowsBackward<decltype(rows)::value>(width, hat + at, rstd + i, gain, dy + at, dx + at, accumulate, dgain,
                                            dbias);
  });
}

template void LayerNormForward(int, int, const float*, const float*, const float*, float*, float*, float*);
template void LayerNormForward(int, int, const double*, const double*, const double*, double*, double*, double*);
template void LayerNormBackward(int, int, const float*, const float*, const float*, const float*, float*, bool, float*,
                                float*);
template void LayerNormBackward(int, int, const double*, const double*, const double*, const double*, double*, bool,
                                double*, double*);

}  // namespace instantgp
