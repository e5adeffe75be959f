#include "instantgp/network/stack.h"

#include <algorithm>

#include "instantgp/network/ops/activation.h"
#include "instantgp/network/ops/layer_norm.h"
#include "instantgp/network/ops/linear.h"

namespace instantgp {
namespace {

// One layer's part of a pass; the names follow stack.h.
template <typename T>
struct Layer {
  const StackLayout& stack;
  const LayerLayout& layout;
  const T* weights;
  const Segments& segments;
  const Context<T>& context;
  Arena& arena;

  int tokens() const { return segments.tokens(); }
  std::size_t size(int width) const { return static_cast<std::size_t>(tokens()) * width; }
  // The rows of W1 that read the dataset's and the cross part of the context.
  std::size_t dataset_weight() const {
    return layout.mlp1.weight + static_cast<std::size_t>(stack.width) * stack.hidden;
  }
  std::size_t cross_weight() const {
    return dataset_weight() + static_cast<std::size_t>(context.dataset_width) * stack.hidden;
  }
  LinearLayout token_part() const { return {stack.width, stack.hidden, layout.mlp1.weight, layout.mlp1.bias}; }
  LinearLayout dataset_part() const { return {context.dataset_width, stack.hidden, dataset_weight(), kNoWeight}; }
  LinearLayout cross_part() const { return {context.cross_width, stack.hidden, cross_weight(), kNoWeight}; }

  // out = N(x), keeping what the backward pass needs when asked to.
  T* Norm(const NormLayout& norm, const T* x, T* out, bool keep, const T** hat_out, const T** rstd_out) {
    T* hat = keep ? arena.New<T>(size(stack.width)) : nullptr;
    T* rstd = keep ? arena.New<T>(tokens()) : nullptr;
    LayerNormForward(tokens(), stack.width, x, weights + norm.gain, weights + norm.bias, out, hat, rstd);
    *hat_out = hat;
    *rstd_out = rstd;
    return out;
  }

  // x += attention(a Wqkv) Wo + bo
  void Attention(const T* a, T* x, bool keep, LayerTrace<T>* trace) {
    T* qkv = arena.New<T>(size(3 * stack.width));
    LinearForward(layout.qkv, weights, tokens(), a, qkv, arena);
    T* attended = arena.New<T>(size(stack.width));
    T* lse = keep ? arena.New<T>(size(stack.heads)) : nullptr;
    AttentionForward(segments, stack.width, stack.heads, qkv, attended, lse, arena);
    LinearForward(layout.out, weights, tokens(), attended, x, arena, {.accumulate = true});
    trace->attention_in = a;
    trace->qkv = qkv;
    trace->attended = attended;
    trace->lse = lse;
  }

  // hidden rows of segment s += dataset[row(s)] Wd + cross[s] Wc
  void AddContext(T* hidden) {
    const Arena::Mark mark = arena.Here();
    T* once = arena.New<T>(static_cast<std::size_t>(context.dataset_rows) * stack.hidden);
    LinearForward(dataset_part(), weights, context.dataset_rows, context.dataset, once, arena);
    T* crossed = nullptr;
    if (context.cross != nullptr) {
      crossed = arena.New<T>(static_cast<std::size_t>(segments.count) * stack.hidden);
      LinearForward(cross_part(), weights, segments.count, context.cross, crossed, arena);
    }
    for (int s = 0; s < segments.count; ++s) {
      const T* from_dataset = once + static_cast<std::size_t>(context.dataset_row[s]) * stack.hidden;
      for (int t = segments.begin[s]; t < segments.begin[s + 1]; ++t) {
        T* row = hidden + static_cast<std::size_t>(t) * stack.hidden;
        for (int c = 0; c < stack.hidden; ++c) row[c] += from_dataset[c];
        if (crossed == nullptr) continue;
        const T* from_cross = crossed + static_cast<std::size_t>(s) * stack.hidden;
        for (int c = 0; c < stack.hidden; ++c) row[c] += from_cross[c];
      }
    }
    arena.Rewind(mark);
  }

