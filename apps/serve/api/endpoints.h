// One function per address: a request in, the document of `--json` out. They throw Error and HttpError.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "apps/serve/api/fields.h"
#include "apps/serve/api/model_store.h"
#include "apps/serve/http/message.h"
#include "apps/serve/options.h"
#include "instantgp/data/dataset.h"
#include "instantgp/model/options.h"

namespace instantgp::serve {

struct Call {
  const Request& request;
  const Limits& limits;
  ModelStore& models;
  int threads = 1;  // that a call may use for long work
  Fields fields = {};
  bool streamed = false;  // lines have been sent
};

Json Fit(Call& call);
Json Predict(Call& call);
Json EnsembleOf(Call& call);
Json Search(Call& call);
Json ForecastTable(Call& call);
Json UpdateModel(Call& call);
// What the columns of a table are, with their range: for the page, before anything is fitted.
Json DescribeTable(Call& call);
// A model file in the body, as downloaded from any replica.
Json UploadModel(Call& call);

// HttpError(404) saying that models are kept for a while only.
std::shared_ptr<const cli::Fitted> FindModel(ModelStore& models, const std::string& id);

// What follows is shared by several of them.

// method, steps, objective, restarts, inducing, neighbours, every_lengthscale, exact.
FitOptions ReadFitOptions(Fields& fields, std::uint64_t seed);
SessionOptions ReadSession(const Call& call, int threads);
// Error(kLimit) with the estimate when so many fits would take longer than a request may.
void CheckCost(const Dataset& data, const FitOptions& options, const Limits& limits, double fits = 1);
// Error(kLimit) for a text that is too long.
void CheckKernel(const std::string& kernel, const Limits& limits);
// Unless "keep" is false: keeps the model and writes its id to "model".
void KeepModel(Call& call, bool keep, cli::Fitted fitted, Json& document);

}  // namespace instantgp::serve
