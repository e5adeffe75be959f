// The kernel encoder-decoder, steps 1-4 of the paper, the heads of the symbols and the noise head.
#pragma once

#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/network/arena.h"
#include "instantgp/network/config.h"
#include "instantgp/network/layout.h"
#include "instantgp/network/ops/linear.h"
#include "instantgp/network/plan.h"
#include "instantgp/network/stack.h"

namespace instantgp {

// What the backward pass reads; pointers into the arena of the forward pass.
template <typename T>
struct DecoderTrace {
  StackTrace<T> kernel1, cross, kernel2;
  const T* cross_out = nullptr;     // (segments, width)
  std::vector<HeadTrace<T>> heads;  // a row for each use of the symbol
  HeadTrace<T> noise;
  StackTrace<T> part;  // scratch of the backward pass
};

// theta[s] (parameters + 1, hypotheses) of structure s of the plan. embedding (columns, width). A null trace keeps
// nothing.
template <typename T>
void DecoderForward(const NetworkConfig& config, const NetworkLayout& layout, const T* weights, const T* embedding,
                    int columns, double y_scale, const DecodePlan& plan, Arena& arena, Matrix* theta,
                    DecoderTrace<T>* trace);

// dtheta[s] has the shape of theta[s]; hypotheses whose column is zero cost next to nothing. dembedding (columns,
// width) is overwritten.
template <typename T>
void DecoderBackward(const NetworkLayout& layout, const T* weights, const T* embedding, int columns,
                     const DecodePlan& plan, DecoderTrace<T>& trace, const Matrix* dtheta, T* dembedding, Arena& arena,
                     T* gradient);

double DecoderFlops(const NetworkLayout& layout, const DecodePlan& plan, int columns);

}  // namespace instantgp
