// A stack of transformer layers over ragged segments; with a context it is a stack of kernel-encoder blocks.
//
//   pre-LN:   x += A(N1(x));  x += M(N2(x), c);   after the last layer x = N(x)
//   post-LN:  x = N1(x + A(x));  x = N2(x + M(x, c))
//
// A(a) = attention(a Wqkv) Wo + bo;  M(b, c) = act([b, c] W1 + b1) W2 + b2. The context c is the same for all tokens of
// a segment and enters only W1, so [b, c] W1 = b Wb + c Wc and c Wc is computed once per segment.
#pragma once

#include <vector>

#include "instantgp/network/arena.h"
#include "instantgp/network/layout.h"
#include "instantgp/network/ops/attention.h"

namespace instantgp {

// The context of segment s is [dataset row dataset_row[s], cross row s]; cross may be absent.
template <typename T>
struct Context {
  const T* dataset = nullptr;  // (dataset_rows, dataset_width)
  int dataset_rows = 0;
  int dataset_width = 0;
  const int* dataset_row = nullptr;  // (segments)
  const T* cross = nullptr;          // (segments, cross_width)
  int cross_width = 0;
};

// What the backward pass of a layer reads; pointers into the arena of the forward pass.
template <typename T>
struct LayerTrace {
  const T* attention_in = nullptr;  // (tokens, width)
  const T* hat1 = nullptr;          // normalised rows and reciprocal deviations of N1 and N2
  const T* rstd1 = nullptr;
  const T* qkv = nullptr;       // (tokens, 3 width)
  const T* attended = nullptr;  // (tokens, width)
  const T* lse = nullptr;       // (tokens, heads)
  const T* hat2 = nullptr;
  const T* rstd2 = nullptr;
  const T* mlp_in = nullptr;      // (tokens, width)
  const T* activation = nullptr;  // (tokens, hidden): before it for GELU; null for ReLU
  const T* hidden = nullptr;      // (tokens, hidden): after it
};

template <typename T>
struct StackTrace {
  std::vector<LayerTrace<T>> layers;
  const T* final_hat = nullptr;
  const T* final_rstd = nullptr;
};

// rest = the trace of the same pass without its first `rows` tokens.
template <typename T>
void SkipRows(const StackLayout& stack, const StackTrace<T>& trace, int rows, StackTrace<T>* rest);

// Runs the stack over x (tokens, width), which is overwritten, and returns the output: x itself, or memory of the arena
// when the pass is kept. Without a trace nothing is kept: every layer gives its memory back.
template <typename T>
T* StackForward(const StackLayout& stack, const T* weights, const Segments& segments, const Context<T>& context, T* x,
                Arena& arena, StackTrace<T>* trace);

// dx (tokens, width) enters as the gradient of the output and leaves as that of the input. Gradients of the context are
// added to dcontext.dataset / .cross, which have the shapes of the context's (null: not wanted).
template <typename T>
struct ContextGradient {
  T* dataset = nullptr;
  T* cross = nullptr;
};
template <typename T>
void StackBackward(const StackLayout& stack, const T* weights, const Segments& segments, const Context<T>& context,
                   const StackTrace<T>& trace, T* dx, const ContextGradient<T>& dcontext, Arena& arena, T* gradient);

// Floating-point operations of the products of one forward and backward pass: each product once forward, twice
// backward.
double StackFlops(const StackLayout& stack, const std::vector<int>& segment_sizes);

}  // namespace instantgp
