// Everything a user of the library needs; also the list of public headers: those included here are installed, and what
// they declare is all a shared library shows.
//
//   auto data  = instantgp::ReadCsv("airline.csv");
//   auto model = instantgp::Fit(data, "SE*PER + LIN");
//   auto next  = model.Predict(x_new);  // next.mean, next.std
#pragma once

// IWYU pragma: begin_exports
#include "instantgp/base/error.h"
#include "instantgp/base/export.h"
#include "instantgp/base/matrix.h"
#include "instantgp/base/version.h"
#include "instantgp/data/csv.h"
#include "instantgp/data/dataset.h"
#include "instantgp/data/new_rows.h"
#include "instantgp/data/scaled_table.h"
#include "instantgp/data/scaler.h"
#include "instantgp/data/target_transform.h"
#include "instantgp/forecast/distribution.h"
#include "instantgp/forecast/forecast.h"
#include "instantgp/forecast/learn_priors.h"
#include "instantgp/forecast/priors.h"
#include "instantgp/forecast/score.h"
#include "instantgp/forecast/transform.h"
#include "instantgp/gp/prediction.h"
#include "instantgp/inference/encoding.h"
#include "instantgp/model/ensemble.h"
#include "instantgp/model/explain.h"
#include "instantgp/model/fit.h"
#include "instantgp/model/fit_ensemble.h"
#include "instantgp/model/mixture.h"
#include "instantgp/model/model.h"
#include "instantgp/model/options.h"
#include "instantgp/model/prediction.h"
#include "instantgp/model/session.h"
#include "instantgp/model/update.h"
#include "instantgp/search/search.h"
// IWYU pragma: end_exports
