// Matrix aliases of the Gaussian-process algebra: double, column-major, so that an input dimension is contiguous.
#pragma once

#include <Eigen/Core>

namespace instantgp {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Index = Eigen::Index;

}  // namespace instantgp
