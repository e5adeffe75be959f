// Predictive distributions side by side: one-shot, maximum likelihood and the true parameters.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "instantgp/base/error.h"
#include "instantgp/experiments/protocols/protocols.h"
#include "instantgp/experiments/report/grouping.h"
#include "instantgp/experiments/report/tables.h"
#include "instantgp/experiments/run/score.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/kernel/parameters.h"
#include "instantgp/kernel/parse.h"
#include "instantgp/model/fit.h"
#include "instantgp/plot/figure.h"
#include "instantgp/simulate/distribution.h"

namespace instantgp {
namespace {

constexpr double kNoiseStd = 0.05;             // as in the paper
constexpr double kFirst = 0.25, kLast = 0.75;  // data lie between; the function is known on (0, 1)
constexpr int kFunctionRows = 300;

struct Setting {
  const char* name;  // also of its figure's file
  const char* title;
  int n;
  std::vector<std::pair<std::string, std::string>> kernels;  // true, given
};

const std::vector<Setting>& Settings() {
  static const std::vector<Setting> list = {
      {"correct",
       "Correct structure",
       30,
       {{"SE", "SE"}, {"SE*LIN", "SE*LIN"}, {"SE + LIN", "SE + LIN"}, {"PER", "PER"}}},
      {"misspecified",
       "Misspecified structure",
       30,
       {{"SE", "LIN"}, {"LIN", "SE"}, {"SE", "PER"}, {"LIN*PER + SE", "SE*PER + LIN"}}},
      {"small", "Ten points", 10, {{"SE", "SE"}, {"SE*LIN", "SE*LIN"}, {"SE + LIN", "SE + LIN"}, {"PER", "PER"}}}};
  return list;
}

// A function, some of whose values are training data; x in the units of the draw.
struct Scene {
  Vector x, f, y;  // (kFunctionRows), ascending in x; y has noise
  Dataset train;
  Dataset test;  // every row that is not in train
  Expression truth;
  LogParameters theta;
};

Scene Draw(const Setting& setting, int k, std::uint64_t seed) {
  Scene scene;
  scene.truth = ParseKernel(setting.kernels[static_cast<std::size_t>(k)].first, {"x1"});
  // Structure k has the same function in every setting where it is drawn with the same kernel.
  const std::uint64_t stream = static_cast<std::uint64_t>(k);
  RandomStream random(seed, stream, 7);
  scene.theta = DrawFromPrior(ParameterTable(scene.truth), random);
  scene.theta.noise() = 2 * std::log(kNoiseStd);
  const SimulatedFunction drawn = SimulateFunction(scene.truth, kFunctionRows, 1, seed, stream, scene.theta);
  std::vector<int> order(kFunctionRows), train, test;
  std::iota(order.begin(), order.end(), 0);
  for (int i : order) {
    const double x = drawn.X(i, 0);
    const bool inside = x > kFirst && x < kLast && static_cast<int>(train.size()) < setting.n;
    (inside ? train : test).push_back(i);
  }
  const Dataset all = Dataset::Of(drawn.X, drawn.y);
  scene.train = SelectRows(all, train);
  scene.test = SelectRows(all, test);
  std::sort(order.begin(), order.end(), [&](int a, int b) { return drawn.X(a, 0) < drawn.X(b, 0); });
  scene.x = drawn.X.col(0)(order);
  scene.f = drawn.f(order);
  scene.y = drawn.y(order);
  return scene;
}

Prediction TruePrediction(const Scene& scene, const Matrix& X_new) {
  const Posterior posterior(scene.truth, scene.train.X, scene.train.y, scene.theta);
  Prediction prediction;
  posterior.MeanAndStd(X_new, Noise::kObserved, &prediction.mean, &prediction.std);
  return prediction;
}

// What `method` predicts along x.
Prediction PredictWith(const std::string& method, const Scene& scene, const std::string& kernel,
                       const ExperimentOptions& options) {
  if (method == "truth") return TruePrediction(scene, scene.x);
  const FitOptions fit{.method = MethodFromName(method).value_or(Method::kMl)};
  return Fit(scene.train, kernel, fit, {.network = options.network, .threads = 1}).Predict(scene.x);
}

std::vector<Task> QualitativeTasks(const ExperimentOptions& options) {
  std::vector<Task> tasks;
  for (const Setting& setting : Settings()) {
    for (int k = 0; k < static_cast<int>(setting.kernels.size()); ++k) {
      const auto& [truth, given] = setting.kernels[static_cast<std::size_t>(k)];
      const FitSettings fit{options.seed, options.stop, options.network};
      Task task{setting.name, k, given, 1, {}, nullptr};
      task.run = [setting, k, fit, given = given, seed = options.seed](const std::string& method) {
        const Scene scene = Draw(setting, k, seed);
        if (method != "truth") return FitAndScore(scene.train, scene.test, given, method, fit);
        const Prediction prediction = TruePrediction(scene, scene.test.X);
        const Scaler scaler = Scaler::Fit(scene.train.X, scene.train.y);
        Record record;
        SetScores(
            ScoreGaussian(scaler.ScaleY(scene.test.y), scaler.ScaleY(prediction.mean), prediction.std / scaler.y_std),
            record);
        return record;
      };
      tasks.push_back(std::move(task));
    }
  }
  return tasks;
}

std::string SideBySide(const Setting& setting, const std::vector<std::string>& methods,
                       const ExperimentOptions& options) {
  const int columns = static_cast<int>(setting.kernels.size());
  plot::Figure figure(static_cast<int>(methods.size()), columns, {230, 150});
  figure.SetTitle(setting.title);
  for (int k = 0; k < columns; ++k) {
    const Scene scene = Draw(setting, k, options.seed);
    const auto& [truth, given] = setting.kernels[static_cast<std::size_t>(k)];
    for (std::size_t m = 0; m < methods.size(); ++m) {
      plot::Axes& axes = figure.At(static_cast<int>(m), k);
      axes.Legend(plot::LegendPlace::kNone);
      if (m == 0) axes.Title(truth == given ? given : given + " on data of " + truth);
      if (k == 0) axes.YLabel(MethodTitle(methods[m]));
      const double low = scene.y.minCoeff(), high = scene.y.maxCoeff(), room = 0.3 * (high - low);
      axes.YLimits(low - room, high + room).XLimits(0, 1);
      try {
        const Prediction prediction = PredictWith(methods[m], scene, given, options);
        axes.Band(scene.x, prediction.Lower(0.95), prediction.Upper(0.95));
        axes.Line(scene.x, prediction.mean);
      } catch (const Error& error) {
        if (error.code() == ErrorCode::kInterrupted) throw;
        axes.Text(0.5, 0.5 * (low + high), "failed");  // its record says why
      }
      axes.Line(scene.x, scene.f, {plot::PaletteColor(1), 1, true});
      axes.Scatter(scene.train.X.col(0), scene.train.y, {plot::kInk, plot::Marker::kDot, 4});
    }
  }
  return figure.ToSvg();
}

Report QualitativeReport(const std::vector<Record>& records, const ExperimentOptions& options) {
  Report report;
  report.markdown =
      "### RMSE on standardised targets, inside and outside the range of the data: median over four structures (20th, "
      "80th "
      "percentile)\n\n" +
      MedianTable(records, &Record::rmse) + "\n### NLL on standardised targets\n\n" +
      MedianTable(records, &Record::nll) + "\n### Share of targets inside the 95 percent interval\n\n" +
      MedianTable(records, &Record::coverage95);
  const std::vector<std::string> methods = MethodsOf(records);
  for (const Setting& setting : Settings()) {
    report.figures.emplace_back(std::string(setting.name) + ".svg", SideBySide(setting, methods, options));
  }
  return report;
}

}  // namespace

Experiment QualitativeExperiment() {
  return {"qualitative",
          "predictive plots: correct structure, misspecified, ten points; one-shot, ML and true parameters",
          {"oneshot", "ml", "truth"},
          {"truth"},
          QualitativeTasks,
          QualitativeReport};
}

}  // namespace instantgp
