// Dataset, FitOptions, Encoding, Model; encode and fit.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "instantgp/base/error.h"
#include "instantgp/data/dataset.h"
#include "instantgp/gp/marginal_likelihood.h"
#include "instantgp/gp/neighbour_posterior.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/model/explain.h"
#include "instantgp/model/fit.h"
#include "instantgp/model/model.h"
#include "instantgp/model/update.h"
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

Method MethodNamed(const std::string& name) {
  if (const std::optional<Method> method = MethodFromName(name)) return *method;
  throw Error(ErrorCode::kUsage, "there is no method '" + name + "'; there are " + ListMethods());
}

Options MakeOptions(const std::string& method, std::optional<int> steps, const std::string& objective, int restarts,
                    int inducing, int neighbours, bool every_lengthscale, bool exact, const std::string& transform,
                    std::uint64_t seed, int threads, const std::optional<std::string>& weights) {
  if (objective != "ml" && objective != "map") {
    throw Error(ErrorCode::kUsage, "the objective is 'ml' or 'map', not '" + objective + "'");
  }
  Options options;
  options.fit.method = MethodNamed(method);
  options.fit.steps = steps;
  options.fit.map = objective == "map";
  options.fit.restarts = restarts;
  options.fit.inducing = inducing;
  options.fit.neighbours = neighbours;
  options.fit.every_lengthscale = every_lengthscale;
  options.fit.exact = exact;
  options.fit.transform = TransformChoiceFromName(transform);
  options.fit.seed = seed;
  options.threads = threads;
  options.fit.Validate();
  options.Session({}).Validate();
  if (weights) options.network = LoadNetwork(*weights);
  return options;
}

KeptEncoding Encode(const Dataset& data, const Options& options) {
  KeptEncoding kept{{}, options.network};
  RunInterruptible([&](const std::stop_token& stop) {
    Session session(options.Session(stop));
    kept.encoding = session.Encode(data);
  });
  return kept;
}

Model FitTable(const Dataset& data, const std::string& kernel, const Options& options) {
  std::optional<Model> model;
  RunInterruptible([&](const std::stop_token& stop) { model = Fit(data, kernel, options.fit, options.Session(stop)); });
  return *std::move(model);
}

Model FitKept(const KeptEncoding& kept, const std::string& kernel, const Options& options) {
  std::optional<Model> model;
  RunInterruptible([&](const std::stop_token& stop) {
    Session session(kept.Session(options, stop));
    model = session.Fit(kept.encoding, kernel, options.fit);
  });
  return *std::move(model);
}

py::tuple Predict(const Model& model, const Array& X, bool latent) {
  const Matrix rows = ToMatrix(X, "X");
  Prediction prediction;
  RunUnlocked([&] { prediction = model.Predict(rows, NoiseOf(latent)); });
  return py::make_tuple(ToArray(prediction.mean), ToArray(prediction.std));
}

py::array PredictMean(const Model& model, const Array& X) {
  const Matrix rows = ToMatrix(X, "X");
  Vector mean;
  RunUnlocked([&] { mean = model.PredictMean(rows); });
  return ToArray(mean);
}

py::tuple Interval(const Model& model, const Array& X, double probability, bool latent) {
  if (!(probability > 0 && probability < 1)) {
    throw Error(ErrorCode::kUsage,
                "the probability of an interval lies between 0 and 1, got " + std::to_string(probability));
  }
  const Matrix rows = ToMatrix(X, "X");
  Prediction prediction;
  RunUnlocked([&] { prediction = model.Predict(rows, NoiseOf(latent)); });
  return py::make_tuple(ToArray(prediction.Lower(probability)), ToArray(prediction.Upper(probability)));
}

py::array ModelQuantiles(const Model& model, const Array& X, const std::vector<double>& probabilities, bool latent) {
  CheckProbabilities(probabilities);
  const Matrix rows = ToMatrix(X, "X");
  Matrix quantiles(rows.rows(), static_cast<Index>(probabilities.size()));
  RunUnlocked([&] {
    const Prediction prediction = model.Predict(rows, NoiseOf(latent));
    for (Index k = 0; k < quantiles.cols(); ++k) {
      quantiles.col(k) = prediction.Quantile(probabilities[static_cast<std::size_t>(k)]);
    }
  });
  return ToArray(quantiles);
}

