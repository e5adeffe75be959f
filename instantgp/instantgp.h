// Everything a user of the library needs; also the list of public headers: those included here are installed.
//
//   auto data  = instantgp::ReadCsv("airline.csv");
//   auto model = instantgp::Fit(data, "SE*PER + LIN");
//   auto next  = model.Predict(x_new);  // next.mean, next.std
#pragma once

// IWYU pragma: begin_exports
#include "instantgp/base/check.h"
#include "instantgp/base/cpu.h"
#include "instantgp/base/error.h"
#include "instantgp/base/file.h"
#include "instantgp/base/matrix.h"
#include "instantgp/base/rng.h"
#include "instantgp/base/safetensors.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/base/version.h"
#include "instantgp/baselines/svgp.h"
#include "instantgp/baselines/type2_ml.h"
#include "instantgp/data/airline.h"
#include "instantgp/data/csv.h"
#include "instantgp/data/dataset.h"
#include "instantgp/data/scaler.h"
#include "instantgp/data/split.h"
#include "instantgp/gp/cholesky.h"
#include "instantgp/gp/collapsed_bound.h"
#include "instantgp/gp/covariance.h"
#include "instantgp/gp/marginal_likelihood.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/gp/predictive.h"
#include "instantgp/gp/sparse_posterior.h"
#include "instantgp/kernel/expression.h"
#include "instantgp/kernel/parameters.h"
#include "instantgp/kernel/parse.h"
#include "instantgp/kernel/prior.h"
#include "instantgp/kernel/structure.h"
#include "instantgp/kernel/structure_list.h"
#include "instantgp/kernel/symbol.h"
#include "instantgp/kernel/units.h"
#include "instantgp/optimize/adam.h"
#include "instantgp/optimize/lbfgs.h"
#include "instantgp/optimize/objective.h"
#include "instantgp/plot/axes.h"
#include "instantgp/plot/figure.h"
#include "instantgp/plot/ticks.h"
#include "instantgp/predict/fit.h"
#include "instantgp/predict/model.h"
#include "instantgp/simulate/distribution.h"
// IWYU pragma: end_exports
