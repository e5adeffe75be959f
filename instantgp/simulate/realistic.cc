#include "instantgp/simulate/realistic.h"

#include <cmath>
#include <map>

#include "instantgp/kernel/parameters.h"

namespace instantgp {

void MakeParametersRealistic(const Expression& expression, RandomStream& random, LogParameters& theta) {
  std::map<int, double> longer, shorter;  // factors of each column's lengthscales and periods, as logarithms
  const std::vector<int> columns = ColumnsOf(expression);
  for (const int column : columns) {
    shorter[column] = random.Bernoulli(0.5) ? -random.Uniform(0, std::log(10.0)) : 0;
    const bool matters_little = random.Bernoulli(0.5);
    if (columns.size() == 1) {
      longer[column] = random.Uniform(-std::log(20.0), std::log(5.0));
    } else {
      longer[column] =
          matters_little ? random.Uniform(std::log(3.0), std::log(30.0)) : random.Uniform(0, std::log(5.0));
    }
  }
  Index row = 0;
  for (const Parameter& parameter : ParameterTable(expression)) {
    if (parameter.kind == ParameterKind::kPeriod) theta[row] += shorter[parameter.column];
    const bool distance = parameter.kind == ParameterKind::kLengthscale && parameter.elementary != Elementary::kPER;
    if (distance) theta[row] += longer[parameter.column];
    ++row;
  }
  theta[row] -= random.Uniform(0, std::log(1000.0));
}

void MakeInputsRealistic(RandomStream& random, Matrix& X) {
  for (auto column : X.colwise()) {
    const double kind = random.Uniform();
    const int steps = random.UniformInt(1, 11);
    const double power = std::exp(random.Uniform(-std::log(3.0), std::log(3.0)));
    if (X.cols() == 1 && kind < 0.4) {
      column = Vector::LinSpaced(X.rows(), 0, 1);
    } else if (kind < 0.3) {
      column = (column * steps).array().round() / steps;
    } else if (kind < 0.6) {
      column = column.array().pow(power);
    }
  }
}

}  // namespace instantgp
