// The dataset encoder, steps 1-9 of the paper: a dataset becomes one embedding per column.
#pragma once

#include "instantgp/base/matrix.h"
#include "instantgp/network/arena.h"
#include "instantgp/network/config.h"
#include "instantgp/network/layout.h"
#include "instantgp/network/ops/linear.h"
#include "instantgp/network/stack.h"

namespace instantgp {

class ThreadPool;

// What the backward pass reads; pointers into the arena of the forward pass.
template <typename T>
struct EncoderTrace {
  int n = 0, d = 0;
  const T* features = nullptr;
  StackTrace<T> t1, t2, t3, t4;
  const T* pair_statistics = nullptr;
  T* pair_hidden[kMaxMlpLayers] = {};
};

// Threads for the parts of one pass, and an arena for each; no pool: the caller's own thread and arena.
struct EncoderThreads {
  ThreadPool* pool = nullptr;
  Arena* arenas = nullptr;
};

// embedding (d, t4 width). y is divided by y_scale first. A null trace keeps nothing, and then columns are worked on
// one by one, which gives the same bits on any number of threads.
template <typename T>
void EncoderForward(const NetworkConfig& config, const NetworkLayout& layout, const T* weights, const Matrix& X,
                    const Vector& y, double y_scale, Arena& arena, const EncoderThreads& threads, T* embedding,
                    EncoderTrace<T>* trace);

// dembedding (d, t4 width) is overwritten.
template <typename T>
void EncoderBackward(const NetworkLayout& layout, const T* weights, const EncoderTrace<T>& trace, T* dembedding,
                     Arena& arena, T* gradient);

double EncoderFlops(const NetworkLayout& layout, int n, int d);

}  // namespace instantgp
