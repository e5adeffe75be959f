// What a fitted function is made of: the addends of its kernel, multiplied out.
//
//   (SE + LIN)(x1) * PER(x2)  =  SE(x1)*PER(x2) + LIN(x1)*PER(x2)
//
// A sum of kernels is the kernel of a sum of independent functions, and each has a posterior of its own. Where a
// model's predictions are averaged over several sets of parameters, so are those of its components: they still add up
// to it. Where the target is transformed they add up to g(y), whose variance is shared out: of a logarithm each is a
// factor of y.
#pragma once

#include <string>
#include <vector>

#include "instantgp/base/export.h"
#include "instantgp/base/matrix.h"
#include "instantgp/model/model.h"

namespace instantgp {

struct INSTANTGP_EXPORT Component {
  std::vector<int> leaves;   // the elementary kernels it is the product of, by their depth-first number in the kernel
  std::string text;          // "LIN(month)*PER(month)"
  std::string text_short;    // the shorthand where there is one: "LIN*PER"
  std::vector<int> columns;  // those it depends on, ascending
  // Cov(g, y) / Var(y) over the rows of the model, g its posterior mean: what the addend has of the target's variance.
  // With that of the residual all shares add up to 1. Addends that work against each other may have a negative one.
  double share = 0;
  double std = 0;  // of g over the rows, units of y or of its transform
};

struct INSTANTGP_EXPORT Explanation {
  TransformKind transform = TransformKind::kNone;  // of the target: what the components add up to
  std::vector<Component> components;               // largest share first
  double residual_share = 0;                       // of what no component explains: the noise
  int left_out = 0;                                // components that are not listed
  double left_out_share = 0;
};

// Products of sums multiply: of more components than this those with the largest prior variance are listed.
inline constexpr int kMostComponents = 64;

// O(components n^2); of a model from neighbours over at most a thousand of its rows. Error(kUsage) for a sparse model.
INSTANTGP_EXPORT Explanation Explain(const Model& model);

// The posterior of a component of this model at new rows (of all columns), without noise, around 0, in the units of y
// or of its transform.
INSTANTGP_EXPORT Prediction PredictComponent(const Model& model, const Component& component, const Matrix& X_new);

}  // namespace instantgp
