#include "instantgp/inference/type2_objective.h"

#include <algorithm>

#include "instantgp/gp/cholesky.h"
#include "instantgp/inference/soft_wall.h"

namespace instantgp {

Type2Objective::Type2Objective(const Covariance& covariance, const ParameterTable& table, const Matrix& X,
                               const Vector& y, bool map, ThreadPool* pool)
    : covariance_(covariance),
      table_(table),
      X_(X),
      y_(y),
      map_(map),
      scale_direction_(ScaleDirection(covariance.expression())),
      floor_(covariance.expression(), X, y),
      held_(floor_) {
  if (X.rows() >= kTwoPartSize) workspace_.covariance.pool = pool;
}

bool Type2Objective::Evaluate(const Vector& theta, double* value, Vector* gradient) {
  const NlmlValue nlml = NegativeLogMarginalLikelihood(covariance_, X_, y_, theta, gradient, workspace_);
  if (!nlml.ok) return false;
  *value = nlml.nlml;
  AddWalls(theta, value, gradient, nullptr);
  if (map_) AddPriors(theta, value, gradient, nullptr);
  return true;
}

bool Type2Objective::Value(Vector& theta, double* value) {
  const NlmlValue nlml = NegativeLogMarginalLikelihood(covariance_, X_, y_, theta, nullptr, workspace_, Scale());
  if (!nlml.ok) return false;
  evaluated_ = theta;
  theta += nlml.log_scale * scale_direction_;
  moved_ = theta;
  *value = nlml.nlml;
  AddWalls(moved_, value, nullptr, nullptr);
  if (map_) AddPriors(moved_, value, nullptr, nullptr);
  return true;
}

bool Type2Objective::Slopes(Vector* gradient, Matrix* curvature) {
  if (!NlmlGradient(covariance_, X_, evaluated_, Scale(), workspace_, gradient, curvature)) return false;
  double value = 0;
  AddWalls(moved_, &value, gradient, curvature);
  if (map_) AddPriors(moved_, &value, gradient, curvature);
  return true;
}

NlmlValue Type2Objective::Nlml(const LogParameters& theta) {
  return NegativeLogMarginalLikelihood(covariance_, X_, y_, theta, nullptr, workspace_);
}

std::optional<double> Type2Objective::NoiseToHold(LogParameters theta) {
  theta.noise() = std::max(theta.noise(), held_.least());
  return floor_.LevelFor(theta.noise(), [&](double level) -> std::optional<double> {
    theta.noise() = level;
    double value = 0;
    if (!Evaluate(theta, &value, nullptr)) return std::nullopt;
    return value;
  });
}

void Type2Objective::AddWalls(const LogParameters& theta, double* value, Vector* gradient, Matrix* curvature) const {
  AddSoftWall(theta, value, gradient);
  held_.AddWall(theta, value, gradient);
  if (curvature == nullptr) return;
  const Index noise = theta.kernel_size();
  if (theta.noise() < held_.least()) (*curvature)(noise, noise) += 1;
}

void Type2Objective::AddPriors(const LogParameters& theta, double* value, Vector* gradient, Matrix* curvature) const {
  const double n = static_cast<double>(y_.size());
  for (int i = 0; i < size(); ++i) {
    const GammaPrior prior = table_.PriorOfRow(i);
    *value -= prior.LogDensity(theta[i]) / n;
    if (gradient != nullptr) (*gradient)[i] -= prior.DLogDensity(theta[i]) / n;
    if (curvature != nullptr) (*curvature)(i, i) -= prior.D2LogDensity(theta[i]) / n;
  }
}

}  // namespace instantgp
