#include "instantgp/network/ops/features.h"

#include <cmath>

namespace instantgp {

double RootMeanSquare(const Vector& y) {
  const double s = std::sqrt(y.squaredNorm() / static_cast<double>(y.size()));
  return s > 0 ? s : 1;
}

template <typename T>
void TokenFeatures(const Matrix& X, const Vector& y, double y_scale, const std::vector<double>& fourier, T* features) {
  for (Index i = 0; i < X.cols(); ++i) {
    for (Index j = 0; j < X.rows(); ++j) {
      const double x = X(j, i);
      *features++ = static_cast<T>(x);
      *features++ = static_cast<T>(y(j) / y_scale);
      for (double f : fourier) *features++ = static_cast<T>(std::sin(M_PI * f * x));
      for (double f : fourier) *features++ = static_cast<T>(std::cos(M_PI * f * x));
    }
  }
}

template void TokenFeatures(const Matrix&, const Vector&, double, const std::vector<double>&, float*);
template void TokenFeatures(const Matrix&, const Vector&, double, const std::vector<double>&, double*);

}  // namespace instantgp
