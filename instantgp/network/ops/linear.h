// y (m, out) = x (m, in) W + b
#pragma once

#include "instantgp/network/arena.h"
#include "instantgp/network/layout.h"
#include "instantgp/network/ops/matmul.h"

namespace instantgp {

// y = x W + b; `epilogue.bias` is set from the layout. With accumulate, y += x W + b.
template <typename T>
void LinearForward(const LinearLayout& linear, const T* weights, int m, const T* x, T* y, Arena& arena,
                   Epilogue<T> epilogue = {});

// dW += x^T dy,  db += sum over rows of dy,  dx = dy W^T (+= with accumulate; skipped when dx is null)
template <typename T>
void LinearBackward(const LinearLayout& linear, const T* weights, int m, const T* x, const T* dy, T* dx,
                    bool accumulate, Arena& arena, T* gradient);

// sums[j] += sum over rows of x[., j], in row order.
template <typename T>
void AddColumnSums(int m, int n, const T* x, T* sums);

// y = L_k( relu( ... L_1(x) ) ); `hidden[i]` receives the output of layer i (the last is y), taken from the arena.
template <typename T>
T* MlpForward(const MlpLayout& mlp, const T* weights, int m, const T* x, Arena& arena, T** hidden);
// dx may be null. `dy` is overwritten.
template <typename T>
void MlpBackward(const MlpLayout& mlp, const T* weights, int m, const T* x, T* const* hidden, T* dy, T* dx,
                 Arena& arena, T* gradient);

inline constexpr int kMaxMlpLayers = 9;

// What the backward pass of a head, an MLP whose outputs become parameters, reads; pointers into the arena of the
// forward pass.
template <typename T>
struct HeadTrace {
  const T* in = nullptr;  // (rows, width)
  T* hidden[kMaxMlpLayers] = {};
  const T* slope = nullptr;  // (rows, outputs): d theta / d raw
};

}  // namespace instantgp
