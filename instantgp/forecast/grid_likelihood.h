// The marginal likelihood of values on a grid of time, with gradient and average information, for the kernels of
// forecasts.
//
// The general code (gp/covariance.h) works on n^2 pairs for every parameter. On a grid a stationary addend is a table
// over lags, c[i - j], and so are its derivatives d_p: a covariance takes n exponentials instead of n^2, a gradient the
// sums of the weights over each lag, and D_p alpha is a convolution. The others are of low rank or nearly so:
//   LIN  v x x'^T + c     WIE  v min(x, x')     IOU  a (f_i + f_j - f[i - j]), a = v l^2     BIAS  v
// What is left is the Cholesky factor and its inverse: at n = 100 a third of the time of the general code.
#pragma once

#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/kernel/expression.h"
#include "instantgp/kernel/log_parameters.h"

namespace instantgp {

class GridLikelihood {
 public:
  // A sum of SE, MAT52, MAT12, PER and products of these, LIN, WIE, IOU (once) and BIAS on one column, periods not to
  // be moved; anything else is a bug. `times` are places on the grid, ascending from 0, `unit` of which are a unit of
  // time.
  GridLikelihood(const Expression& kernel, std::vector<int> times, double unit);

  // NLML per point of z (n), as gp/marginal_likelihood.h; false where there is no factor.
  bool Value(const LogParameters& theta, const Vector& z, double* nlml);
  // At the last theta whose Value was asked for, and only once.
  bool Slopes(Vector* gradient, Matrix* curvature);

  Index num_parameters() const { return parameters_; }

 private:
  struct Addend {
    enum class Kind { kStationary, kLinear, kWalk, kDamped, kBias } kind;
    std::vector<Expression> factors;  // leaves
    Index first = 0;                  // row of its first parameter
  };

  void Tabulate(const LogParameters& theta);
  void TabulateStationary(const Addend& addend, const LogParameters& theta);
  void Fill(Matrix& A, double noise) const;
  // out_i = sum_j table[|i - j|] a_j over the places that are there.
  void Convolve(const Vector& table, const Vector& a, Eigen::Ref<Vector> out) const;

  std::vector<Addend> addends_;
  Index parameters_ = 0;
  std::vector<int> times_;
  Vector x_;    // in units of time
  Index lags_;  // places on the grid
  double unit_;
  bool gapless_;

  // At theta_:
  LogParameters theta_;
  Vector stationary_;  // the sum of all tables over lags
  Matrix by_row_;      // (lags, parameters): d / d log theta_p of it; zero for the others
  double slope_variance_ = 0, level_variance_ = 0, walk_variance_ = 0, damped_amplitude_ = 0;
  Vector damped_f_, damped_g_;  // (n): of each point
  Matrix A_;
  Vector alpha_;
};

}  // namespace instantgp
