// The parameters of a Gaussian process as optimisers and the network see them.
#pragma once

#include <utility>

#include "instantgp/base/matrix.h"
#include "instantgp/kernel/symbol.h"

namespace instantgp {

class ParameterTable;

// The logarithms of all parameters: those of the kernel in the order of its ParameterTable, then that of the noise
// variance. It is a Vector, since optimisers move through the space of logarithms without asking what a row means; who
// does ask uses kernel(), noise() and the views by leaf and kind instead of counting rows.
class LogParameters : public Vector {
 public:
  LogParameters() = default;
  LogParameters(Vector values) : Vector(std::move(values)) {}
  template <typename Derived>
  LogParameters(const Eigen::MatrixBase<Derived>& values) : Vector(values) {}
  LogParameters(const Vector& kernel, double noise) : Vector(kernel.size() + 1) { *this << kernel, noise; }

  template <typename Derived>
  LogParameters& operator=(const Eigen::MatrixBase<Derived>& values) {
    Vector::operator=(values);
    return *this;
  }

  Index kernel_size() const { return size() - 1; }
  auto kernel() { return head(kernel_size()); }
  auto kernel() const { return head(kernel_size()); }
  double& noise() { return (*this)[kernel_size()]; }  // log of the noise variance
  double noise() const { return (*this)[kernel_size()]; }

  // Of one leaf (numbered depth-first) of the table's kernel.
  double& Of(const ParameterTable& table, int leaf, ParameterKind kind);
  double Of(const ParameterTable& table, int leaf, ParameterKind kind) const;
};

// Several LogParameters as the columns of a matrix, as a network decodes them: the row of their noise.
inline Index NoiseRow(const Matrix& hypotheses) { return hypotheses.rows() - 1; }

}  // namespace instantgp