  // x += act([b, c] W1 + b1) W2 + b2
  void Mlp(const T* b, T* x, bool keep, LayerTrace<T>* trace) {
    const bool has_context = stack.context > 0;
    const bool relu = stack.activation == Activation::kRelu;
    T* before = arena.New<T>(size(stack.hidden));
    LinearForward(token_part(), weights, tokens(), b, before, arena, {.relu = relu && !has_context});
    if (has_context) AddContext(before);
    T* hidden = before;
    if (relu) {
      if (has_context) ReluForward(size(stack.hidden), hidden);
    } else {
      if (keep) hidden = arena.New<T>(size(stack.hidden));
      GeluForward(size(stack.hidden), before, hidden);
      trace->activation = before;
    }
    LinearForward(layout.mlp2, weights, tokens(), hidden, x, arena, {.accumulate = true});
    trace->mlp_in = b;
    trace->hidden = hidden;
  }

  T* Forward(T* x, bool keep, LayerTrace<T>* trace) {
    const std::size_t count = size(stack.width);
    const Arena::Mark mark = arena.Here();
    if (stack.norm == NormPlacement::kPre) {
      // x += A(N1(x));  x += M(N2(x), c)
      T* a = Norm(layout.norm1, x, arena.New<T>(count), keep, &trace->hat1, &trace->rstd1);
      Attention(a, x, keep, trace);
      T* b = Norm(layout.norm2, x, arena.New<T>(count), keep, &trace->hat2, &trace->rstd2);
      Mlp(b, x, keep, trace);
    } else {
      // b = N1(x + A(x));  x = N2(b + M(b, c))
      T* b = arena.New<T>(count);
      std::copy(x, x + count, b);
      Attention(x, b, keep, trace);
      Norm(layout.norm1, b, b, keep, &trace->hat1, &trace->rstd1);
      T* out = keep ? arena.New<T>(count) : x;
      std::copy(b, b + count, out);
      Mlp(b, out, keep, trace);
      Norm(layout.norm2, out, out, keep, &trace->hat2, &trace->rstd2);
      x = out;
    }
    if (!keep) arena.Rewind(mark);
    return x;
  }

  // hidden += dataset Wd + cross Wc per segment  =>  with g_s the sum of dhidden over the tokens of s:
  // dcross_s += g_s Wc^T,  dWc += cross^T g,  and the same for the dataset's rows.
  void ContextBackward(const T* dhidden, const ContextGradient<T>& dcontext, T* gradient) {
    const Arena::Mark mark = arena.Here();
    const std::size_t rows = static_cast<std::size_t>(context.dataset_rows) * stack.hidden;
    T* per_segment = arena.New<T>(static_cast<std::size_t>(segments.count) * stack.hidden);
    T* per_row = arena.New<T>(rows);
    std::fill(per_row, per_row + rows, T(0));
    for (int s = 0; s < segments.count; ++s) {
      T* sum = per_segment + static_cast<std::size_t>(s) * stack.hidden;
      std::fill(sum, sum + stack.hidden, T(0));
      AddColumnSums(segments.begin[s + 1] - segments.begin[s], stack.hidden,
                    dhidden + static_cast<std::size_t>(segments.begin[s]) * stack.hidden, sum);
      AddColumnSums(1, stack.hidden, sum, per_row + static_cast<std::size_t>(context.dataset_row[s]) * stack.hidden);
    }
    LinearBackward(dataset_part(), weights, context.dataset_rows, context.dataset, per_row, dcontext.dataset,
                   /*accumulate=*/true, arena, gradient);
    if (context.cross != nullptr) {
      LinearBackward(cross_part(), weights, segments.count, context.cross, per_segment, dcontext.cross,
                     /*accumulate=*/true, arena, gradient);
    }
    arena.Rewind(mark);
  }

