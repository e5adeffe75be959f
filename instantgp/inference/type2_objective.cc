#include "instantgp/inference/type2_objective.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "instantgp/gp/cholesky.h"
#include "instantgp/inference/soft_wall.h"

namespace instantgp {
namespace {

// Of an exact scale. None at all would let the scale of targets that are all zero, which the soft wall is for, vanish.
constexpr double kFewPseudoRows = 1e-6;

Vector WithoutScale(const Vector& unit, const Vector& way) { return way - unit.dot(way) * unit; }

}  // namespace

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
  factor_ = looked_at_ = false;
  const NlmlValue nlml = NegativeLogMarginalLikelihood(covariance_, X_, y_, theta, gradient, workspace_);
  if (!nlml.ok) return false;
  *value = nlml.nlml;
  AddWalls(theta, value, gradient, nullptr);
  if (map_) AddPriors(theta, value, gradient, nullptr);
  AddPull(theta, value, gradient, nullptr);
  if (gradient != nullptr) fixed_.Hold(*gradient);
  return true;
}

void Type2Objective::Hold(const FixedRows& fixed, bool scale_is_free) {
  fixed_ = fixed;
  scale_is_free_ = scale_is_free;
}

void Type2Objective::SetScaleExactly() { scale_.pseudo_rows = kFewPseudoRows; }

bool Type2Objective::Value(Vector& theta, double* value) {
  if (!(factor_ || looked_at_) || theta != evaluated_) {
    looked_at_ = false;
    last_ = NegativeLogMarginalLikelihood(covariance_, X_, y_, theta, nullptr, workspace_, Scale());
    scaled_ = Scale() != nullptr;
    factor_ = last_.ok;
    evaluated_ = theta;
  }
  if (!last_.ok) return false;
  if (scaled_ && theta[theta.size() - 1] + last_.log_scale < held_.least()) LeaveScale();
  theta += last_.log_scale * scale_direction_;
  moved_ = theta;
  *value = last_.nlml;
  AddWalls(moved_, value, nullptr, nullptr);
  if (map_) AddPriors(moved_, value, nullptr, nullptr);
  AddPull(moved_, value, nullptr, nullptr);
  Remember(*value);
  return true;
}

void Type2Objective::Remember(double value) {
  const bool first = first_.theta.size() == 0;
  if (!first && !(lowest_.theta.size() == 0 || value < lowest_.value)) return;
  NlmlValue nlml = last_;
  nlml.jitter *= std::exp(nlml.log_scale);
  nlml.log_scale = 0;
  if (first) first_ = {evaluated_, nlml, value};
  lowest_ = {moved_, nlml, value};
}

// q / 2c + n/2 log c becomes q / 2, q = |L^-1 y|^2.
void Type2Objective::LeaveScale() {
  const double n = static_cast<double>(y_.size()), quadratic = workspace_.alpha.squaredNorm();
  last_.nlml += 0.5 * quadratic * (1 - std::exp(-last_.log_scale)) / n - 0.5 * last_.log_scale;
  last_.log_scale = 0;
  scaled_ = false;
}

// Values from then on are those of another function.
void Type2Objective::HoldNoise(double level) {
  held_.Hold(level);
  lowest_ = {};
}

void Type2Objective::StartFrom(NlmlPoint point) {
  ThreadPool* pool = workspace_.covariance.pool;
  workspace_ = std::move(point.workspace);
  workspace_.covariance.pool = pool;
  evaluated_ = std::move(point.theta);
  last_ = std::move(point.value);
  scaled_ = Scale() != nullptr;
  factor_ = last_.ok;
  looked_at_ = false;
}

bool Type2Objective::LookAt(LogParameters& theta, double* nlml, Vector* gradient, Matrix* curvature) {
  double value = 0;
  if (!Value(theta, &value)) return false;
  *nlml = last_.nlml;
  factor_ = false;
  if (!NlmlGradient(covariance_, X_, evaluated_, scaled_ ? &scale_ : nullptr, workspace_, gradient, curvature))
    return false;
  kept_gradient_ = *gradient;
  kept_curvature_ = *curvature;
  looked_at_ = true;
  evaluated_ = theta;  // at the best scale, and stays there
  last_.log_scale = 0;
  return true;
}

std::optional<NlmlPoint> Type2Objective::TakePoint(const LogParameters& theta) {
  if (!factor_ || moved_ != theta) return std::nullopt;
  factor_ = false;
  return NlmlPoint{evaluated_, std::move(workspace_), last_};
}

bool Type2Objective::Slopes(Vector* gradient, Matrix* curvature) {
  factor_ = false;
  if (looked_at_) {
    *gradient = kept_gradient_;
    *curvature = kept_curvature_;
  } else if (!NlmlGradient(covariance_, X_, evaluated_, scaled_ ? &scale_ : nullptr, workspace_, gradient, curvature)) {
    return false;
  }
  looked_at_ = false;
  double value = 0;
  AddWalls(moved_, &value, gradient, curvature);
  if (map_) AddPriors(moved_, &value, gradient, curvature);
  AddPull(moved_, &value, gradient, curvature);
  fixed_.Hold(*gradient, curvature);
  return true;
}

NlmlValue Type2Objective::Nlml(const LogParameters& theta) {
  for (const Seen* seen : {&lowest_, &first_}) {
    if (seen->theta.size() == theta.size() && seen->theta == theta) return seen->nlml;
  }
  factor_ = looked_at_ = false;
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

void Type2Objective::PullTowards(Pull pull) { pull_ = std::move(pull); }

void Type2Objective::AddPull(const LogParameters& theta, double* value, Vector* gradient, Matrix* curvature) const {
  if (pull_.centre.size() == 0) return;
  // With Q = I - u u^T, u along the scale:  1/2 r^T P r / n,  r = Q (theta - centre);  Q P r / n;  Q P Q / n
  const double n = static_cast<double>(y_.size());
  const Vector unit = scale_direction_.normalized(), r = WithoutScale(unit, theta - pull_.centre);
  const Vector weights = PullWeights(pull_, r), slope = weights.cwiseProduct(r) / n;
  *value += PullNats(pull_, r) / n;
  if (gradient != nullptr) *gradient += WithoutScale(unit, slope);
  if (curvature != nullptr) {
    const Vector across = WithoutScale(unit, weights.cwiseProduct(unit) / n);  // Q P u / n
    const double along = unit.dot(weights.cwiseProduct(unit)) / n;
    curvature->diagonal() += weights / n;
    *curvature -= across * unit.transpose() + unit * across.transpose() + along * unit * unit.transpose();
  }
}

// The likelihood flattens out towards long lengthscales and bends ever faster the other way: with a reach of 2 both
// ways (and with 1, and with 0.5) the same number of steps left 0.1 to 0.4 nats per point on tables of 20 and 32
// columns where most do not matter.
Reach Type2Objective::StepReach() const {
  Reach reach{Vector::Ones(size()), Vector::Ones(size())};
  for (Index row = 0; row + 1 < size(); ++row) {
    const ParameterKind kind = table_[static_cast<std::size_t>(row)].kind;
    if (kind == ParameterKind::kLengthscale) {
      reach.up[row] = 2;
      reach.down[row] = 0.7;
    } else if (kind == ParameterKind::kPeriod) {
      reach.up[row] = reach.down[row] = 0.3;
    }
  }
  return reach;
}

}  // namespace instantgp
