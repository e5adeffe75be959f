#include "instantgp/gp/predictive.h"

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "instantgp/base/error.h"
#include "instantgp/base/rng.h"
#include "instantgp/gp/cholesky.h"

namespace instantgp {

Vector Predictive::Mean(const Matrix& X_new) const {
  Vector mean;
  MeanAndStd(X_new, Noise::kLatent, &mean, nullptr);
  return mean;
}

Matrix Predictive::Samples(const Matrix& X_new, Noise noise, int count, std::uint64_t seed) const {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return NumberedSamples(X_new, noise, numbers, seed);
}

Matrix Predictive::NumberedSamples(const Matrix& X_new, Noise noise, std::span<const int> numbers,
                                   std::uint64_t seed) const {
  const Matrix cov = Cov(X_new, Noise::kLatent);
  Matrix factor = cov;
  const auto rebuild = [&](Matrix& A) { A = cov; };
  // Latent covariances are singular where test points repeat or meet the data: the ladder starts at once, and a
  // covariance that is zero (everything known) needs none.
  const double largest = cov.diagonal().maxCoeff();
  if (largest > 0) {
    const Factorization result = Factorize(factor, rebuild);
    if (!result.ok) {
      throw Error(ErrorCode::kNumerical,
                  "cannot draw samples: " + result.reason + ". Use fewer rows, or rows that are further apart.");
    }
  } else {
    factor.setZero();
  }
  factor.triangularView<Eigen::StrictlyUpper>().setZero();
  const Index m = X_new.rows();
  Matrix samples(m, static_cast<Index>(numbers.size()));
  const Vector mean = Mean(X_new);
  const double noise_std = noise == Noise::kObserved ? std::sqrt(noise_variance()) : 0.0;
  for (Index s = 0; s < samples.cols(); ++s) {
    RandomStream random(seed, static_cast<std::uint64_t>(numbers[static_cast<std::size_t>(s)]));
    Vector z(m);
    for (Index i = 0; i < m; ++i) z[i] = random.Normal();
    samples.col(s) = mean + factor * z;
    if (noise_std > 0) {
      for (Index i = 0; i < m; ++i) samples(i, s) += noise_std * random.Normal();
    }
  }
  return samples;
}

void Predictive::RequireFinite(const Eigen::Ref<const Matrix>& rows) {
  for (Index i = 0; i < rows.rows(); ++i) {
    if (rows.row(i).allFinite()) continue;
    throw Error(ErrorCode::kNumerical,
                "no prediction for row " + std::to_string(i + 1) +
                    ": the kernel there is larger than a floating-point number can be. Look for extreme values in the "
                    "row, or take a kernel with fewer LIN factors.");
  }
}

double Predictive::log_marginal_likelihood() const { return -nlml() * static_cast<double>(y().size()); }
double Predictive::noise_variance() const { return std::exp(theta().noise()); }

}  // namespace instantgp
