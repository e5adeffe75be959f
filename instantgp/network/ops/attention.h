// Multi-head self-attention over ragged segments.
//
// For each segment of consecutive tokens and each head of width c, with queries, keys and values q, k, v (tokens, c):
//
//   S = q k^T / sqrt(c),  P = softmax of each row of S,  o = P v
//
// qkv (tokens, 3 width) holds queries, keys and values side by side; within each, heads side by side.
#pragma once

#include "instantgp/network/arena.h"

namespace instantgp {

// Segment s is tokens begin[s] .. begin[s + 1] - 1; begin has count + 1 entries.
struct Segments {
  const int* begin = nullptr;
  int count = 0;
  int tokens() const { return begin[count]; }
};

// o (tokens, width). lse (tokens, heads) receives the logarithm (base 2) of each softmax row's sum, or is null.
template <typename T>
void AttentionForward(const Segments& segments, int width, int heads, const T* qkv, T* o, T* lse, Arena& arena);

// dqkv (tokens, 3 width) is overwritten. P is computed again from qkv and lse: cheaper than reading it back from
// memory.
template <typename T>
void AttentionBackward(const Segments& segments, int width, int heads, const T* qkv, const T* o, const T* lse,
                       const T* dO, T* dqkv, Arena& arena);

}  // namespace instantgp