py::tuple Loo(const Model& model) {
  LeaveOneOut loo;
  RunUnlocked([&] { loo = model.Loo(); });
  return py::make_tuple(ToArray(loo.mean), ToArray(Vector(loo.variance.cwiseSqrt())), loo.nll);
}

// log p(y | theta) of the scaled targets and its gradient in theta, the LogParameters of the kernel.
py::tuple LogLikelihoodAt(const Model& model, const Array& theta) {
  const Posterior& posterior = model.posterior();
  const Vector at = ToVector(theta, "theta");
  if (at.size() != posterior.theta().size()) {
    throw Error(ErrorCode::kBadInput, "theta has " + std::to_string(posterior.theta().size()) +
                                          " elements for this kernel (log parameters, log noise variance last), got " +
                                          std::to_string(at.size()));
  }
  NlmlValue value;
  Vector gradient;
  RunUnlocked([&] {
    NlmlWorkspace workspace;
    value = NegativeLogMarginalLikelihood(Covariance(posterior.expression()), posterior.X(), posterior.y(), at,
                                          &gradient, workspace);
  });
  if (!value.ok) throw Error(ErrorCode::kNumerical, "no likelihood at these parameters: " + value.reason);
  const double n = model.rows();
  return py::make_tuple(-n * value.nlml, ToArray(Vector(-n * gradient)));
}

// (model, {reinferred, drift}): more rows, the same scaling; parameters as `reinfer` says.
py::tuple UpdateWith(const Model& model, const Array& X, const Array& y, const std::string& reinfer,
                     const std::optional<std::string>& method, const Options& options) {
  const Matrix rows = ToMatrix(X, "X");
  const Vector targets = ToVector(y, "y");
  UpdateOptions update;
  update.steps = options.fit.steps.value_or(0);
  update.reinfer = reinfer == "always"  ? Reinfer::kAlways
                   : reinfer == "never" ? Reinfer::kNever
                                        : Reinfer::kWhenDrifting;
  if (reinfer != "always" && reinfer != "never" && reinfer != "drift") {
    throw Error(ErrorCode::kUsage, "reinfer is 'drift', 'always' or 'never', not '" + reinfer + "'");
  }
  if (method) update.method = MethodNamed(*method);
  std::optional<UpdateResult> result;
  RunInterruptible(
      [&](const std::stop_token& stop) { result = Update(model, rows, targets, update, options.Session(stop)); });
  const Drift& drift = result->drift;
  const py::dict figures("reinferred"_a = result->reinferred, "rows"_a = drift.rows, "nll_standardized"_a = drift.score,
                         "expected_nll_standardized"_a = drift.expected, "mean_square"_a = drift.mean_square,
                         "standard_score"_a = drift.standard_score, "drifting"_a = drift.drifting);
  return py::make_tuple(std::move(result->model), figures);
}

// What each addend of the kernel contributes, largest share first.
py::dict ExplainModel(const Model& model) {
  Explanation explanation;
  RunUnlocked([&] { explanation = Explain(model); });
  py::list components;
  for (const Component& c : explanation.components) {
    components.append(py::dict("component"_a = c.text, "columns"_a = c.columns, "share"_a = c.share, "std"_a = c.std));
  }
  return py::dict("transform"_a = Name(explanation.transform), "components"_a = components,
                  "residual_share"_a = explanation.residual_share, "left_out"_a = explanation.left_out,
                  "left_out_share"_a = explanation.left_out_share);
}

