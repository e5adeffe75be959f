#include "instantgp/model/model.h"

#include <cmath>
#include <utility>

#include "instantgp/base/check.h"
#include "instantgp/base/error.h"
#include "instantgp/base/representable.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/averaged_posterior.h"
#include "instantgp/gp/neighbour_posterior.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/gp/sparse_posterior.h"
#include "instantgp/kernel/parameters.h"
#include "instantgp/kernel/units.h"
#include "instantgp/model/scores.h"
#include "instantgp/model/spoken_columns.h"

namespace instantgp {
namespace {

void CheckColumns(const Matrix& X_new, int columns) {
  if (X_new.cols() != columns) {
    throw Error(ErrorCode::kBadInput, "the model was fitted to " + std::to_string(columns) + " input columns, got " +
                                          std::to_string(X_new.cols()) +
                                          ". Give the columns it was fitted to, in order.");
  }
  for (Index j = 0; j < X_new.cols(); ++j) {
    for (Index i = 0; i < X_new.rows(); ++i) {
      if (!std::isfinite(X_new(i, j))) {
        throw Error(ErrorCode::kBadInput, "the value in row " + std::to_string(i + 1) + ", column " +
                                              std::to_string(j + 1) +
                                              " is not finite. Remove the row or fill in the value.");
      }
    }
  }
}

}  // namespace

Model::Model(std::shared_ptr<const Predictive> predictive, Scaler scaler, std::vector<std::string> column_names,
             std::string target_name, FitSummary summary, std::vector<std::string> warnings)
    : predictive_(std::move(predictive)),
      averaged_(dynamic_cast<const AveragedPosterior*>(predictive_.get())),
      exact_(averaged_ != nullptr ? &averaged_->centre() : dynamic_cast<const Posterior*>(predictive_.get())),
      sparse_(dynamic_cast<const SparsePosterior*>(predictive_.get())),
      neighbours_(dynamic_cast<const NeighbourPosterior*>(predictive_.get())),
      scaler_(std::move(scaler)),
      column_names_(std::move(column_names)),
      target_name_(std::move(target_name)),
      summary_(std::move(summary)),
      warnings_(std::move(warnings)) {
  INSTANTGP_CHECK(static_cast<Index>(column_names_.size()) == predictive_->X().cols());
  if (AveragedOver() == 0) averaged_ = nullptr;  // without members the centre predicts
}

Model::Model(Posterior posterior, Scaler scaler, std::vector<std::string> column_names, std::string target_name,
             FitSummary summary, std::vector<std::string> warnings)
    : Model(std::make_shared<const Posterior>(std::move(posterior)), std::move(scaler), std::move(column_names),
            std::move(target_name), std::move(summary), std::move(warnings)) {}

Model::Model(SparsePosterior posterior, Scaler scaler, std::vector<std::string> column_names, std::string target_name,
             FitSummary summary, std::vector<std::string> warnings)
    : Model(std::make_shared<const SparsePosterior>(std::move(posterior)), std::move(scaler), std::move(column_names),
            std::move(target_name), std::move(summary), std::move(warnings)) {}

Model::Model(AveragedPosterior posterior, Scaler scaler, std::vector<std::string> column_names, std::string target_name,
             FitSummary summary, std::vector<std::string> warnings)
    : Model(std::make_shared<const AveragedPosterior>(std::move(posterior)), std::move(scaler), std::move(column_names),
            std::move(target_name), std::move(summary), std::move(warnings)) {}

Model::Model(NeighbourPosterior posterior, Scaler scaler, std::vector<std::string> column_names,
             std::string target_name, FitSummary summary, std::vector<std::string> warnings)
    : Model(std::make_shared<const NeighbourPosterior>(std::move(posterior)), std::move(scaler),
            std::move(column_names), std::move(target_name), std::move(summary), std::move(warnings)) {}

int Model::rows() const { return static_cast<int>(predictive_->X().rows()); }
int Model::columns() const { return static_cast<int>(predictive_->X().cols()); }

const Posterior& Model::posterior() const {
  if (neighbours_ != nullptr) {
    throw Error(ErrorCode::kUsage,
                "a model from neighbours does not support this, which needs the posterior of all rows. Fit fewer rows "
                "exactly.",
                {{"exact"}});
  }
  if (exact_ == nullptr) {
    throw Error(ErrorCode::kUsage,
                "a sparse model (of the method svgp) does not support this, which needs the exact posterior. Fit with "
                "another method.");
  }
  return *exact_;
}

Prediction Model::Predict(const Matrix& X_new, Noise noise) const {
  CheckColumns(X_new, columns());
  Vector mean, std;
  predictive_->MeanAndStd(scaler_.ScaleX(X_new), noise, &mean, &std);
  return Prediction::Of(scaler_, mean, std);
}

Prediction Model::Predict(const Matrix& X_new, Noise noise, const PredictOptions& options) const {
  if (neighbours_ == nullptr) return Predict(X_new, noise);
  CheckColumns(X_new, columns());
  Vector mean, std;
  ThreadPool pool(ResolveThreads(options.threads));
  neighbours_->MeanAndStd(scaler_.ScaleX(X_new), noise, &mean, &std,
                          {.pool = &pool, .stop = options.stop, .progress = options.progress});
  return Prediction::Of(scaler_, mean, std);
}

Vector Model::PredictMean(const Matrix& X_new) const {
  if (!scaler_.transform.none()) return Predict(X_new).mean;
  CheckColumns(X_new, columns());
  return scaler_.UnscaleMean(predictive_->Mean(scaler_.ScaleX(X_new)));
}

Matrix Model::PredictCov(const Matrix& X_new, Noise noise) const {
  CheckColumns(X_new, columns());
  const Matrix X = scaler_.ScaleX(X_new);
  Matrix cov = predictive_->Cov(X, noise).unaryExpr([this](double c) { return TimesSquare(c, scaler_.y_std); });
  if (scaler_.transform.none()) return cov;
  const Vector mean = scaler_.UnscaleMean(predictive_->Mean(X)), std = cov.diagonal().cwiseMax(0).cwiseSqrt();
  for (Index j = 0; j < cov.cols(); ++j) {
    for (Index i = 0; i < cov.rows(); ++i) {
      cov(i, j) = scaler_.transform.CovOf(mean[i], std[i], mean[j], std[j], cov(i, j));
    }
  }
  return cov;
}

Matrix Model::Sample(const Matrix& X_new, int count, std::uint64_t seed, Noise noise) const {
  CheckColumns(X_new, columns());
  const Matrix scaled = predictive_->Samples(scaler_.ScaleX(X_new), noise, count, seed);
  Matrix samples = scaled.unaryExpr([this](double z) { return Representable(z * scaler_.y_std + scaler_.y_mean); });
  if (scaler_.transform.none()) return samples;
  return samples.unaryExpr([this](double g) { return scaler_.transform.Inverse(g); });
}

LeaveOneOut Model::Loo() const {
  LeaveOneOut loo = StandardizedLoo();
  loo.nll += LogUnit();
  if (!scaler_.transform.none()) {
    const Prediction left_out = Prediction::Of(scaler_, loo.mean, loo.variance.cwiseSqrt());
    loo.mean = left_out.mean;
    loo.variance = left_out.std.unaryExpr([](double std) { return TimesSquare(1, std); });
    return loo;
  }
  loo.mean = scaler_.UnscaleMean(loo.mean);
  for (double& variance : loo.variance) variance = TimesSquare(variance, scaler_.y_std);
  return loo;
}

LeaveOneOut Model::StandardizedLoo() const { return averaged_ != nullptr ? averaged_->Loo() : posterior().Loo(); }

Scores Model::Score(const Matrix& X_new, const Vector& y_new) const {
  CheckColumns(X_new, columns());
  if (y_new.size() != X_new.rows() || y_new.size() == 0) {
    throw Error(ErrorCode::kBadInput, "scoring needs one target for every row, and at least one row");
  }
  Vector mean, std;
  predictive_->MeanAndStd(scaler_.ScaleX(X_new), Noise::kObserved, &mean, &std);
  return ScoreInUnits(scaler_, y_new, mean, std);
}

int Model::AveragedOver() const { return averaged_ != nullptr ? static_cast<int>(averaged_->members().size()) : 0; }

Matrix Model::Draws() const {
  return averaged_ != nullptr ? averaged_->Draws() : Matrix(predictive_->theta().size(), 0);
}

Model Model::Averaged(const Matrix& draws) const {
  const Posterior& centre = posterior();
  if (draws.rows() != centre.theta().size()) {
    throw Error(ErrorCode::kBadInput, "a set of parameters of this kernel has " +
                                          std::to_string(centre.theta().size()) +
                                          " numbers, one row of the draws each (log parameters, log noise variance "
                                          "last); got " +
                                          std::to_string(draws.rows()) + " rows");
  }
  if (!draws.allFinite()) throw Error(ErrorCode::kBadInput, "the draws hold a value that is not finite. Leave it out.");
  if (draws.cols() > kMostDraws) {
    throw Error(ErrorCode::kBadInput, "predictions are averaged over at most " + std::to_string(kMostDraws) +
                                          " sets of parameters, got " + std::to_string(draws.cols()));
  }
  Posterior same(centre.expression(), centre.X(), centre.y(), centre.theta(), centre.L(), centre.alpha(),
                 centre.jitter());
  Model model(AveragedPosterior(std::move(same), draws), scaler_, column_names_, target_name_, summary_, warnings_);
  if (draws.cols() > 0 && model.AveragedOver() == 0) {
    throw Error(ErrorCode::kNumerical, "the covariance cannot be factorised at any of the " +
                                           std::to_string(draws.cols()) +
                                           " sets of parameters. Draw them closer to the ones the model shows.");
  }
  return model;
}

std::string Model::KernelText() const { return Print(predictive_->expression(), column_names_); }
std::string Model::KernelShortText() const {
  return PrintShortOver(predictive_->expression(), column_names_, recipe());
}

std::vector<ReportedParameter> Model::Parameters() const {
  const ParameterTable table(predictive_->expression());
  const Vector values = predictive_->theta().head(static_cast<Index>(table.size())).array().exp();
  const Vector original = InOriginalUnits(predictive_->expression(), values, scaler_.x_range, scaler_.y_std);
  std::vector<ReportedParameter> report;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Parameter& p = table[i];
    // A product symbol has two variances and lengthscales: say whose.
    const bool product = p.symbol.find('*') != std::string::npos;
    const std::string name =
        std::string(product ? Name(p.elementary) : "") + (product ? " " : "") + std::string(Name(p.kind));
    report.push_back({p.column + 1, column_names_[p.column], p.symbol, name, values[static_cast<Index>(i)],
                      original[static_cast<Index>(i)]});
    ReportedParameter& reported = report.back();
    const double length = reported.value_original_units;
    if (p.kind == ParameterKind::kPeriod) reported.in_words = PeriodInWords(recipe(), p.column, length);
    if (p.kind == ParameterKind::kLengthscale && p.elementary != Elementary::kPER) {
      reported.in_words = LengthInWords(recipe(), p.column, length);
    }
    if (!reported.in_words.empty()) reported.unit = UnitOfInput(recipe(), p.column);
  }
  return report;
}

Model Model::WithSummary(FitSummary summary) const {
  Model model = *this;
  model.summary_ = std::move(summary);
  return model;
}

double Model::LogUnit() const { return scaler_.LogUnit(predictive_->y()); }
double Model::NoiseVariance() const { return predictive_->noise_variance(); }

double Model::NoiseVarianceOriginalUnits() const { return TimesSquare(predictive_->noise_variance(), scaler_.y_std); }

double Model::AmplitudeOriginalUnits() const {
  const Index p = predictive_->theta().size() - 1;
  return Representable(scaler_.y_std * std::sqrt(CollapsedAmplitude(predictive_->expression(),
                                                                    predictive_->theta().head(p).array().exp())));
}

}  // namespace instantgp
