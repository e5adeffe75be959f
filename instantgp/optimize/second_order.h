// Damped steps on an approximate Hessian (Levenberg and Marquardt's), for functions whose every value is dear.
//
//   (H + lambda D) step = - gradient,   D = diag(H) + kLeastCurvature
//
// lambda follows from how well the last step's promise was kept. Where H is of the right shape and the wrong size, the
// gradients at both ends of a step tell: H is multiplied by s^T (g' - g) / s^T H s. A parameter moves within its reach
// in one step, however flat the function is along it, and within less of it after a step that went wrong.
#pragma once

#include "instantgp/optimize/objective.h"

namespace instantgp {

class SecondOrderFunction {
 public:
  virtual ~SecondOrderFunction() = default;
  virtual int size() const = 0;
  // The value at x. May move x to a better point that costs nothing more. False where there is none.
  virtual bool Value(Vector& x, double* value) = 0;
  // At the last x whose Value was asked for, and only once.
  virtual bool Slopes(Vector* gradient, Matrix* curvature) = 0;
};

// How far a parameter may move in one step, upwards and downwards.
struct Reach {
  Vector up, down;
};

struct SecondOrderOptions {
  Reach reach;
  int max_steps = 30;
  double worth = 1e-4;  // two steps in a row that gain less, or a promise of less than a tenth of it, are the end
  // From `sure_steps` on, a step that gains less than `worth_of_more` is the last.
  int sure_steps = 0;
  double worth_of_more = 0;
  std::stop_token stop = {};
};

// Evaluations count values. The gradient at the end is not computed.
OptimizeSummary MinimizeSecondOrder(SecondOrderFunction& f, const Vector& start, const SecondOrderOptions& options);

}  // namespace instantgp
