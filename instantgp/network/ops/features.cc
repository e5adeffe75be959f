#include "instantgp/network/ops/features.h"

#include <algorithm>
#include <cmath>

#include "instantgp/network/ops/simd.h"

namespace instantgp {

double RootMeanSquare(const Vector& y) {
  const double s = std::sqrt(y.squaredNorm() / static_cast<double>(y.size()));
  return s > 0 ? s : 1;
}

template <typename T>
void TokenFeatures(const Eigen::Ref<const Matrix>& X, const Vector& y, double y_scale,
                   const std::vector<double>& fourier, Arena& arena, T* features) {
  using namespace simd;
  constexpr int N = kLanes<double>;
  const Tag<double> d;
  const int pairs = static_cast<int>(fourier.size()), padded = RoundUp(2 * pairs, N);
  const Arena::Mark mark = arena.Here();
  // All waves of a token at once, as sin(slope x + phase): the cosines a quarter turn ahead.
  double* slope = arena.New<double>(padded);
  double* phase = arena.New<double>(padded);
  double* wave = arena.New<double>(padded);
  for (int f = 0; f < padded; ++f) {
    slope[f] = f < 2 * pairs ? M_PI * fourier[f % std::max(pairs, 1)] : 0;
    phase[f] = f < pairs ? 0 : M_PI_2;
  }
  for (Index i = 0; i < X.cols(); ++i) {
    for (Index j = 0; j < X.rows(); ++j) {
      const double x = X(j, i);
      *features++ = static_cast<T>(x);
      *features++ = static_cast<T>(y(j) / y_scale);
      for (int f = 0; f < padded; f += N) {
        const auto angle = hn::MulAdd(hn::Set(d, x), hn::Load(d, slope + f), hn::Load(d, phase + f));
        hn::Store(hn::Sin(d, angle), d, wave + f);
      }
      for (int f = 0; f < 2 * pairs; ++f) *features++ = static_cast<T>(wave[f]);
    }
  }
  arena.Rewind(mark);
}

template void TokenFeatures(const Eigen::Ref<const Matrix>&, const Vector&, double, const std::vector<double>&, Arena&,
                            float*);
template void TokenFeatures(const Eigen::Ref<const Matrix>&, const Vector&, double, const std::vector<double>&, Arena&,
                            double*);

}  // namespace instantgp
