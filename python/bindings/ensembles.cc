// Many kernels at once: Ensemble, fit_ensemble, search.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "instantgp/base/error.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/predictive.h"
#include "instantgp/model/ensemble.h"
#include "instantgp/model/fit_ensemble.h"
#include "instantgp/model/weighting.h"
#include "instantgp/search/search.h"
#include "python/bindings/arrays.h"
#include "python/bindings/bind.h"
#include "python/bindings/call.h"
#include "python/bindings/fitted.h"
#include "python/bindings/options.h"
#include "python/bindings/reports.h"

namespace py = pybind11;
using namespace py::literals;  // NOLINT: "name"_a

namespace instantgp::python {
namespace {

EnsembleOptions MakeOptions(const std::string& weighting, double temperature) {
  const std::optional<Weighting> known = WeightingFromName(weighting);
  if (!known)
    throw Error(ErrorCode::kUsage, "there is no weighting '" + weighting + "'; there are " + ListWeightings());
  EnsembleOptions options;
  options.weighting = *known;
  options.temperature = temperature;
  options.Validate();
  return options;
}

Ensemble FitTable(const Dataset& data, const std::vector<std::string>& kernels, const Options& fit,
                  const std::string& weighting, double temperature) {
  EnsembleOptions options = MakeOptions(weighting, temperature);
  std::optional<Ensemble> ensemble;
  RunInterruptible([&](const std::stop_token& stop) {
    options.fit = fit.fit;
    ensemble = FitEnsemble(data, kernels, options, fit.Session(stop));
  });
  return *std::move(ensemble);
}

Ensemble FitKept(const KeptEncoding& kept, const std::vector<std::string>& kernels, const Options& fit,
                 const std::string& weighting, double temperature) {
  EnsembleOptions options = MakeOptions(weighting, temperature);
  std::optional<Ensemble> ensemble;
  RunInterruptible([&](const std::stop_token& stop) {
    options.fit = fit.fit;
    Session session(kept.Session(fit, stop));
    ensemble = FitEnsemble(session, kept.encoding, kernels, options);
  });
  return *std::move(ensemble);
}

Mixture MixtureAt(const Ensemble& ensemble, const Matrix& X, bool latent, int threads) {
  const int useful = std::min(ResolveThreads(threads), static_cast<int>(ensemble.members().size()));
  ThreadPool pool(useful);
  return ensemble.Predict(X, NoiseOf(latent), &pool);
}

py::tuple Predict(const Ensemble& ensemble, const Array& X, bool latent, int threads) {
  const Matrix rows = ToMatrix(X, "X");
  Vector mean, std;
  RunUnlocked([&] {
    const Mixture mixture = MixtureAt(ensemble, rows, latent, threads);
    mean = mixture.Mean();
    std = mixture.Std();
  });
  return py::make_tuple(ToArray(mean), ToArray(std));
}

py::array Quantiles(const Ensemble& ensemble, const Array& X, const std::vector<double>& probabilities, bool latent,
                    int threads) {
  CheckProbabilities(probabilities);
  const Matrix rows = ToMatrix(X, "X");
  Matrix quantiles(rows.rows(), static_cast<Index>(probabilities.size()));
  RunUnlocked([&] {
    const Mixture mixture = MixtureAt(ensemble, rows, latent, threads);
    for (Index k = 0; k < quantiles.cols(); ++k) quantiles.col(k) = mixture.Quantile(probabilities[k]);
  });
  return ToArray(quantiles);
}

py::array LogDensity(const Ensemble& ensemble, const Array& X, const Array& y, int threads) {
  const Matrix rows = ToMatrix(X, "X");
  const Vector targets = ToVector(y, "y");
  if (targets.size() != rows.rows()) throw Error(ErrorCode::kBadInput, "X and y must have as many rows as each other");
  Vector density;
  RunUnlocked([&] { density = MixtureAt(ensemble, rows, false, threads).LogDensity(targets); });
  return ToArray(density);
}

py::array LooMean(const Ensemble& ensemble) {
  Vector mean;
  RunUnlocked([&] { mean = ensemble.LooMean(); });
  return ToArray(mean);
}

py::list Members(const Ensemble& ensemble) {
  py::list members;
  for (const EnsembleMember& member : ensemble.members()) {
    members.append(py::dict("kernel"_a = member.model.KernelShortText(), "weight"_a = member.weight,
                            "nlml_per_point"_a = member.model.predictive().nlml(), "status"_a = "ok"));
  }
  for (const FailedMember& failed : ensemble.failed()) {
    members.append(py::dict("kernel"_a = failed.kernel, "weight"_a = 0.0, "nlml_per_point"_a = py::none(),
                            "status"_a = failed.reason));
  }
  return members;
}

py::list Models(const Ensemble& ensemble) {
  py::list models;
  for (const EnsembleMember& member : ensemble.members()) models.append(member.model);
  return models;
}

py::dict Summary(const Ensemble& ensemble) {
  const EnsembleSummary& s = ensemble.summary();
  return py::dict("method"_a = s.method, "weighting"_a = std::string(Name(s.weighting)),
                  "temperature"_a = s.temperature, "time_ms"_a = ToDict(s.time_ms));
}

py::list Candidates(const SearchResult& result) {
  const int n = std::min(result.model.rows(), kSearchRows);
  Vector scores(static_cast<Index>(result.candidates.size()));
  for (Index k = 0; k < scores.size(); ++k) scores[k] = -n * result.candidates[k].score;
  const Vector weights = SoftmaxWeights(scores);
  py::list list;
  for (Index k = 0; k < scores.size(); ++k) {
    const Candidate& c = result.candidates[k];
    list.append(py::dict("kernel"_a = c.kernel, "kernel_short"_a = c.kernel_short, "weight"_a = weights[k],
                         "score"_a = c.score, "nlml_per_point"_a = c.nlml, "parameters"_a = c.parameters,
                         "refined"_a = c.refined, "round"_a = c.round, "words"_a = c.words, "status"_a = "ok"));
  }
  return list;
}

py::tuple Search(const Dataset& data, int beam, int depth, double budget, int refine_top, int max_addends,
                 const Options& fit) {
  SearchOptions options;
  options.beam = beam;
  options.depth = depth;
  options.budget = budget;
  options.refine_top = refine_top;
  options.max_addends = max_addends;
  options.Validate();
  std::optional<SearchResult> result;
  RunInterruptible([&](const std::stop_token& stop) { result = SearchStructures(data, options, fit.Session(stop)); });
  const py::dict figures("evaluated"_a = result->evaluated, "failed"_a = result->failed, "rounds"_a = result->rounds,
                         "out_of_time"_a = result->out_of_time);
  return py::make_tuple(result->model, Candidates(*result), figures, result->warnings);
}

}  // namespace

void BindEnsembles(py::module_& module) {
  py::class_<Ensemble> bound(module, "Ensemble",
                             "A weighted mixture of models of the same rows, heaviest first. Immutable.");
  BindFitted(bound, {&SerializeEnsemble, &ParseEnsemble, &SaveEnsemble, &LoadEnsemble});
  bound
      .def("predict", &Predict, "X"_a, py::kw_only(), "latent"_a = false, "threads"_a = 0,
           "(mean, std) of the mixture.")
      .def("predict_quantiles", &Quantiles, "X"_a, "probabilities"_a, py::kw_only(), "latent"_a = false,
           "threads"_a = 0, "(rows, probabilities): quantiles of the mixture.")
      .def("log_density", &LogDensity, "X"_a, "y"_a, py::kw_only(), "threads"_a = 0)
      .def("loo_mean", &LooMean)
      .def_property_readonly("members", &Members)
      .def_property_readonly("models", &Models)
      .def_property_readonly("effective_members", &Ensemble::EffectiveMembers)
      .def_property_readonly("summary", &Summary)
      .def("__repr__", [](const Ensemble& e) {
        return "<instantgp.Ensemble of " + std::to_string(e.members().size()) + " kernels, " +
               std::to_string(e.rows()) + " rows>";
      });

  module.def("fit_ensemble", &FitTable, "data"_a, "kernels"_a, "options"_a, "weighting"_a = "bma",
             "temperature"_a = 0.0);
  module.def("fit_ensemble_encoded", &FitKept, "encoding"_a, "kernels"_a, "options"_a, "weighting"_a = "bma",
             "temperature"_a = 0.0);
  module.def("search", &Search, "data"_a, "beam"_a, "depth"_a, "budget"_a, "refine_top"_a, "max_addends"_a,
             "options"_a);
  module.def("built_in_kernels", &BuiltInKernels, "The 24 kernels an ensemble has unless it is told others.");
}

}  // namespace instantgp::python