  // x += act([b, c] W1 + b1) W2 + b2  =>  dhidden = dx W2^T act',  db = dhidden Wb^T (+= with accumulate)
  void MlpBackward(const LayerTrace<T>& trace, const T* dx, T* db, bool accumulate, const ContextGradient<T>& dcontext,
                   T* gradient) {
    T* dhidden = arena.New<T>(size(stack.hidden));
    LinearBackward(layout.mlp2, weights, tokens(), trace.hidden, dx, dhidden, false, arena, gradient);
    if (stack.activation == Activation::kRelu) {
      ReluBackward(size(stack.hidden), trace.hidden, dhidden);
    } else {
      GeluBackward(size(stack.hidden), trace.activation, dhidden);
    }
    if (stack.context > 0) ContextBackward(dhidden, dcontext, gradient);
    LinearBackward(token_part(), weights, tokens(), trace.mlp_in, dhidden, db, accumulate, arena, gradient);
  }

  // x += attention(a Wqkv) Wo + bo  =>  da (+= with accumulate)
  void AttentionBackwardPart(const LayerTrace<T>& trace, const T* dx, T* da, bool accumulate, T* gradient) {
    T* dattended = arena.New<T>(size(stack.width));
    LinearBackward(layout.out, weights, tokens(), trace.attended, dx, dattended, false, arena, gradient);
    T* dqkv = arena.New<T>(size(3 * stack.width));
    AttentionBackward(segments, stack.width, stack.heads, trace.qkv, trace.attended, trace.lse, dattended, dqkv, arena);
    LinearBackward(layout.qkv, weights, tokens(), trace.attention_in, dqkv, da, accumulate, arena, gradient);
  }

  void Backward(const LayerTrace<T>& trace, T* dx, const ContextGradient<T>& dcontext, T* gradient) {
    const Arena::Mark mark = arena.Here();
    if (stack.norm == NormPlacement::kPre) {
      // x += M(N2(x), c)  =>  dx += dN2(dM);   x += A(N1(x))  =>  dx += dN1(dA)
      T* below = arena.New<T>(size(stack.width));
      MlpBackward(trace, dx, below, false, dcontext, gradient);
      NormBackward(layout.norm2, trace.hat2, trace.rstd2, below, dx, true, gradient);
      AttentionBackwardPart(trace, dx, below, false, gradient);
      NormBackward(layout.norm1, trace.hat1, trace.rstd1, below, dx, true, gradient);
    } else {
      // x = N2(b + M(b, c))  =>  g = dN2(dx), db = g + dM(g);   b = N1(x + A(x))  =>  g = dN1(db), dx = g + dA(g)
      T* g = arena.New<T>(size(stack.width));
      NormBackward(layout.norm2, trace.hat2, trace.rstd2, dx, g, false, gradient);
      std::copy(g, g + size(stack.width), dx);
      MlpBackward(trace, g, dx, true, dcontext, gradient);
      NormBackward(layout.norm1, trace.hat1, trace.rstd1, dx, g, false, gradient);
      std::copy(g, g + size(stack.width), dx);
      AttentionBackwardPart(trace, g, dx, true, gradient);
    }
    arena.Rewind(mark);
  }

