#include "instantgp/network/encoder.h"

#include <algorithm>

#include "instantgp/base/thread_pool.h"
#include "instantgp/network/ops/aggregate.h"
#include "instantgp/network/ops/features.h"
#include "instantgp/network/ops/pair_statistics.h"

namespace instantgp {
namespace {

// `count` segments of `size` tokens each.
Segments EqualSegments(int count, int size, Arena& arena) {
  int* begin = arena.New<int>(count + 1);
  for (int s = 0; s <= count; ++s) begin[s] = s * size;
  return {begin, count};
}

// Runs body(part, arena) for every part. Kept passes stay on the caller's thread and leave their memory in place.
template <typename Body>
void RunParts(int count, bool keep, const EncoderThreads& threads, Arena& arena, const Body& body) {
  if (threads.pool != nullptr && !keep && count > 1) {
    threads.pool->Run(count, [&](int part, int worker) {
      Arena& own = threads.arenas[worker];
      const Arena::Mark mark = own.Here();
      body(part, own);
      own.Rewind(mark);
    });
    return;
  }
  for (int part = 0; part < count; ++part) {
    const Arena::Mark mark = arena.Here();
    body(part, arena);
    if (!keep) arena.Rewind(mark);
  }
}

}  // namespace

template <typename T>
void EncoderForward(const NetworkConfig& config, const NetworkLayout& layout, const T* weights, const Matrix& X,
                    const Vector& y, double y_scale, Arena& arena, const EncoderThreads& threads, T* embedding,
                    EncoderTrace<T>* trace) {
  const int n = static_cast<int>(X.rows()), d = static_cast<int>(X.cols());
  const std::size_t tokens = static_cast<std::size_t>(n) * d;
  const int width = layout.t1.width, wide = layout.t4.width;
  const bool across_points = !layout.t3.layers.empty();  // not in the ahgp family
  const bool keep = trace != nullptr;
  const Arena::Mark mark = arena.Here();
  const Segments columns = EqualSegments(d, n, arena);  // tokens of one dimension attend to each other
  const Segments points = EqualSegments(1, n, arena);
  const Segments dimensions = EqualSegments(1, d, arena);
  const Context<T> none;
  // A part is a range of columns: all of them when the pass is kept, else one.
  const int parts = keep ? 1 : d, part_columns = keep ? d : 1;
  const Segments part_segments{columns.begin, part_columns};
  const auto at = [&](T* values, int part, int of_width) {
    return values + static_cast<std::size_t>(part) * n * of_width;
  };

  // 1, 2. Token (i, j) holds features of x_ij and y_j and is mapped linearly.  3. Attention within each dimension.
  T* x = arena.New<T>(tokens * width);
  RunParts(parts, keep, threads, arena, [&](int part, Arena& own) {
    const int rows = n * part_columns;
    T* features = own.New<T>(static_cast<std::size_t>(rows) * layout.input.in);
    TokenFeatures(X.middleCols(part, part_columns), y, y_scale, config.fourier, own, features);
    T* in = at(x, part, width);
    LinearForward(layout.input, weights, rows, features, in, own);
    T* out = StackForward(layout.t1, weights, part_segments, none, in, own, keep ? &trace->t1 : nullptr);
    if (keep) {
      trace->features = features;
      x = out;
    }
  });
  // 4, 5. The mean over dimensions, and attention across points; beside it the pair statistics.
  T* p = arena.New<T>(static_cast<std::size_t>(n) * width);
  T* statistics = config.pair_statistics ? arena.New<T>(static_cast<std::size_t>(d) * kNumPairStatistics) : nullptr;
  RunParts(statistics != nullptr ? 2 : 1, keep, threads, arena, [&](int part, Arena& own) {
    if (part == 1) {
      PairStatistics(X, y, y_scale, own, statistics);
    } else if (across_points) {
      PointMeanForward(n, d, width, x, p);
      p = StackForward(layout.t2, weights, points, none, p, own, keep ? &trace->t2 : nullptr);
    }
  });
  // 6, 7. [point, token], and attention within each dimension.  8. The mean over points.
  T* both = across_points ? arena.New<T>(tokens * wide) : nullptr;
  T* h = arena.New<T>(static_cast<std::size_t>(d) * wide);
  RunParts(parts, keep, threads, arena, [&](int part, Arena& own) {
    const T* out = at(x, part, width);
    if (across_points) {
      T* in = at(both, part, wide);
      ConcatForward(n, part_columns, width, width, p, out, in);
      out = StackForward(layout.t3, weights, part_segments, none, in, own, keep ? &trace->t3 : nullptr);
    }
    SegmentMeanForward(part_segments, wide, out, h + static_cast<std::size_t>(part) * wide);
  });
  // 9. Attention across dimensions.
  if (statistics != nullptr) {
    T* hidden[kMaxMlpLayers];
    const T* read = MlpForward(layout.pairs, weights, d, statistics, arena, hidden);
    for (int e = 0; e < d * wide; ++e) h[e] += read[e];
    if (keep) std::copy(hidden, hidden + layout.pairs.layers.size(), trace->pair_hidden);
  }
  h = StackForward(layout.t4, weights, dimensions, none, h, arena, keep ? &trace->t4 : nullptr);
  std::copy(h, h + static_cast<std::size_t>(d) * wide, embedding);

  if (keep) {
    trace->n = n;
    trace->d = d;
    trace->pair_statistics = statistics;
  } else {
    arena.Rewind(mark);
  }
}

template <typename T>
void EncoderBackward(const NetworkLayout& layout, const T* weights, const EncoderTrace<T>& trace, T* dembedding,
                     Arena& arena, T* gradient) {
  const int n = trace.n, d = trace.d;
  const std::size_t tokens = static_cast<std::size_t>(n) * d;
  const int width = layout.t1.width, wide = layout.t4.width;
  const Arena::Mark mark = arena.Here();
  const Segments columns = EqualSegments(d, n, arena);
  const Segments points = EqualSegments(1, n, arena);
  const Segments dimensions = EqualSegments(1, d, arena);
  const Context<T> none;

  // 9. h = T4(h + MLP(statistics))
  T* dh = dembedding;
  StackBackward(layout.t4, weights, dimensions, none, trace.t4, dh, {}, arena, gradient);
  if (trace.pair_statistics != nullptr) {
    MlpBackward<T>(layout.pairs, weights, d, trace.pair_statistics, trace.pair_hidden, dh, nullptr, arena, gradient);
  }
  // 8. h_i = mean over j of both_ij (ahgp: of x_ij)
  T* dboth = arena.New<T>(tokens * wide);
  std::fill(dboth, dboth + tokens * wide, T(0));
  SegmentMeanBackward(columns, wide, dh, dboth);
  T* dx = dboth;
  if (!layout.t3.layers.empty()) {
    // 7, 6. both_ij = T3([p_j, x_ij])
    StackBackward(layout.t3, weights, columns, none, trace.t3, dboth, {}, arena, gradient);
    T* dp = arena.New<T>(static_cast<std::size_t>(n) * width);
    dx = arena.New<T>(tokens * width);
    ConcatBackward(n, d, width, width, dboth, dp, dx);
    // 5, 4. p_j = T2(mean over i of x_ij)
    StackBackward(layout.t2, weights, points, none, trace.t2, dp, {}, arena, gradient);
    PointMeanBackward(n, d, width, dp, dx);
  }
  // 3, 2. x = T1(features W)
  StackBackward(layout.t1, weights, columns, none, trace.t1, dx, {}, arena, gradient);
  LinearBackward<T>(layout.input, weights, static_cast<int>(tokens), trace.features, dx, nullptr, false, arena,
                    gradient);
  arena.Rewind(mark);
}

double EncoderFlops(const NetworkLayout& layout, int n, int d) {
  const std::vector<int> columns(d, n), points = {n}, dimensions = {d};
  // The input projection needs no gradient of its input.
  double flops = 4.0 * n * d * layout.input.in * layout.input.out;
  flops += StackFlops(layout.t1, columns) + StackFlops(layout.t2, points) + StackFlops(layout.t3, columns) +
           StackFlops(layout.t4, dimensions);
  for (std::size_t i = 0; i < layout.pairs.layers.size(); ++i) {
    flops += (i == 0 ? 4.0 : 6.0) * d * layout.pairs.layers[i].in * layout.pairs.layers[i].out;
  }
  return flops;
}

template void EncoderForward(const NetworkConfig&, const NetworkLayout&, const float*, const Matrix&, const Vector&,
                             double, Arena&, const EncoderThreads&, float*, EncoderTrace<float>*);
template void EncoderForward(const NetworkConfig&, const NetworkLayout&, const double*, const Matrix&, const Vector&,
                             double, Arena&, const EncoderThreads&, double*, EncoderTrace<double>*);
template void EncoderBackward(const NetworkLayout&, const float*, const EncoderTrace<float>&, float*, Arena&, float*);
template void EncoderBackward(const NetworkLayout&, const double*, const EncoderTrace<double>&, double*, Arena&,
                              double*);

}  // namespace instantgp
