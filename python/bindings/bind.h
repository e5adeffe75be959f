// The parts of the module, one file each.
#pragma once

#include <pybind11/pybind11.h>

namespace instantgp::python {

void BindErrors(pybind11::module_& module);
void BindModels(pybind11::module_& module);     // Dataset, FitOptions, Encoding, Model and what makes them
void BindEnsembles(pybind11::module_& module);  // Ensemble, fit_ensemble, search
void BindTables(pybind11::module_& module);     // learn_table; rows_of and table of models and ensembles
void BindForecasts(pybind11::module_& module);  // forecast
void BindSimulate(pybind11::module_& module);   // simulate, parse_kernel, built_in_kernels

}  // namespace instantgp::python
