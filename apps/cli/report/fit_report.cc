#include "apps/cli/report/fit_report.h"

#include <cmath>

#include "apps/cli/terminal/terminal.h"
#include "instantgp/base/diagnosis.h"
#include "instantgp/base/version.h"
#include "instantgp/gp/neighbour_posterior.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/gp/sparse_posterior.h"
#include "instantgp/model/methods.h"
#include "instantgp/model/spoken_columns.h"

namespace instantgp::cli {
namespace {

// The name as the command line takes it, with what it does.
std::string MethodText(const std::string& name) {
  const std::optional<Method> method = MethodFromName(name);
  return method ? name + " (" + std::string(InfoOf(*method).how) + ")" : name;
}

std::string InputsText(const Model& model) {
  constexpr int kMost = 8;
  std::string list;
  for (int k = 0; k < model.columns() && k < kMost; ++k) list += (k ? ", " : "") + OneLine(model.column_names()[k]);
  return model.columns() > kMost ? list + ", ..." : list;
}

std::string Line(const std::string& label, const std::string& text) {
  std::string padded = label;
  padded.resize(14, ' ');
  return "  " + padded + text + "\n";
}

double NoiseStd(const Model& model) { return std::sqrt(model.NoiseVariance()); }

// The mean NLL of left-out points in y's units and on standardised y, where it does not change with the units of y and
// compares with that of another transform.
struct LeftOutNll {
  double units = 0, standardized = 0;
};

LeftOutNll LeftOut(const Model& model) {
  const double scaled = model.neighbours() != nullptr ? model.neighbours()->nlml() : model.StandardizedLoo().nll;
  const double units = scaled + model.LogUnit();
  return {units, model.transform().none() ? scaled : units - std::log(model.scaler().y_spread)};
}

// "log (log evidence of price: none -312.4, log -290.1, boxcox -299)".
std::string TransformText(const Model& model) {
  std::string text(Name(model.transform().kind()));
  std::string tried;
  for (const auto& [kind, evidence] : model.summary().transforms) {
    tried += (tried.empty() ? "" : ", ") + std::string(Name(kind)) + " " + Short(evidence);
  }
  if (!tried.empty()) text += " (log evidence of " + OneLine(model.target_name()) + ": " + tried + ")";
  if (model.transform().none()) return text;
  return text + "; variances and noise are those of " +
         OneLine(Transformed(model.transform().kind(), model.target_name()));
}

std::string TimeText(const TimeSplit& t) {
  std::string text = Short(t.total) + " ms (scaling " + Short(t.scale);
  if (t.encode > 0) text += ", encoding " + Short(t.encode);
  if (t.decode > 0) text += ", decoding " + Short(t.decode);
  if (t.optimize > 0) text += ", optimisation " + Short(t.optimize);
  return text + ", factorisation " + Short(t.factorize) + ")";
}

std::string ScalingText(const Model& model) {
  const Scaler& scaler = model.scaler();
  std::vector<std::vector<std::string>> rows = {{"scaling", "0 is at", "1 unit is"}};
  for (int k = 0; k < model.columns(); ++k) {
    const std::string zero = PlaceInWords(model.recipe(), k, scaler.x_min[k]);
    const std::string unit = LengthInWords(model.recipe(), k, scaler.x_range[k]);
    rows.push_back({OneLine(model.column_names()[k]), zero.empty() ? Short(scaler.x_min[k]) : zero,
                    unit.empty() ? Short(scaler.x_range[k]) : unit});
  }
  rows.push_back(
      {OneLine(Transformed(model.transform().kind(), model.target_name())), Short(scaler.y_mean), Short(scaler.y_std)});
  return FormatTable(rows, 1);
}

}  // namespace

std::string ModelSummaryText(const Model& model, const std::string& source) {
  const FitSummary& summary = model.summary();
  std::string out;
  out += Line("data", source + ": " + Count(model.rows(), "row") + ", " + Count(model.columns(), "input") + " (" +
                          InputsText(model) + "), target " + OneLine(model.target_name()));
  out += Line("kernel", model.KernelShortText());
  out += Line("method", MethodText(summary.method));
  const bool transformed = !model.transform().none();
  if (transformed || !summary.transforms.empty()) out += Line("transform", TransformText(model));
  const std::string scaled = "standardised " + Transformed(model.transform().kind(), "y");
  if (model.neighbours() != nullptr) {
    out += Line("answer", summary.stop_reason);
    out += Line("left out", "NLL " + Short(summary.nlml_start) + " at the best reading, " + Short(summary.nlml) +
                                " at the end (per row, " + scaled + ")");
  } else if (summary.method == "oneshot") {
    out += Line("answer", summary.stop_reason + ", " + Count(summary.evaluations, "likelihood") + " compared");
    out += Line("NLML", Short(summary.nlml) + " (per point, " + scaled + ")");
  } else {
    std::string stop = summary.stop_reason + " after " + Count(summary.steps, "step") + ", " +
                       Count(summary.evaluations, "evaluation");
    if (summary.starts > 1) stop += ", " + Count(summary.starts, "start");
    if (summary.rejected > 0) stop += ", " + std::to_string(summary.rejected) + " rejected";
    out += Line("stopped", stop);
    out += Line(model.sparse() ? "-ELBO" : "NLML", Short(summary.nlml_start) + " at the start, " + Short(summary.nlml) +
                                                       " at the end (per point, " + scaled + ")");
  }
  if (model.neighbours() != nullptr) {
    out +=
        Line("predictions", "from the " + Count(model.neighbours()->rule().count, "nearest row") + " of each new one");
  } else if (model.sparse()) {
    out += Line("inducing", Count(model.sparse()->parts().Z.rows(), "point"));
    out += Line("log evidence", "at least " + Short(model.predictive().log_marginal_likelihood()));
  } else {
    out += Line("log evidence", Short(model.predictive().log_marginal_likelihood()));
    const LeftOutNll loo = LeftOut(model);
    out += Line("leave-one-out", "NLL " + Short(loo.standardized) + " per point on standardised y, " +
                                     Short(loo.units) + " in y's units");
  }
  if (model.AveragedOver() > 0) {
    out += Line("predictions",
                "averaged over " + Count(model.AveragedOver(), "set") + " of parameters drawn around the ones shown");
  }
  if (!model.sparse() && model.predictive().jitter() > 0) out += Line("jitter", Short(model.predictive().jitter()));
  return out;
}

std::string ParameterTableText(const Model& model) {
  std::vector<std::vector<std::string>> rows = {{"column", "symbol", "parameter", "scaled", "original units"}};
  for (const ReportedParameter& p : model.Parameters()) {
    rows.push_back({OneLine(p.column), p.symbol, p.name, Short(p.value),
                    p.in_words.empty() ? Short(p.value_original_units) : p.in_words});
  }
  const double y_std = model.scaler().y_std;
  rows.push_back({"noise", "", "std", Short(NoiseStd(model)), Short(NoiseStd(model) * y_std)});
  rows.push_back({"signal", "", "std at the centre", Short(model.AmplitudeOriginalUnits() / y_std),
                  Short(model.AmplitudeOriginalUnits())});
  return FormatTable(rows, 3);
}

std::string ReportText(const FitReport& report) {
  const Model& model = *report.model;
  std::string out = Heading("Fit") + "\n" + ModelSummaryText(model, report.source);
  if (report.held_out) out += Line("held out", HeldOutText(*report.held_out, model.target_name()));
  out += Line("time", TimeText(model.summary().time_ms));
  out += ColumnsText(model.recipe());
  out += "\n" + Heading("Parameters") + "\n" + ParameterTableText(model);
  if (report.verbose) out += "\n" + Heading("Scaling") + "\n" + ScalingText(model);
  return out + WarningsText(report.warnings);
}

Json ReportJson(const FitReport& report) {
  const Model& model = *report.model;
  const FitSummary& summary = model.summary();
  Json j;
  j["version"] = kVersion;
  j["data"] = report.source;
  j["kernel"] = model.KernelText();
  j["kernel_short"] = model.KernelShortText();
  j["method"] = summary.method;
  j["n"] = model.rows();
  j["d"] = model.columns();
  j["columns"] = model.column_names();
  j["target"] = model.target_name();
  j["transform"] = Name(model.transform().kind());
  for (const auto& [kind, evidence] : summary.transforms) {
    j["transforms"].push_back({{"transform", Name(kind)}, {"log_evidence", evidence}});
  }
  j["parameters"] = Json::array();
  for (const ReportedParameter& p : model.Parameters()) {
    j["parameters"].push_back({{"dimension", p.dimension},
                               {"column", p.column},
                               {"symbol", p.symbol},
                               {"name", p.name},
                               {"value", p.value},
                               {"value_original_units", p.value_original_units}});
    if (p.in_words.empty()) continue;
    j["parameters"].back()["unit"] = p.unit;
    j["parameters"].back()["in_words"] = p.in_words;
  }
  if (model.recipe() != nullptr) j["table"] = ColumnsJson(*model.recipe());
  const double y_std = model.scaler().y_std;
  j["averaged_over"] = model.AveragedOver();
  j["noise_variance"] = model.NoiseVariance();
  j["noise_std_original_units"] = NoiseStd(model) * y_std;
  j["amplitude"] = model.AmplitudeOriginalUnits() / y_std;
  j["amplitude_original_units"] = model.AmplitudeOriginalUnits();
  j["nlml_per_point"] = model.predictive().nlml();  // svgp: its upper bound
  j["nlml_per_point_start"] = summary.nlml_start;
  // Of all rows a model from neighbours has no likelihood; its nlml_per_point is the density of rows left out.
  j["log_marginal_likelihood"] =
      model.neighbours() != nullptr ? Json() : Json(model.predictive().log_marginal_likelihood());
  if (model.neighbours() != nullptr) {
    j["neighbours"] = model.neighbours()->rule().count;
  } else if (model.sparse()) {
    j["inducing"] = model.sparse()->parts().Z.rows();
  }
  if (!model.sparse()) {
    const LeftOutNll loo = LeftOut(model);
    j["loo_nll"] = loo.units;
    j["loo_nll_standardized"] = loo.standardized;
  }
  AddHeldOut(report, j);
  j["evaluations"] = summary.evaluations;
  j["steps"] = summary.steps;
  j["starts"] = summary.starts;
  j["rejected"] = summary.rejected;
  j["stop_reason"] = summary.stop_reason;
  j["jitter"] = model.predictive().jitter();
  j["scaling"] = {{"x_min", ToJson(model.scaler().x_min)},
                  {"x_range", ToJson(model.scaler().x_range)},
                  {"y_mean", model.scaler().y_mean},
                  {"y_std", y_std}};
  AddTimesAndWarnings(summary.time_ms, report, j);
  return j;
}

}  // namespace instantgp::cli
