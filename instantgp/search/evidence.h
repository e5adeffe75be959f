// How well a structure explains the data, its complexity taken into account. Both scores approximate the negative log
// evidence -log p(y | structure) per point, so that smaller is better and the two can stand in one list.
#pragma once

#include <optional>

#include "instantgp/base/matrix.h"
#include "instantgp/gp/covariance.h"
#include "instantgp/kernel/log_parameters.h"
#include "instantgp/kernel/structure.h"

namespace instantgp {

// What the data can determine, the noise included: each addend has one amplitude (the variances of a product's factors
// multiply) and its lengthscales and periods, LIN a ratio of offset to variance; of the amplitudes of several columns,
// which multiply, only one is free.
int IdentifiableParameters(const Structure& structure);

// NLML/n + share p log(n) / (2 n), with p identifiable parameters. The share is 1 in Schwarz's limit of many rows; at a
// few hundred Laplace's approximation of the same evidence asks for 0.6 of it (median over simulated structures with
// 200 rows), and the two must not contradict each other in one list.
inline constexpr double kBicShare = 0.6;
double BicScore(double nlml_per_point, int parameters, int n);

// Laplace's approximation in u = log theta, at any theta near the mode. With
//   f(u) = n NLML(u) - sum_i (log p(theta_i) + u_i),   g, H its gradient and Hessian,
//   -log Z = f - 1/2 g^T H^-1 g + 1/2 log det H - p/2 log 2 pi
// where H comes from central differences of the gradient and eigenvalues below 1/2 (directions neither data nor priors
// bend) count as 1/2. 2 (p + 1) + 1 gradients. nullopt when one of them cannot be computed.
std::optional<double> LaplaceScore(const Covariance& covariance, const Matrix& X, const Vector& y,
                                   const LogParameters& theta);

}  // namespace instantgp
