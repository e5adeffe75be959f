#include <string>

#include "instantgp/base/error.h"
#include "python/bindings/arrays.h"
#include "python/bindings/bind.h"
#include "python/bindings/reports.h"

namespace py = pybind11;
using namespace py::literals;  // NOLINT: "name"_a

namespace instantgp::python {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

void CheckDimensions(const Array& array, py::ssize_t wanted, const char* what) {
  if (array.ndim() == wanted) return;
  throw Error(ErrorCode::kBadInput, std::string(what) + " must have " + std::to_string(wanted) +
                                        (wanted == 1 ? " dimension" : " dimensions") + ", got " +
                                        std::to_string(array.ndim()) +
                                        (wanted == 2 ? ". A single column is X.reshape(-1, 1)." : ""));
}

}  // namespace

Matrix ToMatrix(const Array& array, const char* what) {
  CheckDimensions(array, 2, what);
  return Eigen::Map<const RowMajor>(array.data(), array.shape(0), array.shape(1));
}

Vector ToVector(const Array& array, const char* what) {
  CheckDimensions(array, 1, what);
  return Eigen::Map<const Vector>(array.data(), array.shape(0));
}

py::array ToArray(const Matrix& matrix) {
  Array array({matrix.rows(), matrix.cols()});
  Eigen::Map<RowMajor>(array.mutable_data(), matrix.rows(), matrix.cols()) = matrix;
  return array;
}

py::array ToArray(const Vector& vector) { return Array(vector.size(), vector.data()); }

py::dict ToDict(const Scores& s) {
  return py::dict("rmse"_a = s.rmse, "nll"_a = s.nll, "rmse_standardized"_a = s.rmse_standardized,
                  "nll_standardized"_a = s.nll_standardized, "coverage95"_a = s.coverage95);
}

py::dict ToDict(const TimeSplit& t) {
  return py::dict("scale"_a = t.scale, "encode"_a = t.encode, "decode"_a = t.decode, "optimize"_a = t.optimize,
                  "factorize"_a = t.factorize, "total"_a = t.total);
}

py::dict ToDict(const FitSummary& s) {
  return py::dict("method"_a = s.method, "evaluations"_a = s.evaluations, "steps"_a = s.steps,
                  "rejected"_a = s.rejected, "starts"_a = s.starts, "stop_reason"_a = s.stop_reason,
                  "nlml_start"_a = s.nlml_start, "nlml"_a = s.nlml, "time_ms"_a = ToDict(s.time_ms));
}

py::list ToList(const std::vector<ReportedParameter>& parameters) {
  py::list list;
  for (const ReportedParameter& p : parameters) {
    py::dict row("dimension"_a = p.dimension, "column"_a = p.column, "symbol"_a = p.symbol, "name"_a = p.name,
                 "value"_a = p.value, "value_original_units"_a = p.value_original_units);
    if (!p.in_words.empty()) {
      row["unit"] = p.unit;
      row["in_words"] = p.in_words;
    }
    list.append(std::move(row));
  }
  return list;
}

py::tuple ToTuple(const Expression& expression) {
  if (expression.op == Expression::Op::kLeaf) {
    return py::make_tuple(std::string(Name(expression.symbol)), expression.column);
  }
  py::list terms;
  for (const Expression& term : expression.terms) terms.append(ToTuple(term));
  return py::make_tuple(expression.op == Expression::Op::kSum ? "+" : "*", terms);
}

}  // namespace instantgp::python
