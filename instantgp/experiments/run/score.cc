#include "instantgp/experiments/run/score.h"

#include <utility>

#include "instantgp/base/error.h"
#include "instantgp/experiments/run/thread_timer.h"
#include "instantgp/gp/predictive.h"
#include "instantgp/model/methods.h"
#include "instantgp/model/session.h"

namespace instantgp {
PredictiveScores ScoreModel(const Model& model, const Dataset& test) {
  const Prediction prediction = model.Predict(test.X);
  const Scaler& scaler = model.scaler();
  return ScoreGaussian(scaler.ScaleY(test.y), scaler.ScaleY(prediction.mean), prediction.std / scaler.y_std);
}

Record FitAndScore(const Dataset& train, const Dataset& test, const std::string& kernel, const std::string& method,
                   const FitSettings& settings) {
  const bool bare = method == kBareMethod;
  const std::optional<Method> known = bare ? Method::kOneShot : MethodFromName(method);
  if (!known) throw Error(ErrorCode::kUsage, "there is no method '" + method + "'; use one of " + ListMethods());
  FitOptions options;
  options.exact = true;  // methods are compared as they are, whatever they cost
  options.method = *known;
  if (bare) options.steps = 0;
  options.seed = settings.seed;
  SessionOptions with{.threads = 1, .stop = settings.stop};
  if (options.method != Method::kAhgp) with.network = settings.network;
  Session session(std::move(with));
  // Reading the embedded weights, once in a process, is not part of a fit's time.
  if (InfoOf(options.method).uses_network) session.network(options.method);
  const ThreadTimer timer;
  const Model model = session.Fit(train, kernel, options);
  Record record;
  record.cpu_seconds = timer.Seconds();
  SetScores(ScoreModel(model, test), record);
  record.nlml = model.predictive().nlml();
  record.seconds = model.summary().time_ms.total / 1000;
  record.evaluations = model.summary().evaluations;
  return record;
}

}  // namespace instantgp
