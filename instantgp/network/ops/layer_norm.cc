#include "instantgp/network/ops/layer_norm.h"

#include <cmath>
#include <cstddef>

namespace instantgp {

template <typename T>
void LayerNormForward(int m, int width, const T* x, const T* gain, const T* bias, T* y, T* hat, T* rstd) {
  for (int i = 0; i < m; ++i) {
    const std::size_t row = static_cast<std::size_t>(i) * width;
    T mean = 0;
    for (int j = 0; j < width; ++j) mean += x[row + j];
    mean /= width;
    T variance = 0;
    for (int j = 0; j < width; ++j) variance += (x[row + j] - mean) * (x[row + j] - mean);
    // hat = (x - mean) r, r = 1 / sqrt(variance + eps);  y = gain hat + bias
    const T r = 1 / std::sqrt(variance / width + T(kNormEpsilon));
    for (int j = 0; j < width; ++j) {
      const T h = (x[row + j] - mean) * r;
      if (hat != nullptr) hat[row + j] = h;
      y[row + j] = gain[j] * h + bias[j];
    }
    if (rstd != nullptr) rstd[i] = r;
  }
}

template <typename T>
void LayerNormBackward(int m, int width, const T* hat, const T* rstd, const T* gain, const T* dy, T* dx,
                       bool accumulate, T* dgain, T* dbias) {
  for (int i = 0; i < m; ++i) {
    // y = gain hat + bias, hat = (x - mean) r  =>  g = gain dy,  dx = r (g - mean(g) - hat mean(g hat))
    const std::size_t row = static_cast<std::size_t>(i) * width;
    T sum = 0, dot = 0;
    for (int j = 0; j < width; ++j) {
      const T g = gain[j] * dy[row + j];
      sum += g;
      dot += g * hat[row + j];
    }
    sum /= width;
    dot /= width;
    for (int j = 0; j < width; ++j) {
      const T d = dy[row + j];
      dgain[j] += d * hat[row + j];
      dbias[j] += d;
      const T value = rstd[i] * (gain[j] * d - sum - hat[row + j] * dot);
      dx[row + j] = accumulate ? dx[row + j] + value : value;
    }
  }
}

template void LayerNormForward(int, int, const float*, const float*, const float*, float*, float*, float*);
template void LayerNormForward(int, int, const double*, const double*, const double*, double*, double*, double*);
template void LayerNormBackward(int, int, const float*, const float*, const float*, const float*, float*, bool, float*,
                                float*);
template void LayerNormBackward(int, int, const double*, const double*, const double*, const double*, double*, bool,
                                double*, double*);

}  // namespace instantgp
