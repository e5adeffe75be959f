// Learning the step network: how strongly steps down the likelihood are pulled, and where to, so that rows held out are
// predicted best.
//
// The likelihood of the rows at hand is the wrong teacher for steps on few rows: it wants all the noise gone. Each
// simulated dataset therefore has further rows of the same function, and the loss of an answer theta is the mean over
// them of
//   L = -log p(y_i | y, theta) = 1/2 (y_i - mean_i)^2 / variance_i + 1/2 log 2 pi variance_i
// theta is where the steps end, the minimum of NLML + 1/2 r^T P r (inference/learned_pull.h). Its derivative by the
// pull follows from that minimum staying one: with M the curvature of what is minimised and v = dL/dtheta,
//   u = M^-1 v,   dL/d centre = P u,   dL/d log p_i = - p_i u_i r_i
// so nothing is differentiated through the steps themselves. The large network stays as it is.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/data/dataset.h"
#include "instantgp/gp/covariance.h"
#include "instantgp/inference/trained_network.h"
#include "instantgp/kernel/log_parameters.h"
#include "instantgp/network/step_network.h"
#include "instantgp/training/config.h"

namespace instantgp {

// Rows held out of every dataset.
inline constexpr int kHeldOutRows = 48;

// L above and, unless null, dL/dtheta where kernel and noise follow theta to their best scale, without what only
// changes that scale. NaN where a covariance has no factor.
double HeldOutLoss(const Covariance& covariance, const Matrix& X, const Vector& y, const Matrix& X_test,
                   const Vector& y_test, const LogParameters& theta, Vector* gradient);

struct StepValidation {
  std::int64_t datasets = 0;  // seen until then
  // Mean NLL of single held-out rows over the datasets that both can be computed for, each limited to 5: with the
  // weights so far, and with a constant pull.
  double paper = 0, paper_constant = 0;
  double tables = 0, tables_constant = 0;
};

struct StepTrainingOptions {
  // Real tables: of the datasets that the mixture wants to be tables, this share is cut out of them instead, some rows
  // to learn from and some held out, with a drawn kernel. No simulation is as odd as they are.
  std::vector<Dataset> tables;
  double tables_share = 0.8;
  int hidden = 32;
  int validation_datasets = 600;  // half of the paper's distribution, half tables
  int validate_every = 10000;     // datasets
  int threads = 0;
  std::function<void(std::int64_t datasets)> on_step;
  std::function<void(const StepValidation&)> on_validation;
  std::stop_token stop;
};

struct StepTraining {
  StepWeights weights;  // averaged over the last steps
  std::vector<StepValidation> validations;
  bool interrupted = false;
};

// Of `config` seed, datasets, batch, optimizer, schedule, mixture and validation seeds count. The same for any number
// of threads.
StepTraining TrainSteps(const TrainedNetwork& network, const TrainingConfig& config,
                        const StepTrainingOptions& options);

}  // namespace instantgp
