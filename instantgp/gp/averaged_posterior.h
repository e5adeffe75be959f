// Exact posteriors of the same rows and kernel at several parameters, averaged with equal weights.
//
//   mean = 1/S sum_s mean_s,   variance = 1/S sum_s (variance_s + (mean_s - mean)^2)
//
// One set of parameters takes its own uncertainty for none. With few rows that is most of the uncertainty there is:
// parameters drawn from their posterior, averaged like this, account for it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/gp/predictive.h"

namespace instantgp {

class ThreadPool;

// Predictions are those of the members; what is reported (nlml, jitter, theta, noise variance) belongs to the centre,
// which is not one of them. Without members the centre predicts. All in scaled units; const methods may run in
// parallel. Each member holds a factor: memory is S + 1 times that of a posterior.
class AveragedPosterior final : public Predictive {
 public:
  // A member for every column of draws (p + 1, S), log-parameters as in theta; columns whose covariance cannot be
  // factorised are left out. `pool` (may be null) factorises several at once; the result does not depend on it.
  AveragedPosterior(Posterior centre, const Matrix& draws, ThreadPool* pool = nullptr);

  // With further rows and the same parameters (Posterior::Extended). Members without a factor of all rows are left out.
  AveragedPosterior Extended(const Matrix& X_new, const Vector& y_new, ThreadPool* pool = nullptr) const;

  void MeanAndStd(const Matrix& X_new, Noise noise, Vector* mean, Vector* std) const override;
  Matrix Cov(const Matrix& X_new, Noise noise) const override;  // 1/S sum_s (C_s + (mean_s - mean)(mean_s - mean)^T)
  // Each a joint sample of a member drawn at random.
  Matrix Samples(const Matrix& X_new, Noise noise, int count, std::uint64_t seed) const override;
  // The members' left-out predictions, averaged; the density is that of the Gaussian with these moments.
  LeaveOneOut Loo() const;

  // The average of whatever `predict` says about each member. `std` may be null, and is null in the calls then.
  using PredictMember = std::function<void(const Posterior& member, Vector* mean, Vector* std)>;
  void Average(const PredictMember& predict, Vector* mean, Vector* std) const;

  double nlml() const override { return centre_.nlml(); }
  double jitter() const override { return centre_.jitter(); }
  const Expression& expression() const override { return centre_.expression(); }
  const Matrix& X() const override { return centre_.X(); }
  const Vector& y() const override { return centre_.y(); }
  const LogParameters& theta() const override { return centre_.theta(); }
  const Posterior& centre() const { return centre_; }
  const std::vector<Posterior>& members() const { return members_; }
  Matrix Draws() const;  // (p + 1, S): the members' parameters

 private:
  AveragedPosterior(Posterior centre, std::vector<Posterior> members);

  Posterior centre_;
  std::vector<Posterior> members_;
};

}  // namespace instantgp
