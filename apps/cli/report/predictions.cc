#include "apps/cli/report/predictions.h"

#include <cmath>
#include <limits>

#include "apps/cli/terminal/interrupt.h"
#include "instantgp/base/error.h"
#include "instantgp/data/csv.h"
#include "instantgp/model/fit.h"

namespace instantgp::cli {
namespace {

// Interval ends of values near the largest double stay finite.
Vector Finite(const Vector& values) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  return values.cwiseMax(-kLargest).cwiseMin(kLargest);
}

void CheckJointSize(const Matrix& X, const PredictionRequest& request) {
  if (!request.cov && request.samples == 0) return;
  const double m = static_cast<double>(X.rows());
  const double bytes = 8 * (2 * m * m + m * request.samples);
  if (bytes > request.memory_limit) {
    throw Error(ErrorCode::kLimit, "the joint covariance of " + std::to_string(X.rows()) +
                                       " rows exceeds the memory limit; predict fewer rows at a time or leave "
                                       "out --samples and --cov");
  }
}

template <typename Fitted>
void AddJoint(const Fitted& fitted, const Matrix& X, const PredictionRequest& request, PredictionOutput& output) {
  if (request.samples > 0) output.samples = fitted.Sample(X, request.samples, request.seed, request.noise);
  if (request.cov) output.cov = fitted.PredictCov(X, request.noise);
}

}  // namespace

PredictionOutput ComputePredictions(const Model& model, const Matrix& X, const PredictionRequest& request) {
  CheckJointSize(X, request);
  const std::stop_token stop = request.stop.stop_possible() ? request.stop : StopToken();
  const Prediction prediction = model.Predict(X, request.noise, {.threads = request.threads, .stop = stop});
  PredictionOutput output;
  output.mean = prediction.mean;
  output.std = prediction.std;
  output.lower95 = Finite(prediction.Lower(0.95));
  output.upper95 = Finite(prediction.Upper(0.95));
  if (!prediction.transform.none()) output.median = prediction.Median();
  output.transformed_mean = prediction.transformed_mean;
  output.transformed_std = prediction.transformed_std;
  AddJoint(model, X, request, output);
  return output;
}

PredictionOutput ComputePredictions(const Ensemble& ensemble, const Matrix& X, const PredictionRequest& request) {
  CheckJointSize(X, request);
  const Mixture mixture = ensemble.Predict(X, request.noise);
  PredictionOutput output;
  output.mean = mixture.Mean();
  output.std = mixture.Std();
  output.lower95 = Finite(mixture.Quantile(0.025));
  output.upper95 = Finite(mixture.Quantile(0.975));
  AddJoint(ensemble, X, request, output);
  return output;
}

std::string PredictionsToCsv(const PredictionOutput& output) {
  std::vector<std::string> names = {"mean", "std", "lower95", "upper95"};
  if (output.median.size() > 0) names.emplace_back("median");
  const auto fixed = static_cast<Index>(names.size());
  for (Index j = 0; j < output.samples.cols(); ++j) names.push_back("sample" + std::to_string(j + 1));
  for (Index j = 0; j < output.cov.cols(); ++j) names.push_back("cov" + std::to_string(j + 1));
  Matrix values(output.mean.size(), static_cast<Index>(names.size()));
  values.col(0) = output.mean;
  values.col(1) = output.std;
  values.col(2) = output.lower95;
  values.col(3) = output.upper95;
  if (fixed > 4) values.col(4) = output.median;
  if (output.samples.cols() > 0) values.middleCols(fixed, output.samples.cols()) = output.samples;
  if (output.cov.cols() > 0) values.rightCols(output.cov.cols()) = output.cov;
  return FormatCsv(names, values);
}

void AddPredictions(const PredictionOutput& output, Json& document) {
  document["mean"] = ToJson(output.mean);
  document["std"] = ToJson(output.std);
  document["lower95"] = ToJson(output.lower95);
  document["upper95"] = ToJson(output.upper95);
  if (output.median.size() > 0) document["median"] = ToJson(output.median);
  if (output.samples.cols() > 0) document["samples"] = RowsToJson(output.samples.transpose());  // one list per sample
  if (output.cov.cols() > 0) document["cov"] = RowsToJson(output.cov);
}

Json ScoresToJson(const Scores& scores) {
  return {{"rmse", scores.rmse},
          {"nll", scores.nll},
          {"rmse_standardized", scores.rmse_standardized},
          {"nll_standardized", scores.nll_standardized},
          {"coverage95", scores.coverage95}};
}

std::string ScoresToText(const Scores& scores, const std::string& target) {
  return "RMSE " + Short(scores.rmse) + " " + target + " (" + Short(scores.rmse_standardized) + " standardised), NLL " +
         Short(scores.nll) + " (" + Short(scores.nll_standardized) + "), " + Short(100 * scores.coverage95) +
         "% inside the 95% interval";
}

}  // namespace instantgp::cli