// (mean, std) of one component, by its number in the explanation.
py::tuple PredictPart(const Model& model, int number, const Array& X) {
  const Matrix rows = ToMatrix(X, "X");
  Prediction prediction;
  RunUnlocked([&] {
    const Explanation explanation = Explain(model);
    if (number < 0 || number >= static_cast<int>(explanation.components.size())) {
      throw Error(ErrorCode::kUsage, "the model has " + std::to_string(explanation.components.size()) +
                                         " components, there is no number " + std::to_string(number));
    }
    prediction = PredictComponent(model, explanation.components[static_cast<std::size_t>(number)], rows);
  });
  return py::make_tuple(ToArray(prediction.mean), ToArray(prediction.std));
}

Model AverageOver(const Model& model, const Array& draws) {
  const Matrix columns = ToMatrix(draws, "draws");
  std::optional<Model> averaged;
  RunUnlocked([&] { averaged = model.Averaged(columns); });
  return *std::move(averaged);
}

py::dict ScalingOf(const Model& model) {
  const Scaler& scaler = model.scaler();
  return py::dict("x_min"_a = ToArray(scaler.x_min), "x_range"_a = ToArray(scaler.x_range), "y_mean"_a = scaler.y_mean,
                  "y_std"_a = scaler.y_std);
}

void BindModel(py::module_& module) {
  py::class_<Model> bound(module, "Model", "A fitted Gaussian process. Immutable; copies share the factorisation.");
  BindFitted(bound, {&SerializeModel, &ParseModel, &SaveModel, &LoadModel});
  bound
      .def("predict", &Predict, "X"_a, py::kw_only(), "latent"_a = false,
           "(mean, std) of the observations, or of the function itself with latent=True.")
      .def("predict_mean", &PredictMean, "X"_a)
      .def("predict_interval", &Interval, "X"_a, "probability"_a = 0.95, py::kw_only(), "latent"_a = false,
           "(lower, upper) of the central interval.")
      .def("predict_quantiles", &ModelQuantiles, "X"_a, "probabilities"_a, py::kw_only(), "latent"_a = false,
           "(rows, probabilities): quantiles of the observations, or of the function itself with latent=True.")
      .def("loo", &Loo, "(mean, std, nll) of every training row when it is left out.")
      .def("log_likelihood_at", &LogLikelihoodAt, "theta"_a,
           "(value, gradient) of the log marginal likelihood of the standardised targets.")
      .def("update", &UpdateWith, "X"_a, "y"_a, py::kw_only(), "reinfer"_a = "drift", "method"_a = py::none(),
           "options"_a = Options(),
           "(model, drift): with these rows too. The scaling stays; the parameters are inferred anew when the rows "
           "surprise the model, always, or never.")
      .def("explain", &ExplainModel, "The addends of the kernel: share of the variance and standard deviation of each.")
      .def("predict_component", &PredictPart, "number"_a, "X"_a, "(mean, std) of one component of explain().")
      .def("averaged", &AverageOver, "draws"_a,
           "The model with predictions averaged over these sets of parameters, one a column, in the order of theta; "
           "without columns, by theta alone.")
      .def_property_readonly("averaged_over", &Model::AveragedOver)
      .def_property_readonly("draws", [](const Model& model) { return ToArray(model.Draws()); })
      .def_property_readonly("kernel", &Model::KernelText)
      .def_property_readonly("kernel_short", &Model::KernelShortText)
      .def_property_readonly("parameters", [](const Model& model) { return ToList(model.Parameters()); })
      .def_property_readonly("noise_variance", &Model::NoiseVariance)
      .def_property_readonly("noise_variance_original_units", &Model::NoiseVarianceOriginalUnits)
      .def_property_readonly("amplitude_original_units", &Model::AmplitudeOriginalUnits)
      .def_property_readonly("theta", [](const Model& model) { return ToArray(model.predictive().theta()); })
      .def_property_readonly("expression", [](const Model& model) { return ToTuple(model.predictive().expression()); })
      .def_property_readonly("log_marginal_likelihood",
                             [](const Model& model) { return model.predictive().log_marginal_likelihood(); })
      .def_property_readonly("nlml_per_point", [](const Model& model) { return model.predictive().nlml(); })
      .def_property_readonly("jitter", [](const Model& model) { return model.predictive().jitter(); })
      .def_property_readonly("neighbours",
                             [](const Model& model) -> std::optional<int> {
                               if (model.neighbours() == nullptr) return std::nullopt;
                               return model.neighbours()->rule().count;
                             })
      .def_property_readonly("sparse", [](const Model& model) { return model.sparse() != nullptr; })
      .def_property_readonly("summary", [](const Model& model) { return ToDict(model.summary()); })
      .def_property_readonly("scaling", &ScalingOf)
      .def_property_readonly("transform", [](const Model& model) { return Name(model.transform().kind()); })
      .def_property_readonly("transforms",
                             [](const Model& model) {
                               py::dict tried;
                               for (const auto& [kind, evidence] : model.summary().transforms) {
                                 tried[py::str(std::string(Name(kind)))] = evidence;
                               }
                               return tried;
                             })
      .def_property_readonly("X_scaled", [](const Model& model) { return ToArray(model.predictive().X()); })
      .def_property_readonly("y_scaled", [](const Model& model) { return ToArray(model.predictive().y()); })
      .def_property_readonly(
          "y",
          [](const Model& model) {
            const TargetTransform& transform = model.transform();
            return ToArray(Vector(model.scaler().UnscaleMean(model.predictive().y()).unaryExpr([&](double g) {
              return transform.Inverse(g);
            })));
          })
      .def("__repr__", [](const Model& model) {
        return "<instantgp.Model " + model.KernelShortText() + ", " + std::to_string(model.rows()) + " rows>";
      });
}

}  // namespace

