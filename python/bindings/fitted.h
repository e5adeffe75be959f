// What Model and Ensemble offer alike: joint predictions, scores, names, files and copies.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "instantgp/base/error.h"
#include "instantgp/gp/prediction.h"
#include "python/bindings/arrays.h"
#include "python/bindings/call.h"
#include "python/bindings/reports.h"

namespace instantgp::python {

inline Noise NoiseOf(bool latent) { return latent ? Noise::kLatent : Noise::kObserved; }

inline void CheckProbabilities(const std::vector<double>& probabilities) {
  for (const double p : probabilities) {
    if (p > 0 && p < 1) continue;
    throw Error(ErrorCode::kUsage, "the probability of a quantile lies between 0 and 1, got " + std::to_string(p));
  }
}

template <typename Fitted>
pybind11::array PredictCov(const Fitted& fitted, const Array& X, bool latent) {
  const Matrix rows = ToMatrix(X, "X");
  Matrix cov;
  RunUnlocked([&] { cov = fitted.PredictCov(rows, NoiseOf(latent)); });
  return ToArray(cov);
}

template <typename Fitted>
pybind11::array Sample(const Fitted& fitted, const Array& X, int count, std::uint64_t seed, bool latent) {
  if (count < 1) throw Error(ErrorCode::kUsage, "the number of samples is at least 1, got " + std::to_string(count));
  const Matrix rows = ToMatrix(X, "X");
  Matrix samples;
  RunUnlocked([&] { samples = fitted.Sample(rows, count, seed, NoiseOf(latent)); });
  return ToArray(samples);
}

template <typename Fitted>
pybind11::dict Score(const Fitted& fitted, const Array& X, const Array& y) {
  const Matrix rows = ToMatrix(X, "X");
  const Vector targets = ToVector(y, "y");
  Scores scores;
  RunUnlocked([&] { scores = fitted.Score(rows, targets); });
  return ToDict(scores);
}

// The functions of the library that make a file of it and read it back.
template <typename Fitted>
struct FileFormat {
  std::string (*serialize)(const Fitted& fitted);
  Fitted (*parse)(std::string_view bytes, const std::string& origin);
  void (*save)(const Fitted& fitted, const std::string& path);
  Fitted (*load)(const std::string& path);
};

template <typename Fitted>
void BindFitted(pybind11::class_<Fitted>& bound, const FileFormat<Fitted>& file) {
  using namespace pybind11::literals;  // NOLINT: "name"_a
  const auto to_bytes = [file](const Fitted& fitted) -> pybind11::bytes {
    std::string bytes;
    RunUnlocked([&] { bytes = file.serialize(fitted); });
    return bytes;
  };
  const auto from_bytes = [file](const pybind11::bytes& bytes, const std::string& origin) {
    const auto text = static_cast<std::string_view>(bytes);
    std::optional<Fitted> fitted;
    RunUnlocked([&] { fitted = file.parse(text, origin); });
    return *std::move(fitted);
  };
  // Not file.load itself: the draws of an averaged model are factorised here, with one BLAS thread as everywhere.
  const auto load = [file](const std::string& path) {
    std::optional<Fitted> fitted;
    RunUnlocked([&] { fitted = file.load(path); });
    return *std::move(fitted);
  };
  bound.def("predict_cov", &PredictCov<Fitted>, "X"_a, pybind11::kw_only(), "latent"_a = false)
      .def("sample", &Sample<Fitted>, "X"_a, "count"_a = 1, "seed"_a = 0, pybind11::kw_only(), "latent"_a = false,
           "(rows, count): joint draws from the posterior.")
      .def("score", &Score<Fitted>, "X"_a, "y"_a, "rmse, nll, both standardised too, and coverage95 on these rows.")
      .def_property_readonly("warnings", [](const Fitted& fitted) { return fitted.warnings(); })
      .def_property_readonly("column_names", &Fitted::column_names)
      .def_property_readonly("target_name", &Fitted::target_name)
      .def_property_readonly("rows", &Fitted::rows)
      .def_property_readonly("columns", &Fitted::columns)
      .def("to_bytes", to_bytes, "What a file of it holds.")
      .def_static("from_bytes", from_bytes, "bytes"_a, "origin"_a = "these bytes")
      .def("save", file.save, "path"_a)
      .def_static("load", load, "path"_a)
      .def(pybind11::pickle(to_bytes,
                            [from_bytes](const pybind11::bytes& bytes) { return from_bytes(bytes, "the pickle"); }))
      .def("__copy__", [](const Fitted& fitted) { return Fitted(fitted); })
      .def("__deepcopy__", [](const Fitted& fitted, const pybind11::dict&) { return Fitted(fitted); });
}

}  // namespace instantgp::python
