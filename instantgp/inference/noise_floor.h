// What few rows can say about the noise. One rule for every point estimate: type-2 ML and MAP, the sparse bound, the
// one-shot answer.
//
// Two things let the noise vanish that no row speaks for; a new row at inputs seen before then costs r^2 / 4 s2 nats,
// millions of them.
//
// - Rows that no other row can be compared with. Where lengthscales are short, or parameters nearly as many as rows,
//   every row is explained by itself: function and noise cannot be told apart, and the likelihood is flat in the noise.
//   A MAP noise prior with its mode at zero does the rest. A row that does tell pays half a nat for every factor e that
//   the noise variance is made smaller; where p parameters are fitted to n rows only 1 - p / n of its word counts. So
//   noise in doubt (variance below 1 / en, which is the variance of one row shared by all) must be vouched for by two
//   rows: of the levels 1 / n, 1 / en, 1 / e^2 n, ... and the noise itself the one is right that has the smallest
//   -log likelihood + n / (n - p) log(1 / n s2). If it is not the noise itself, the fit is made again with the noise
//   held at that level; with p >= n at 1 / n.
// - Equal targets. A pair of close rows with equal targets pays 1/2 log(1/s2) nats, without end: the likelihood has no
//   bound below. But if two rows have equal targets with probability P whatever their inputs, their agreement is worth
//   log(1/P) nats and no more, which is what noise of standard deviation P pays. (It is also about the error of
//   rounding to 1/P evenly spread levels.) Half of that is the least there can be: a wall at s2 = (P / 2)^2. Rows that
//   are copies of others do not count; without equal targets there is no wall.
//
// Variances are relative to that of the targets. Where neither strikes every number is what it would be without the
// rule, to the last digit.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>

#include "instantgp/base/matrix.h"
#include "instantgp/gp/marginal_likelihood.h"
#include "instantgp/inference/nlml_point.h"
#include "instantgp/kernel/expression.h"
#include "instantgp/kernel/log_parameters.h"

namespace instantgp {

class NoiseFloor {
 public:
  NoiseFloor(const Expression& kernel, const Matrix& X, const Vector& y);  // scaled

  // Where the wall stands, in the log noise variance; minus infinity where there is none.
  double least() const { return least_; }

  // Whether noise is so small that the rows must speak for it.
  bool InDoubt(double log_noise) const { return log_noise < undetermined_ - 1; }
  // Where noise that the rows do not speak for is to be held; nullopt: as it is. `per_point` gives the negative log
  // likelihood per row at another noise, all else equal; nullopt where it has none.
  std::optional<double> LevelFor(double log_noise,
                                 const std::function<std::optional<double>(double log_noise)>& per_point) const;

  void Hold(double level) { least_ = std::max(least_, level); }  // move the wall up
  // 1/2 (least - log noise)^2 below the wall, to be added to a value per point. The likelihood's slope is 1/2 at most,
  // so the noise ends at most half a unit below. `gradient` may be null.
  void AddWall(const LogParameters& theta, double* value, Vector* gradient) const;

 private:
  double least_, undetermined_;
  double rows_, price_;  // price: nats for a unit of log noise; infinite with p >= n
};

// Held noise changes the rest of a fit, and may be in doubt again. Each hold costs another fit. Not measured.
inline constexpr int kMostHolds = 3;

inline LogParameters WithNoiseAtLeast(LogParameters theta, double log_noise) {
  theta.noise() = std::max(theta.noise(), log_noise);
  return theta;
}

// Raise noise that the rows do not speak for, the rest of the evaluated point being as it is. Returns the likelihoods
// it took.
int RaiseNoise(const NoiseFloor& floor, const Covariance& covariance, const Matrix& X, const Vector& y,
               const ClosedFormScale* scale, NlmlPoint& point);

}  // namespace instantgp
