#include "instantgp/inference/type2_objective.h"

#include <algorithm>
#include <utility>

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
  AddPull(theta, value, gradient, nullptr);
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
  AddPull(moved_, value, nullptr, nullptr);
  return true;
}

bool Type2Objective::Slopes(Vector* gradient, Matrix* curvature) {
  if (!NlmlGradient(covariance_, X_, evaluated_, Scale(), workspace_, gradient, curvature)) return false;
  double value = 0;
  AddWalls(moved_, &value, gradient, curvature);
  if (map_) AddPriors(moved_, &value, gradient, curvature);
  AddPull(moved_, &value, gradient, curvature);
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

void Type2Objective::PullTowards(LogParameters centre, double std) {
  centre_ = std::move(centre);
  pull_ = 1 / (std * std * static_cast<double>(y_.size()));
}

void Type2Objective::AddPull(const LogParameters& theta, double* value, Vector* gradient, Matrix* curvature) const {
  if (centre_.size() == 0) return;
  const Vector way = theta - centre_, unit = scale_direction_.normalized();
  const Vector r = way - unit.dot(way) * unit;
  *value += 0.5 * pull_ * r.squaredNorm();
  if (gradient != nullptr) *gradient += pull_ * r;
  if (curvature != nullptr) {
    curvature->diagonal().array() += pull_;
    *curvature -= pull_ * unit * unit.transpose();
  }
}

// The likelihood flattens out towards long lengthscales and much noise, and bends ever faster the other way.
Reach Type2Objective::StepReach() const {
  static const double up = getenv("UP") ? atof(getenv("UP")) : 2, down = getenv("DOWN") ? atof(getenv("DOWN")) : 0.7, nup = getenv("NUP") ? atof(getenv("NUP")) : 1, ndown = getenv("NDOWN") ? atof(getenv("NDOWN")) : 1;
  Reach reach{Vector::Ones(size()), Vector::Ones(size())};
  for (std::size_t i = 0; i < table_.size(); ++i) {
    if (table_[i].kind == ParameterKind::kLengthscale) { reach.up[i] = up; reach.down[i] = down; }
    if (table_[i].kind == ParameterKind::kPeriod) reach.up[i] = reach.down[i] = 0.3;
  }
  reach.up[size() - 1] = nup;
  reach.down[size() - 1] = ndown;
  return reach;
}

}  // namespace instantgp
