// Tables with dates, categories and gaps: from what Python holds of their columns to datasets and rows.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "instantgp/base/error.h"
#include "instantgp/data/labelled_table.h"
#include "instantgp/data/new_rows.h"
#include "instantgp/model/ensemble.h"
#include "instantgp/model/model.h"
#include "instantgp/model/spoken_columns.h"
#include "python/bindings/arrays.h"
#include "python/bindings/bind.h"
#include "python/bindings/call.h"

namespace py = pybind11;
using namespace pybind11::literals;  // NOLINT: "name"_a

namespace instantgp::python {
namespace {

using Microseconds = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

MissingPolicy MissingNamed(const std::string& name) {
  if (name == "error") return MissingPolicy::kError;
  if (name == "drop") return MissingPolicy::kDrop;
  if (name == "impute") return MissingPolicy::kImpute;
  throw Error(ErrorCode::kUsage, "missing is 'error', 'drop' or 'impute', not '" + name + "'");
}

UnseenPolicy UnseenNamed(const std::string& name) {
  if (name == "error") return UnseenPolicy::kError;
  if (name == "other") return UnseenPolicy::kOther;
  throw Error(ErrorCode::kUsage, "unseen is 'error' or 'other', not '" + name + "'");
}

// (name, values): floats, texts, or microseconds since 1970 where the values are integers. NaN, "" and the smallest
// integer (NumPy's NaT) are missing.
RawColumn ToColumn(const py::tuple& named) {
  RawColumn column;
  column.name = named[0].cast<std::string>();
  const py::object values = named[1];
  if (py::isinstance<py::list>(values)) {
    column.cells = values.cast<std::vector<std::string>>();
  } else if (py::array(values).dtype().kind() == 'i') {
    RawColumn::Dates dates;
    const auto us = values.cast<Microseconds>();
    for (py::ssize_t i = 0; i < us.size(); ++i) dates.push_back({us.at(i), 0});
    column.cells = std::move(dates);
  } else {
    const Vector numbers = ToVector(values.cast<Array>(), "a column");
    column.cells = RawColumn::Numbers(numbers.begin(), numbers.end());
  }
  return column;
}

RawTable ToTable(const py::list& columns) {
  RawTable table;
  table.has_header = true;
  for (const py::handle column : columns) {
    table.columns.push_back(ToColumn(column.cast<py::tuple>()));
    table.all_names.push_back(table.columns.back().name);
    if (table.columns.back().rows() != table.columns.front().rows()) {
      throw Error(ErrorCode::kBadInput, "the columns have different numbers of rows");
    }
  }
  return table;
}

// (dataset, the rows of the table that are in it).
py::tuple LearnTable(const py::list& columns, const Array& y, const std::string& target, const std::string& missing,
                     std::vector<std::string> categorical, std::vector<std::string> date_formats) {
  RawTable table = ToTable(columns);
  const Vector targets = ToVector(y, "y");
  // The target is known by its place, behind the inputs: an input may have its name.
  table.columns.push_back({target, RawColumn::Numbers(targets.begin(), targets.end())});
  if (table.columns.back().rows() != table.rows()) {
    throw Error(ErrorCode::kBadInput, "X has " + std::to_string(table.rows()) + " rows and y " +
                                          std::to_string(targets.size()) + "; give one target for every row");
  }
  CsvOptions options;
  options.missing = MissingNamed(missing);
  options.categorical = std::move(categorical);
  options.date_formats = std::move(date_formats);
  const LabelledTable labelled = LabelledTable::Of(std::move(table), options);
  if (!labelled.open.empty() && options.missing == MissingPolicy::kError) labelled.FailOpen();
  return py::make_tuple(labelled.Learn(labelled.known), labelled.known);
}

// (X as the model sees it, targets or None, notes).
template <typename Fitted>
py::tuple RowsOf(const Fitted& fitted, const py::list& columns, const std::string& missing, const std::string& unseen) {
  const NewRows rows = MatchRows(ToTable(columns), {fitted.column_names(), fitted.target_name(), fitted.recipe()},
                                 {MissingNamed(missing), UnseenNamed(unseen)});
  return py::make_tuple(ToArray(rows.X), rows.notes);
}

template <typename Fitted>
py::object TableOf(const Fitted& fitted) {
  if (fitted.recipe() == nullptr) return py::none();
  py::list list;
  const std::vector<std::string> names = fitted.recipe()->InputNames();
  auto next = names.begin();
  for (const ColumnRecipe& column : fitted.recipe()->columns) {
    const std::vector<std::string> inputs(next, next + column.inputs());
    next += column.inputs();
    list.append(py::dict("column"_a = column.name, "kind"_a = std::string(Name(column.kind)), "inputs"_a = inputs,
                         "words"_a = InWords(column)));
  }
  return list;
}

template <typename Fitted>
void BindTable(py::module_& module, const char* type) {
  auto bound = module.attr(type).cast<py::class_<Fitted>>();
  bound
      .def("rows_of", &RowsOf<Fitted>, "columns"_a, "missing"_a = "error", "unseen"_a = "error",
           "(X, notes): rows of a table, given as (name, values), as the model sees them.")
      .def(
          "place_in_words",
          [](const Fitted& fitted, int input, double place) { return PlaceInWords(fitted.recipe(), input, place); },
          "input"_a, "place"_a, "The date at a place along an input of dates; '' along others.")
      .def_property_readonly("table", &TableOf<Fitted>,
                             "What the columns of the table are: column, kind, inputs, words; None for plain numbers.");
}

}  // namespace

void BindTables(py::module_& module) {
  module.def("learn_table", &LearnTable, "columns"_a, "y"_a, "target"_a, "missing"_a = "error",
             "categorical"_a = std::vector<std::string>(), "date_formats"_a = std::vector<std::string>(),
             "(Dataset, rows): a table, given as (name, values), with dates, categories and gaps.");
  BindTable<Model>(module, "Model");
  BindTable<Ensemble>(module, "Ensemble");
}

}  // namespace instantgp::python
