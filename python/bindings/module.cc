// The module instantgp._core. Compiled for the oldest processor: the first thing it does is to ask whether this one can
// run the rest.
#include <pybind11/pybind11.h>

#include <exception>
#include <string>

#include "instantgp/base/blas_kernels.h"
#include "instantgp/base/cpu.h"
#include "instantgp/base/error.h"
#include "instantgp/base/version.h"
#include "python/bindings/bind.h"
#include "python/bindings/call.h"

namespace py = pybind11;

namespace instantgp::python {
namespace {

// Python's exception for each code. Created once and kept as long as the process, as C extensions keep their types.
struct Exceptions {
  PyObject* input = nullptr;
  PyObject* limit = nullptr;
  PyObject* numerical = nullptr;
  PyObject* failure = nullptr;
} exceptions;

PyObject* NewException(py::module_& module, const char* name, PyObject* base, PyObject* also, const char* doc) {
  const py::tuple bases = also ? py::make_tuple(py::handle(base), py::handle(also)) : py::make_tuple(py::handle(base));
  PyObject* type = PyErr_NewExceptionWithDoc((std::string("instantgp.") + name).c_str(), doc, bases.ptr(), nullptr);
  if (type == nullptr) throw py::error_already_set();
  module.add_object(name, py::handle(type));
  return type;
}

PyObject* TypeOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage:
    case ErrorCode::kBadInput:
      return exceptions.input;
    case ErrorCode::kLimit:
      return exceptions.limit;
    case ErrorCode::kNumerical:
      return exceptions.numerical;
    case ErrorCode::kInterrupted:
      return PyExc_KeyboardInterrupt;
    case ErrorCode::kFailure:
      break;
  }
  return exceptions.failure;
}

// The message and the library's remedies as Python's arguments: 'Try method="svgp", inducing=500.'
std::string MessageOf(const Error& error) {
  std::string remedies;
  for (const Remedy& remedy : error.remedies()) {
    if (remedy.value.empty()) continue;  // names an option; the message says the rest
    const bool number = remedy.value.find_first_not_of("0123456789.") == std::string::npos;
    remedies += (remedies.empty() ? "" : ", ") + remedy.option + "=";
    remedies += number ? remedy.value : '"' + remedy.value + '"';
  }
  const std::string message = error.what();
  if (remedies.empty()) return message;
  return message + (message.ends_with('.') ? " Try " : ". Try ") + remedies + ".";
}

void Raise(const Error& error) {
  // A message may quote a part of a text that ends inside a character.
  const std::string text = MessageOf(error);
  PyObject* message = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (message == nullptr) return;  // out of memory, and Python says so
  PyErr_SetObject(TypeOf(error.code()), message);
  Py_DECREF(message);
}

}  // namespace

void BindErrors(py::module_& module) {
  PyObject* base =
      NewException(module, "Error", PyExc_Exception, nullptr, "What the library complains about; base of the others.");
  exceptions.input =
      NewException(module, "InputError", base, PyExc_ValueError, "Data, a kernel, an option or a file that is wrong.");
  exceptions.limit = NewException(module, "LimitError", base, PyExc_ValueError,
                                  "A request beyond a stated limit of size; the message names the alternative.");
  exceptions.numerical = NewException(module, "NumericalError", base, PyExc_ArithmeticError,
                                      "No factorisation or no finite value could be had.");
  exceptions.failure =
      NewException(module, "FailureError", base, PyExc_OSError, "The surroundings failed, such as a full disk.");
  py::register_exception_translator([](std::exception_ptr failure) {
    try {
      if (failure) std::rethrow_exception(failure);
    } catch (const Error& error) {
      Raise(error);
    } catch (const PythonError&) {  // raised already
    }
  });
}

}  // namespace instantgp::python

PYBIND11_MODULE(_core, module) {
  char missing[1024];
  if (instantgp::DescribeMissingCpuFeatures(instantgp::kBuildCpuFeatures, instantgp::MachineCpuFeatures(), missing,
                                            sizeof missing) > 0) {
    throw py::import_error(missing);
  }
  instantgp::ChooseBlasKernels();
  module.doc() = "The compiled part of instantgp: thin bindings of the C++ library.";
  module.attr("__version__") = std::string(instantgp::kVersion);
  instantgp::python::PrepareForForks();
  instantgp::python::BindErrors(module);
  instantgp::python::BindModels(module);
  instantgp::python::BindEnsembles(module);
  instantgp::python::BindTables(module);
  instantgp::python::BindForecasts(module);
  instantgp::python::BindSimulate(module);
}