void BindModels(py::module_& module) {
  py::class_<Dataset>(module, "Dataset", "A table with names, checked.")
      .def(py::init([](const Array& X, const Array& y, std::vector<std::string> columns, std::string target) {
             return Dataset::Of(ToMatrix(X, "X"), ToVector(y, "y"), std::move(columns), std::move(target));
           }),
           "X"_a, "y"_a, "column_names"_a = std::vector<std::string>(), "target_name"_a = "y")
      .def_property_readonly("rows", &Dataset::rows)
      .def_property_readonly("columns", &Dataset::columns)
      .def_readonly("column_names", &Dataset::column_names)
      .def_property_readonly("X", [](const Dataset& data) { return ToArray(data.X); });

  py::class_<Options>(module, "FitOptions", "How to fit, checked; with the network of `weights`, a file.")
      .def(py::init(&MakeOptions), py::kw_only(), "method"_a = "oneshot", "steps"_a = py::none(), "objective"_a = "ml",
           "restarts"_a = 10, "inducing"_a = 0, "neighbours"_a = 0, "every_lengthscale"_a = false, "exact"_a = false,
           "transform"_a = "none", "seed"_a = 0, "threads"_a = 0, "weights"_a = py::none());

  py::class_<KeptEncoding>(module, "Encoding", "A table as the network has read it: asked for any number of kernels.")
      .def_property_readonly("rows", [](const KeptEncoding& kept) { return kept.encoding.X.rows(); })
      .def_property_readonly("rows_read", [](const KeptEncoding& kept) { return kept.encoding.rows_read; })
      .def_property_readonly("columns", [](const KeptEncoding& kept) { return kept.encoding.X.cols(); })
      .def_property_readonly("column_names", [](const KeptEncoding& kept) { return kept.encoding.column_names; })
      .def_property_readonly("target_name", [](const KeptEncoding& kept) { return kept.encoding.target_name; })
      .def_property_readonly("warnings", [](const KeptEncoding& kept) { return kept.encoding.warnings; })
      .def("fit", &FitKept, "kernel"_a, "options"_a = Options(), "A Model by oneshot or refine.")
      .def("__repr__", [](const KeptEncoding& kept) {
        return "<instantgp.Encoding of " + std::to_string(kept.encoding.X.rows()) + " rows, " +
               std::to_string(kept.encoding.X.cols()) + " columns>";
      });

  BindModel(module);
  module.def("fit", &FitTable, "data"_a, "kernel"_a, "options"_a = Options());
  module.def("encode", &Encode, "data"_a, "options"_a = Options());
}

}  // namespace instantgp::python
