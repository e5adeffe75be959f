// NumPy arrays to matrices and back. Everything is copied: a table is small beside the matrices of a fit, and C++ keeps
// columns together where NumPy keeps rows.
#pragma once

#include <pybind11/numpy.h>

#include "instantgp/base/matrix.h"

namespace instantgp::python {

// float64, C order; other types are converted on the way in.
using Array = pybind11::array_t<double, pybind11::array::c_style | pybind11::array::forcecast>;

// Throw Error(kBadInput) naming `what` when the array has not two (one) dimensions.
Matrix ToMatrix(const Array& array, const char* what);
Vector ToVector(const Array& array, const char* what);

pybind11::array ToArray(const Matrix& matrix);
pybind11::array ToArray(const Vector& vector);

}  // namespace instantgp::python
