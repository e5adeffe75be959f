// Where steps down the likelihood are pulled to, and how strongly.
//
// Few rows let the likelihood run away: to no noise, to lengthscales of nothing. Steps therefore minimise
//   NLML + 1/2 sum_i p_i r_i^2,   r = theta - centre, without what only changes the overall scale
// which is a Gaussian prior about `centre`, or the same with the tails of Student's t. Which one is right depends on
// what the rows say: a step network (network/step_network.h) reads, for every parameter at the start of the steps, its
// value, the gradient and the average information there, and answers p_i and how far the centre lies from the start. It
// was taught by the density of rows held out, through the whole descent (training/step_training.h). Without a step
// network p_i = 1 / PullStd^2, the centre is the start, and the tails are those of t: far from the start, where a few
// rows speak clearly, a Gaussian would hold against tens of nats.
#pragma once

#include "instantgp/base/matrix.h"
#include "instantgp/kernel/log_parameters.h"
#include "instantgp/kernel/parameters.h"
#include "instantgp/network/step_network.h"

namespace instantgp {

// The step network was trained on up to so many rows. Used beyond them it took the RMSE
// of a table of 500 rows and 32 columns from 0.44 to 0.72 and changed others little; there the pull is constant.
inline constexpr int kMostRowsOfLearnedPull = 250;

struct Pull {
  LogParameters centre;  // empty: no pull
  Vector precision;      // p_i, in nats of all rows together
  double freedom = 0;    // degrees of freedom; 0: a Gaussian
};

// What the way r from the centre costs, in nats of all rows together, and w_i (p + 1) in its slope w_i r_i; w is also
// the curvature of the parabola that touches the cost at r and lies above it.
//   Gaussian:   sum_i p_i r_i^2 / 2,                          w_i = p_i
//   else:       sum_i f/2 log(1 + p_i r_i^2 / f),             w_i = p_i / (1 + p_i r_i^2 / f)
double PullNats(const Pull& pull, const Vector& r);
Vector PullWeights(const Pull& pull, const Vector& r);

// s, the standard deviation of a log-parameter about where the network puts it: 1 for few rows; from 250 on it grows
// with n^2 and soon is none. With none on tables of 50 to 200 rows the held-out NLL is 0.01 to 0.1 higher. What a step
// network answers is relative to it.
double PullStd(int n);

// The start of a descent, as the step network reads it.
struct StepStart {
  const ParameterTable& table;
  LogParameters theta;     // at its best scale
  LogParameters scale;     // ScaleDirection of the kernel
  Vector gradient;         // of NLML per point, along all but the scale
  Matrix curvature;        // average information per point, likewise
  double nlml = 0;         // per point
  double mean_square = 1;  // of the targets: the reading does not depend on their scale
  int rows = 0;            // that gradient and curvature were computed on
  int columns = 0;
  bool standard = false;  // the standard start of type-2 ML, not one of the network's
};

// (p + 1, kStepFeatures), the noise in the last row.
StepMatrix<float> ReadStart(const StepStart& start);

// From a step network's answers (p + 1, kStepAnswers), a and b:  p_i = exp(4 tanh(a_i / 4)) / PullStd^2,
// centre_i = theta_i + 3 tanh(b_i / 3): never beyond what training has seen.
Pull PullOfAnswers(const LogParameters& theta, const StepMatrix<float>& answers, int n);
// d(loss)/d(answers) from d(loss)/d(log precision) and d(loss)/d(centre).
StepMatrix<float> AnswerSlopes(const StepMatrix<float>& answers, const Vector& dlog_precision, const Vector& dcentre);

// Without a step network. Degrees of freedom: on 451 public tables with SE, three splits, RMSE over that of type-2 ML
// was 0.992 with a Gaussian, 0.991, 0.988 and 0.990 with 12, 6 and 3; tables above 1.25: 48, 44, 44 and 47 of 1,353;
// NLL the same to 0.001; NLML above ML's 0.051, 0.045, 0.041 and 0.037. Where draws became as wide as these tails, or
// where all parameters had one t together, the RMSE of some tables rose.
inline constexpr double kPullFreedom = 6;
Pull PullToStart(LogParameters theta, int n);

}  // namespace instantgp
