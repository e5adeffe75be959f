#include "instantgp/network/encoder.h"

#include <algorithm>

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

}  // namespace

template <typename T>
void EncoderForward(const NetworkConfig& config, const NetworkLayout& layout, const T* weights, const Matrix& X,
                    const Vector& y, double y_scale, Arena& arena, T* embedding, EncoderTrace<T>* trace) {
  const int n = static_cast<int>(X.rows()), d = static_cast<int>(X.cols());
  const std::size_t tokens = static_cast<std::size_t>(n) * d;
  const int width = layout.t1.width, wide = layout.t3.width;
  const bool keep = trace != nullptr;
  const Arena::Mark mark = arena.Here();
  const Segments columns = EqualSegments(d, n, arena);  // tokens of one dimension attend to each other
  const Segments points = EqualSegments(1, n, arena);
  const Segments dimensions = EqualSegments(1, d, arena);
  const Context<T> none;

  // 1, 2. Token (i, j) holds features of x_ij and y_j and is mapped linearly.
  T* features = arena.New<T>(tokens * layout.input.in);
  TokenFeatures(X, y, y_scale, config.fourier, arena, features);
  T* x = arena.New<T>(tokens * width);
  LinearForward(layout.input, weights, static_cast<int>(tokens), features, x, arena);
  // 3. Attention within each dimension.
  x = StackForward(layout.t1, weights, columns, none, x, arena, keep ? &trace->t1 : nullptr);
  // 4, 5. The mean over dimensions, and attention across points.
  T* p = arena.New<T>(static_cast<std::size_t>(n) * width);
  PointMeanForward(n, d, width, x, p);
  p = StackForward(layout.t2, weights, points, none, p, arena, keep ? &trace->t2 : nullptr);
  // 6, 7. [point, token], and attention within each dimension.
  T* both = arena.New<T>(tokens * wide);
  ConcatForward(n, d, width, width, p, x, both);
  both = StackForward(layout.t3, weights, columns, none, both, arena, keep ? &trace->t3 : nullptr);
  // 8, 9. The mean over points, and attention across dimensions.
  if (keep) trace->pair_statistics = nullptr;
  T* h = arena.New<T>(static_cast<std::size_t>(d) * wide);
  SegmentMeanForward(columns, wide, both, h);
  if (config.pair_statistics) {
    T* statistics = arena.New<T>(static_cast<std::size_t>(d) * kNumPairStatistics);
    PairStatistics(X, y, y_scale, arena, statistics);
    T* hidden[kMaxMlpLayers];
    const T* read = MlpForward(layout.pairs, weights, d, statistics, arena, hidden);
    for (int e = 0; e < d * wide; ++e) h[e] += read[e];
    if (keep) {
      trace->pair_statistics = statistics;
      std::copy(hidden, hidden + layout.pairs.layers.size(), trace->pair_hidden);
    }
  }
  h = StackForward(layout.t4, weights, dimensions, none, h, arena, keep ? &trace->t4 : nullptr);
  std::copy(h, h + static_cast<std::size_t>(d) * wide, embedding);

  if (keep) {
    trace->n = n;
    trace->d = d;
    trace->features = features;
  } else {
    arena.Rewind(mark);
  }
}

template <typename T>
void EncoderBackward(const NetworkLayout& layout, const T* weights, const EncoderTrace<T>& trace, T* dembedding,
                     Arena& arena, T* gradient) {
  const int n = trace.n, d = trace.d;
  const std::size_t tokens = static_cast<std::size_t>(n) * d;
  const int width = layout.t1.width, wide = layout.t3.width;
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
  // 8. h_i = mean over j of both_ij
  T* dboth = arena.New<T>(tokens * wide);
  std::fill(dboth, dboth + tokens * wide, T(0));
  SegmentMeanBackward(columns, wide, dh, dboth);
  // 7, 6. both_ij = T3([p_j, x_ij])
  StackBackward(layout.t3, weights, columns, none, trace.t3, dboth, {}, arena, gradient);
  T* dp = arena.New<T>(static_cast<std::size_t>(n) * width);
  T* dx = arena.New<T>(tokens * width);
  ConcatBackward(n, d, width, width, dboth, dp, dx);
  // 5, 4. p_j = T2(mean over i of x_ij)
  StackBackward(layout.t2, weights, points, none, trace.t2, dp, {}, arena, gradient);
  PointMeanBackward(n, d, width, dp, dx);
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
                             double, Arena&, float*, EncoderTrace<float>*);
template void EncoderForward(const NetworkConfig&, const NetworkLayout&, const double*, const Matrix&, const Vector&,
                             double, Arena&, double*, EncoderTrace<double>*);
template void EncoderBackward(const NetworkLayout&, const float*, const EncoderTrace<float>&, float*, Arena&, float*);
template void EncoderBackward(const NetworkLayout&, const double*, const EncoderTrace<double>&, double*, Arena&,
                              double*);

}  // namespace instantgp
