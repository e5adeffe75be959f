#include "instantgp/network/ops/aggregate.h"

#include <algorithm>
#include <cstddef>

namespace instantgp {
namespace {

template <typename T>
void AddScaled(int count, T factor, const T* x, T* y) {
  for (int i = 0; i < count; ++i) y[i] += factor * x[i];
}

}  // namespace

template <typename T>
void SegmentMeanForward(const Segments& segments, int width, const T* x, T* mean) {
  for (int s = 0; s < segments.count; ++s) {
    T* row = mean + static_cast<std::size_t>(s) * width;
    std::fill(row, row + width, T(0));
    const int begin = segments.begin[s], end = segments.begin[s + 1];
    // mean_s = sum_{t in s} x_t / |s|
    for (int t = begin; t < end; ++t) AddScaled(width, T(1), x + static_cast<std::size_t>(t) * width, row);
    for (int c = 0; c < width; ++c) row[c] /= static_cast<T>(end - begin);
  }
}

template <typename T>
void SegmentMeanBackward(const Segments& segments, int width, const T* dmean, T* dx) {
  for (int s = 0; s < segments.count; ++s) {
    const int begin = segments.begin[s], end = segments.begin[s + 1];
    // mean_s = sum_{t in s} x_t / |s|   =>   dx_t += dmean_s / |s|
    const T factor = T(1) / static_cast<T>(end - begin);
    const T* row = dmean + static_cast<std::size_t>(s) * width;
    for (int t = begin; t < end; ++t) AddScaled(width, factor, row, dx + static_cast<std::size_t>(t) * width);
  }
}

template <typename T>
void PointMeanForward(int n, int d, int width, const T* x, T* mean) {
  const std::size_t plane = static_cast<std::size_t>(n) * width;
  // mean_j = sum_i x_ij / d
  std::copy(x, x + plane, mean);
  for (int i = 1; i < d; ++i) {
    for (std::size_t e = 0; e < plane; ++e) mean[e] += x[i * plane + e];
  }
  for (std::size_t e = 0; e < plane; ++e) mean[e] /= static_cast<T>(d);
}

template <typename T>
void PointMeanBackward(int n, int d, int width, const T* dmean, T* dx) {
  const std::size_t plane = static_cast<std::size_t>(n) * width;
  // mean_j = sum_i x_ij / d   =>   dx_ij += dmean_j / d
  const T factor = T(1) / static_cast<T>(d);
  for (int i = 0; i < d; ++i) {
    for (std::size_t e = 0; e < plane; ++e) dx[i * plane + e] += factor * dmean[e];
  }
}

template <typename T>
void ConcatForward(int n, int d, int points_width, int width, const T* points, const T* x, T* both) {
  for (int i = 0; i < d; ++i) {
    for (int j = 0; j < n; ++j) {
      // both_ij = [points_j, x_ij]
      both = std::copy_n(points + static_cast<std::size_t>(j) * points_width, points_width, both);
      both = std::copy_n(x, width, both);
      x += width;
    }
  }
}

template <typename T>
void ConcatBackward(int n, int d, int points_width, int width, const T* dboth, T* dpoints, T* dx) {
  std::fill(dpoints, dpoints + static_cast<std::size_t>(n) * points_width, T(0));
  for (int i = 0; i < d; ++i) {
    for (int j = 0; j < n; ++j) {
      // both_ij = [points_j, x_ij]   =>   dpoints_j = sum_i of the first part,  dx_ij = the second part
      AddScaled(points_width, T(1), dboth, dpoints + static_cast<std::size_t>(j) * points_width);
      dx = std::copy_n(dboth + points_width, width, dx);
      dboth += points_width + width;
    }
  }
}

#define INSTANTGP_INSTANTIATE(T)                                           \
  template void SegmentMeanForward(const Segments&, int, const T*, T*);    \
  template void SegmentMeanBackward(const Segments&, int, const T*, T*);   \
  template void PointMeanForward(int, int, int, const T*, T*);             \
  template void PointMeanBackward(int, int, int, const T*, T*);            \
  template void ConcatForward(int, int, int, int, const T*, const T*, T*); \
  template void ConcatBackward(int, int, int, int, const T*, T*, T*);
INSTANTGP_INSTANTIATE(float)
INSTANTGP_INSTANTIATE(double)
#undef INSTANTGP_INSTANTIATE

}  // namespace instantgp
