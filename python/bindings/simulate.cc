// simulate and parse_kernel.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "instantgp/kernel/parameters.h"
#include "instantgp/kernel/parse.h"
#include "instantgp/simulate/distribution.h"
#include "instantgp/simulate/from_kernel.h"
#include "python/bindings/arrays.h"
#include "python/bindings/bind.h"
#include "python/bindings/call.h"
#include "python/bindings/reports.h"

namespace py = pybind11;
using namespace py::literals;  // NOLINT: "name"_a

namespace instantgp::python {
namespace {

py::tuple Describe(const Matrix& X, const Vector& y, const Expression& expression, const LogParameters& theta) {
  const std::vector<std::string> columns = DefaultColumnNames(static_cast<int>(X.cols()));
  Vector values(theta.size());
  for (Index i = 0; i < values.size(); ++i) values[i] = std::exp(theta[i]);  // not Eigen's own, to the last bit
  py::list names;
  for (const Parameter& p : ParameterTable(expression)) {
    names.append(std::string(Name(p.elementary)) + "(" + columns[p.column] + ") " + std::string(Name(p.kind)));
  }
  return py::make_tuple(ToArray(X), ToArray(y), Print(expression, columns),
                        ToArray(Vector(values.head(values.size() - 1))), names, values[values.size() - 1]);
}

py::tuple FromDistribution(std::optional<int> n, std::optional<int> d, std::uint64_t seed, std::uint64_t index) {
  SimulationOptions options;
  options.n = n;
  options.d = d;
  options.positives_only = true;
  options.Validate();
  Simulated draw;
  RunUnlocked([&] { draw = Simulate(options, seed, index); });
  return Describe(draw.X, draw.y, ToExpression(draw.truth), draw.theta);
}

py::tuple FromKernel(const std::string& kernel, std::optional<int> n, std::optional<int> d,
                     std::vector<double> parameters, std::optional<double> noise, std::uint64_t seed,
                     std::uint64_t index) {
  KernelRequest request;
  request.kernel = kernel;
  if (n) request.n = *n;
  request.d = d;
  request.parameters = std::move(parameters);
  request.noise_variance = noise;
  std::optional<KernelDraw> draw;
  RunUnlocked([&] { draw = SimulateKernel(request, seed, index); });
  return Describe(draw->function.X, draw->function.y, draw->expression, draw->function.theta);
}

}  // namespace

void BindSimulate(py::module_& module) {
  module.def("simulate", &FromDistribution, "n"_a, "d"_a, "seed"_a, "index"_a);
  module.def("simulate_kernel", &FromKernel, "kernel"_a, "n"_a, "d"_a, "parameters"_a, "noise_variance"_a, "seed"_a,
             "index"_a);
  module.def(
      "parse_kernel",
      [](const std::string& kernel, const std::vector<std::string>& columns) {
        const Expression expression = ParseKernel(kernel, columns);
        return py::make_tuple(Print(expression, columns), PrintShort(expression, columns));
      },
      "kernel"_a, "column_names"_a, "The canonical text and the shorthand, where there is one.");
}

}  // namespace instantgp::python
