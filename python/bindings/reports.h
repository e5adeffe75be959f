// What the library reports, as Python's own types. Keys are those of the command line's JSON.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "instantgp/kernel/expression.h"
#include "instantgp/model/model.h"

namespace instantgp::python {

pybind11::dict ToDict(const Scores& scores);
pybind11::dict ToDict(const TimeSplit& times);
pybind11::dict ToDict(const FitSummary& summary);
pybind11::list ToList(const std::vector<ReportedParameter>& parameters);

// ("SE", 0) for a leaf with its 0-based column; ("+", [...]) and ("*", [...]). Leaves in the order of the parameters.
pybind11::tuple ToTuple(const Expression& expression);

}  // namespace instantgp::python
