// What type-2 ML and MAP minimise, for optimisers of first and of second order.
#pragma once

#include <optional>

#include "instantgp/base/matrix.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/marginal_likelihood.h"
#include "instantgp/inference/learned_pull.h"
#include "instantgp/inference/nlml_point.h"
#include "instantgp/inference/noise_floor.h"
#include "instantgp/kernel/fixed.h"
#include "instantgp/kernel/log_parameters.h"
#include "instantgp/kernel/parameters.h"
#include "instantgp/optimize/objective.h"
#include "instantgp/optimize/second_order.h"

namespace instantgp {

// NLML per point, the walls, and with MAP the negative log priors divided by n. `covariance`, `table`, `X` and `y` must
// outlive it.
class Type2Objective final : public FirstOrderFunction, public SecondOrderFunction {
 public:
  Type2Objective(const Covariance& covariance, const ParameterTable& table, const Matrix& X, const Vector& y, bool map,
                 ThreadPool* pool);

  int size() const override { return static_cast<int>(table_.size()) + 1; }
  bool Evaluate(const Vector& theta, double* value, Vector* gradient) override;

  // Without priors the overall scale is set to its best at no cost, and slopes are those along the other directions.
  bool Value(Vector& theta, double* value) override;
  bool Slopes(Vector* gradient, Matrix* curvature) override;

  // Values at this point's theta from then on cost nothing: it brings its factor along. Of the same rows, scale and
  // covariance.
  void StartFrom(NlmlPoint point);
  // The point with its factor where the last Value was asked for, if that is what it moved to `theta`, and its slopes
  // have not used the factor up.
  std::optional<NlmlPoint> TakePoint(const LogParameters& theta);

  Reach StepReach() const;

  // Add 1/2 sum_i p_i r_i^2 / n, r the way from the centre, not counting the overall scale: what few rows say is
  // weighed against where a start comes from. May be set after the start was looked at, whose slopes are then not
  // computed twice.
  void PullTowards(Pull pull);

  // Value and slopes of the likelihood alone at a start: theta moves to its best scale. False where they cannot be had.
  // What Value and Slopes next say of that start costs nothing more.
  bool LookAt(LogParameters& theta, double* nlml, Vector* gradient, Matrix* curvature);

  // The scale is set by the rows alone, not held to 1 as in one-shot's answers. Values are then those of one function,
  // the same wherever along the scale they are asked for, which steps to a minimum need: on 51 rows with held noise
  // ever smaller steps each lost 0.005 nats a row. Either way it is not set where that would take the noise through a
  // wall.
  void SetScaleExactly();

  // Keep these rows where a start has them.
  void Hold(const FixedRows& fixed, bool scale_is_free);

  // Costs nothing at the lowest point that Value has seen, and at the first, which is taken at its best scale.
  NlmlValue Nlml(const LogParameters& theta);

  // Where the noise is to be held in another fit, if the rows do not speak for that of theta.
  std::optional<double> NoiseToHold(LogParameters theta);
  void HoldNoise(double level);
  void ReleaseNoise() { held_ = floor_; }

 private:
  // Each is added to what is there; `gradient` and `curvature` (its diagonal) may be null.
  void AddPriors(const LogParameters& theta, double* value, Vector* gradient, Matrix* curvature) const;
  void AddWalls(const LogParameters& theta, double* value, Vector* gradient, Matrix* curvature) const;
  void AddPull(const LogParameters& theta, double* value, Vector* gradient, Matrix* curvature) const;
  void Remember(double value);
  void LeaveScale();  // the last value is that of the scale as it was
  const ClosedFormScale* Scale() const { return map_ || !scale_is_free_ ? nullptr : &scale_; }

  const Covariance& covariance_;
  const ParameterTable& table_;
  const Matrix& X_;
  const Vector& y_;
  bool map_;
  ClosedFormScale scale_;
  LogParameters scale_direction_;
  Pull pull_;
  NoiseFloor floor_, held_;
  FixedRows fixed_;
  bool scale_is_free_ = true;
  NlmlWorkspace workspace_;
  LogParameters evaluated_, moved_;  // of the last Value: where the factor was made, and where the scale took it
  NlmlValue last_;                   // its likelihood
  bool scaled_ = false;              // whether that is at the best scale
  bool factor_ = false;              // whether the workspace still holds the factor
  bool looked_at_ = false;           // whether the slopes there are kept below
  Vector kept_gradient_;
  Matrix kept_curvature_;
  struct Seen {
    LogParameters theta;
    NlmlValue nlml;
    double value = 0;
  };
  Seen first_, lowest_;
};

}  // namespace instantgp
