#include "apps/serve/live/live.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/cli/options/common.h"
#include "apps/cli/report/explanation.h"
#include "apps/cli/report/predictions.h"
#include "apps/serve/api/fields.h"
#include "apps/serve/live/drawing.h"
#include "instantgp/base/error.h"
#include "instantgp/base/stopwatch.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/predictive.h"
#include "instantgp/kernel/log_parameters.h"
#include "instantgp/kernel/parse.h"
#include "instantgp/kernel/structure.h"
#include "instantgp/model/amortised_structure.h"
#include "instantgp/model/explain.h"
#include "instantgp/model/session.h"
#include "instantgp/model/weighting.h"
#include "instantgp/search/describe.h"
#include "instantgp/search/evidence.h"

namespace instantgp::serve {
namespace {

// A kernel of the message that can be fitted.
struct Asked {
  std::size_t place = 0;  // among the kernels of the message
  Structure structure;
};

Json ErrorOf(const Error& error) {
  Json problem = ProblemJson(error);
  Json j = {{"detail", problem["detail"]}};
  if (problem.contains("position")) j["position"] = problem["position"];
  return j;
}

Json ParametersOf(const Model& model) {
  Json list = Json::array();
  for (const ReportedParameter& p : model.Parameters()) {
    list.push_back({{"symbol", p.symbol}, {"name", p.name}, {"value_original_units", p.value_original_units}});
  }
  return list;
}

class Live final : public LiveSession {
 public:
  Live(const Limits& limits, int threads) : limits_(limits), threads_(threads) {}

  std::string Answer(const std::string& message, const std::stop_token& stop) override {
    Json answer;
    try {
      const Drawing drawing = ReadDrawing(message, limits_);
      answer["seq"] = drawing.seq;
      if (!session_) {
        SessionOptions options;
        options.threads = threads_;
        options.memory_limit = limits_.memory;
        options.stop = stop;
        session_.emplace(options);
      }
      Infer(drawing, answer);
    } catch (const std::exception& error) {
      answer["problem"] = ProblemJson(error);
    }
    return answer.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

 private:
  void Infer(const Drawing& drawing, Json& answer) {
    const Stopwatch clock;
    const Dataset& data = drawing.data;
    Json kernels = Json::array();
    std::vector<Asked> asked;
    std::vector<Expression> expressions;
    for (std::size_t k = 0; k < drawing.kernels.size(); ++k) {
      kernels.push_back({{"kernel", drawing.kernels[k]}});
      try {
        Expression expression = ParseKernel(drawing.kernels[k], data.column_names);
        asked.push_back({k, AmortisedStructure(expression, data.column_names, Method::kOneShot)});
        expressions.push_back(std::move(expression));
      } catch (const Error& error) {
        kernels.back()["error"] = ErrorOf(error);
      }
    }
    if (expressions.empty()) {
      answer["kernels"] = std::move(kernels);
      return;
    }
    const Encoding encoding = session_->Encode(data);
    TimeSplit times;
    std::vector<LogParameters> near;
    for (const Asked& one : asked)
      near.push_back(drawing.follow ? before_[drawing.kernels[one.place]] : LogParameters());
    std::vector<FitAttempt> attempts = session_->FitAll(encoding, expressions, {}, &times, &near);
    before_.clear();
    for (std::size_t k = 0; k < attempts.size(); ++k) {
      if (attempts[k].model) before_[drawing.kernels[asked[k].place]] = attempts[k].model->predictive().theta();
    }
    const Stopwatch predicting;
    const auto count = static_cast<int>(attempts.size());
    std::vector<Prediction> predictions(attempts.size());
    std::vector<Matrix> samples(attempts.size());
    session_->pool().Run(count, [&](int k, int) {
      const auto place = static_cast<std::size_t>(k);
      if (!attempts[place].model) return;
      predictions[place] = attempts[place].model->Predict(drawing.grid);
      if (drawing.samples > 0) {
        samples[place] = attempts[place].model->Sample(drawing.grid, drawing.samples, drawing.seed, Noise::kLatent);
      }
    });
    const double predict_ms = predicting.Milliseconds();

    // Negative log evidence by BIC; the weights are those of equally probable structures.
    std::vector<std::size_t> order;
    Vector evidence(count);
    for (int k = 0; k < count; ++k) {
      const FitAttempt& attempt = attempts[static_cast<std::size_t>(k)];
      evidence[k] = -1e300;
      if (!attempt.model) continue;
      const int parameters = IdentifiableParameters(asked[static_cast<std::size_t>(k)].structure);
      evidence[k] = -data.rows() * BicScore(attempt.model->predictive().nlml(), parameters, data.rows());
      order.push_back(static_cast<std::size_t>(k));
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return evidence[static_cast<Index>(a)] > evidence[static_cast<Index>(b)];
    });
    const Vector weights = SoftmaxWeights(evidence);
    for (int k = 0; k < count; ++k) {
      const auto place = static_cast<std::size_t>(k);
      Json& j = kernels[asked[place].place];
      if (!attempts[place].model) {
        j["error"] = {{"detail", attempts[place].failure}};
        continue;
      }
      const Model& model = *attempts[place].model;
      j["canonical"] = model.KernelShortText();
      j["mean"] = cli::ToJson(predictions[place].mean);
      j["std"] = cli::ToJson(predictions[place].std);
      j["weight"] = weights[k];
      j["evidence"] = evidence[k];
      j["nlml_per_point"] = model.predictive().nlml();
      j["words"] = Describe(asked[place].structure, model.predictive().theta(), model.scaler(), model.column_names());
      if (drawing.samples > 0) j["samples"] = cli::RowsToJson(samples[place].transpose());
      if (drawing.held_out.rows() > 0) {
        j["holdout"] = cli::ScoresToJson(model.Score(drawing.held_out.X, drawing.held_out.y));
      }
    }
    Json ranking = Json::array();
    for (const std::size_t k : order) ranking.push_back(asked[k].place);
    if (!order.empty()) AddBest(*attempts[order.front()].model, kernels[asked[order.front()].place]);
    answer["kernels"] = std::move(kernels);
    answer["ranking"] = std::move(ranking);
    answer["n"] = data.rows();
    answer["grid"] = cli::ToJson(drawing.grid.col(0));
    answer["time_ms"] = {{"encode", encoding.scale_ms + encoding.encode_ms},
                         {"decode", times.decode},
                         {"factorize", times.factorize},
                         {"predict", predict_ms},
                         {"total", clock.Milliseconds()}};
  }

  static void AddBest(const Model& model, Json& j) {
    j["parameters"] = ParametersOf(model);
    j["noise_std"] = std::sqrt(model.NoiseVarianceOriginalUnits());
    j["explanation"] = cli::ExplanationJson(Explain(model));
  }

  const Limits limits_;
  const int threads_;
  std::optional<Session> session_;
  std::map<std::string, LogParameters> before_;  // of the last answer, by kernel
};

}  // namespace

std::unique_ptr<LiveSession> MakeLiveSession(const Limits& limits, int threads) {
  return std::make_unique<Live>(limits, threads);
}

}  // namespace instantgp::serve
