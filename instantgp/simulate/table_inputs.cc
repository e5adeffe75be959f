#include "instantgp/simulate/table_inputs.h"

#include <algorithm>
#include <cmath>

#include "instantgp/base/normal.h"
#include "instantgp/base/resize.h"

namespace instantgp {
namespace {

void FillNormal(Index rows, Index cols, RandomStream& random, Matrix& out) {
  Resize(out, rows, cols);
  for (Index k = 0; k < cols; ++k) {
    for (Index i = 0; i < rows; ++i) out(i, k) = random.Normal();
  }
}

// z <- sqrt(rho) F W' + sqrt(1 - rho) z with unit rows of W: every margin stays standard normal.
void Correlate(RandomStream& random, Matrix& Z) {
  const Index d = Z.cols();
  const int factors = random.UniformInt(1, static_cast<int>(std::max<Index>(1, d / 2)));
  const double rho = random.Uniform(0.1, 0.97);
  Matrix F, W;
  FillNormal(Z.rows(), factors, random, F);
  FillNormal(d, factors, random, W);
  W.rowwise().normalize();
  Z *= std::sqrt(1 - rho);
  for (Index k = 0; k < d; ++k) {
    for (Index f = 0; f < factors; ++f) Z.col(k) += (std::sqrt(rho) * W(k, f)) * F.col(f);
  }
}

void Cluster(RandomStream& random, Matrix& Z) {
  const int centres = random.UniformInt(2, 8);
  const double tightness = random.Uniform(0.3, 0.95);
  Matrix C;
  FillNormal(centres, Z.cols(), random, C);
  for (Index i = 0; i < Z.rows(); ++i) {
    const int centre = random.UniformInt(0, centres - 1);
    Z.row(i) = std::sqrt(1 - tightness) * Z.row(i) + std::sqrt(tightness) * C.row(centre);
  }
}

// From standard normal to the column's own shape.
void Shape(double few_levels_p, RandomStream& random, Eigen::Ref<Vector> column) {
  const bool few_levels = random.Bernoulli(few_levels_p);
  const double kind = random.Uniform();
  const int levels = random.Bernoulli(0.35) ? 2 : random.UniformInt(3, 10);
  const double bend = random.Uniform(-1, 1);
  const double skew = random.Uniform(0.3, 1.5);
  if (!few_levels && kind < 0.15) return;
  for (double& z : column) {
    if (few_levels) {
      z = std::min(std::floor(std::pow(NormalCdf(z), std::pow(2.0, bend)) * levels), levels - 1.0);
    } else if (kind < 0.35) {
      z = std::exp((bend < 0 ? -skew : skew) * z);
    } else if (kind < 0.55) {
      z = std::pow(NormalCdf(z), std::pow(4.0, bend));
    } else {
      z = NormalCdf(z);
    }
  }
}

}  // namespace

void DrawTableInputs(Index rows, Index training, int d, RandomStream& random, Matrix& X) {
  FillNormal(rows, d, random, X);
  if (random.Bernoulli(0.6) && d > 1) Correlate(random, X);
  if (random.Bernoulli(0.25)) Cluster(random, X);
  const double u = random.Uniform();
  const double few_levels_p = 0.8 * u * u;  // a quarter on average, in half of the tables below a fifth
  const bool equal_steps = random.Bernoulli(0.4) && d == 1;
  for (Index k = 0; k < d; ++k) {
    const Vector before = X.col(k);
    Shape(few_levels_p, random, X.col(k));
    if (equal_steps) X.col(k) = Vector::LinSpaced(rows, 0, 1);
    auto head = X.col(k).head(training);
    if (head.maxCoeff() - head.minCoeff() <= 0) X.col(k) = before;  // one level happened to take all rows
    const double lowest = head.minCoeff(), range = head.maxCoeff() - lowest;
    X.col(k).array() -= lowest;
    X.col(k) /= range;
  }
}

}  // namespace instantgp
