// What few rows can say about the noise. One rule for every point estimate: type-2 ML and MAP, the sparse bound, the
// one-shot answer.
//
// Two things let the noise vanish that no row speaks for; a new row at inputs seen before then costs r^2 / 4 s2 nats,
// millions of them.
//
// - Rows that no other row can be compared with. Where lengthscales are short, or parameters nearly as many as rows,
//   every row is explained by itself: function and noise cannot be told apart, and the likelihood is flat in the noise.
//   A MAP noise prior with its mode at zero does the rest. A row that does tell pays half a nat for every factor e that
//   the noise variance is made smaller; a parameter uses a row up. So: of n rows under a kernel of p parameters, noise
//   in doubt (variance below 1 / en; below 1 / e^4 n where a network answered) is kept if holding it at 1 / n would
//   cost at least (p + 2) / 2 nats for every factor e between the two. Else the fit is made again with the noise held
//   there: the variance of one row, shared by all.
// - Equal targets. A pair of close rows with equal targets pays 1/2 log(1/s2) nats, without end: the likelihood has no
//   bound below. But if two rows have equal targets with probability P whatever their inputs, their agreement is worth
//   log(1/P) nats and no more, which is what noise of standard deviation P pays. (It is also about the error of
//   rounding to 1/P evenly spread levels.) Half of that is the least there can be: a wall at s2 = (P / 2)^2. Rows that
//   are copies of others do not count; without equal targets there is no wall.
//
// Where neither strikes every number is what it would be without the rule, to the last digit.
#pragma once

#include <algorithm>

#include "instantgp/base/matrix.h"
#include "instantgp/kernel/log_parameters.h"

namespace instantgp {

class NoiseFloor {
 public:
  NoiseFloor(const Matrix& X, const Vector& y, Index kernel_parameters);  // scaled

  // Of the log noise variance: the wall, minus infinity where there is none; and where noise in doubt is held.
  double least() const { return least_; }
  double held() const { return std::max(least_, undetermined_); }

  // Whether noise is so small that the rows must speak for it. An optimiser goes down as far as it is let: what it
  // finds is in doubt soon. A network answers near what it has seen, and its answer deserves more trust: at e in place
  // of e^4 the gap to the truth on simulated tables rises from 0.041 to 0.048 and no prediction becomes better.
  enum class Origin { kOptimiser, kNetwork };
  bool InDoubt(double log_noise, Origin origin) const {
    return log_noise < undetermined_ - (origin == Origin::kOptimiser ? 1 : 4);
  }
  // Whether they do, `nats` being the rise of the negative log likelihood of all rows from log_noise to held().
  bool Believed(double log_noise, double nats) const { return nats >= price_ * (held() - log_noise); }

  // The same floor with its wall at held().
  NoiseFloor Held() const {
    NoiseFloor floor = *this;
    floor.least_ = held();
    return floor;
  }
  // 1/2 (least - log noise)^2 below the wall, to be added to a value per point. The likelihood's slope is 1/2 at most,
  // so the noise ends at most half a unit below. `gradient` may be null.
  void AddWall(const LogParameters& theta, double* value, Vector* gradient) const;

 private:
  double least_, undetermined_, price_;
};

inline LogParameters WithNoiseAtLeast(LogParameters theta, double log_noise) {
  theta.noise() = std::max(theta.noise(), log_noise);
  return theta;
}

}  // namespace instantgp