  void NormBackward(const NormLayout& norm, const T* hat, const T* rstd, const T* dy, T* dx, bool accumulate,
                    T* gradient) {
    LayerNormBackward(tokens(), stack.width, hat, rstd, weights + norm.gain, dy, dx, accumulate, gradient + norm.gain,
                      gradient + norm.bias);
  }
};

}  // namespace

template <typename T>
T* StackForward(const StackLayout& stack, const T* weights, const Segments& segments, const Context<T>& context, T* x,
                Arena& arena, StackTrace<T>* trace) {
  const bool keep = trace != nullptr;
  LayerTrace<T> unused;
  if (keep) trace->layers.resize(stack.layers.size());
  for (std::size_t i = 0; i < stack.layers.size(); ++i) {
    Layer<T> layer{stack, stack.layers[i], weights, segments, context, arena};
    x = layer.Forward(x, keep, keep ? &trace->layers[i] : &unused);
  }
  if (stack.norm == NormPlacement::kPre) {
    Layer<T> layer{stack, stack.layers[0], weights, segments, context, arena};
    const T* none = nullptr;
    layer.Norm(stack.final_norm, x, x, keep, keep ? &trace->final_hat : &none, keep ? &trace->final_rstd : &none);
  }
  return x;
}

template <typename T>
void StackBackward(const StackLayout& stack, const T* weights, const Segments& segments, const Context<T>& context,
                   const StackTrace<T>& trace, T* dx, const ContextGradient<T>& dcontext, Arena& arena, T* gradient) {
  if (stack.norm == NormPlacement::kPre) {
    Layer<T> layer{stack, stack.layers[0], weights, segments, context, arena};
    layer.NormBackward(stack.final_norm, trace.final_hat, trace.final_rstd, dx, dx, false, gradient);
  }
  for (std::size_t i = stack.layers.size(); i-- > 0;) {
    Layer<T> layer{stack, stack.layers[i], weights, segments, context, arena};
    layer.Backward(trace.layers[i], dx, dcontext, gradient);
  }
}

template <typename T>
void SkipRows(const StackLayout& stack, const StackTrace<T>& trace, int rows, StackTrace<T>* rest) {
  const auto skip = [rows](const T*& pointer, int width) {
    if (pointer != nullptr) pointer += static_cast<std::ptrdiff_t>(rows) * width;
  };
  *rest = trace;
  for (LayerTrace<T>& layer : rest->layers) {
    for (const T** of_width : {&layer.attention_in, &layer.hat1, &layer.attended, &layer.hat2, &layer.mlp_in}) {
      skip(*of_width, stack.width);
    }
    for (const T** per_row : {&layer.rstd1, &layer.rstd2}) skip(*per_row, 1);
    for (const T** of_hidden : {&layer.activation, &layer.hidden}) skip(*of_hidden, stack.hidden);
    skip(layer.qkv, 3 * stack.width);
    skip(layer.lse, stack.heads);
  }
  skip(rest->final_hat, stack.width);
  skip(rest->final_rstd, 1);
}

double StackFlops(const StackLayout& stack, const std::vector<int>& segment_sizes) {
  double tokens = 0, pairs = 0;
  for (int size : segment_sizes) {
    tokens += size;
    pairs += static_cast<double>(size) * size;
  }
  const double w = stack.width, h = stack.hidden;
  // per token: qkv 3 w^2, out w^2, MLP 2 w h; per pair: scores w, values w. 2 operations each, 3 passes.
  return 6 * static_cast<double>(stack.layers.size()) * (tokens * (4 * w * w + 2 * w * h) + pairs * 2 * w);
}

template void SkipRows(const StackLayout&, const StackTrace<float>&, int, StackTrace<float>*);
template void SkipRows(const StackLayout&, const StackTrace<double>&, int, StackTrace<double>*);
template float* StackForward(const StackLayout&, const float*, const Segments&, const Context<float>&, float*, Arena&,
                             StackTrace<float>*);
template double* StackForward(const StackLayout&, const double*, const Segments&, const Context<double>&, double*,
                              Arena&, StackTrace<double>*);
template void StackBackward(const StackLayout&, const float*, const Segments&, const Context<float>&,
                            const StackTrace<float>&, float*, const ContextGradient<float>&, Arena&, float*);
template void StackBackward(const StackLayout&, const double*, const Segments&, const Context<double>&,
                            const StackTrace<double>&, double*, const ContextGradient<double>&, Arena&, double*);

}  // namespace instantgp
