// The heads of the ahgp family: SE on every column, whatever the structure that generated the data.
//
//   k(x, x') = s exp(-1/2 sum_i (x_i - x'_i)^2 / l_i^2)
//   l_i = head(h_i),   s = head(mean over i of h_i),   noise = head(mean over i of h_i)
//
// In the parameter table every column has a variance of its own: each takes the d-th root of s.
#pragma once

#include "instantgp/base/matrix.h"
#include "instantgp/kernel/structure.h"
#include "instantgp/network/arena.h"
#include "instantgp/network/config.h"
#include "instantgp/network/layout.h"
#include "instantgp/network/ops/linear.h"

namespace instantgp {

// What the backward pass reads; pointers into the arena of the forward pass.
template <typename T>
struct ArdTrace {
  HeadTrace<T> lengthscale, scale, noise;
};

// SE on columns 0 .. columns - 1.
Structure ArdSe(int columns);

// theta (2 d + 1, 1) of the structure, which must be SE alone on each of its columns: else Error(kBadInput). embedding
// (columns, width). A null trace keeps nothing.
template <typename T>
void ArdForward(const NetworkConfig& config, const NetworkLayout& layout, const T* weights, const T* embedding,
                int columns, double y_scale, const Structure& structure, Arena& arena, Matrix* theta,
                ArdTrace<T>* trace);

// dembedding (columns, width) is overwritten.
template <typename T>
void ArdBackward(const NetworkLayout& layout, const T* weights, int columns, const Structure& structure,
                 const ArdTrace<T>& trace, const Matrix& dtheta, T* dembedding, Arena& arena, T* gradient);

// As DecoderFlops.
double ArdFlops(const NetworkLayout& layout, int columns);

}  // namespace instantgp
