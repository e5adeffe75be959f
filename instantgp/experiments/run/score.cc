#include "instantgp/experiments/run/score.h"

#include "instantgp/base/error.h"
#include "instantgp/experiments/run/thread_timer.h"
#include "instantgp/gp/predictive.h"
#include "instantgp/model/fit.h"

namespace instantgp {

PredictiveScores ScoreModel(const Model& model, const Dataset& test) {
  const Prediction prediction = model.Predict(test.X);
  const Scaler& scaler = model.scaler();
  return ScoreGaussian(scaler.ScaleY(test.y), scaler.ScaleY(prediction.mean), prediction.std / scaler.y_std);
}

Record FitAndScore(const Dataset& train, const Dataset& test, const std::string& kernel, const std::string& method,
                   const FitSettings& settings) {
  const std::optional<Method> known = MethodFromName(method);
  if (!known) throw Error(ErrorCode::kUsage, "there is no method '" + method + "'; use one of " + ListMethods());
  FitOptions options;
  options.method = *known;
  options.seed = settings.seed;
  SessionOptions session{.threads = 1, .stop = settings.stop};
  if (options.method != Method::kAhgp) session.network = settings.network;
  const ThreadTimer timer;
  const Model model = Fit(train, kernel, options, session);
  Record record;
  record.cpu_seconds = timer.Seconds();
  SetScores(ScoreModel(model, test), record);
  record.nlml = model.predictive().nlml();
  record.seconds = model.summary().time_ms.total / 1000;
  record.evaluations = model.summary().evaluations;
  return record;
}

}  // namespace instantgp
