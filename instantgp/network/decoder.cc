#include "instantgp/network/decoder.h"

#include <algorithm>
#include <cmath>

#include "instantgp/network/ops/aggregate.h"
#include "instantgp/network/ops/outputs.h"

namespace instantgp {
namespace {

std::size_t Size(int rows, int width) { return static_cast<std::size_t>(rows) * width; }

// The centre of a log-parameter. In a scale-equivariant network the targets have unit root mean square, so amplitudes
// are centred where the kernel's mean diagonal is 1: addends share it within a column, LIN has E[x^2] + 1 = 4/3 on [0,
// 1].
double CentreOf(const NetworkConfig& config, Elementary factor, ParameterKind kind, bool first_factor, int addends) {
  const bool amplitude = kind == ParameterKind::kVariance || kind == ParameterKind::kOffset;
  if (!config.scale_equivariant || !amplitude) return PriorCentre(kind);
  return -(first_factor ? std::log(addends) : 0) - (factor == Elementary::kLIN ? std::log(4.0 / 3.0) : 0);
}

// Calls visit(output, factor, kind, first_factor) for the outputs of a head in order.
template <typename Visit>
void ForEachOutput(const HeadLayout& head, const HeadUse& use, Visit&& visit) {
  int output = 0;
  for (std::size_t f = 0; f < head.factors.size(); ++f) {
    for (ParameterKind kind : ParametersOf(head.factors[f])) {
      visit(output++, head.factors[f], kind, f == 0 && use.first_factor);
    }
  }
}

// noise_in of group g = [mean over its columns of embedding, mean over its tokens of z]
template <typename T>
void NoiseInputForward(const DecodePlan& plan, int dataset_width, int width, const T* embedding, const T* z,
                       Arena& arena, T* noise_in) {
  const Arena::Mark mark = arena.Here();
  const Segments groups = plan.segments_of_groups();
  T* kernel_mean = arena.New<T>(Size(groups.count, width));
  SegmentMeanForward(plan.tokens_of_groups(), width, z, kernel_mean);
  for (int g = 0; g < groups.count; ++g) {
    T* row = noise_in + Size(g, dataset_width + width);
    const int begin = groups.begin[g], end = groups.begin[g + 1];
    for (int c = 0; c < dataset_width; ++c) {
      T sum = 0;
      for (int s = begin; s < end; ++s) sum += embedding[Size(plan.column()[s], dataset_width) + c];
      row[c] = sum / static_cast<T>(end - begin);
    }
    std::copy_n(kernel_mean + Size(g, width), width, row + dataset_width);
  }
  arena.Rewind(mark);
}

// noise_in of group g = [mean over its columns of embedding, mean over its tokens of z]
//   =>  dembedding_col += first part / columns of g,  dz_t += second part / tokens of g
template <typename T>
void NoiseInputBackward(const DecodePlan& plan, int dataset_width, int width, const T* dnoise_in, Arena& arena,
                        T* dembedding, T* dz) {
  const Arena::Mark mark = arena.Here();
  const Segments groups = plan.segments_of_groups();
  T* dkernel_mean = arena.New<T>(Size(groups.count, width));
  for (int g = 0; g < groups.count; ++g) {
    const T* row = dnoise_in + Size(g, dataset_width + width);
    const int begin = groups.begin[g], end = groups.begin[g + 1];
    for (int s = begin; s < end; ++s) {
      T* out = dembedding + Size(plan.column()[s], dataset_width);
      for (int c = 0; c < dataset_width; ++c) out[c] += row[c] / static_cast<T>(end - begin);
    }
    std::copy_n(row + dataset_width, width, dkernel_mean + Size(g, width));
  }
  SegmentMeanBackward(plan.tokens_of_groups(), width, dkernel_mean, dz);
  arena.Rewind(mark);
}

// Offsets of segments begin .. end - 1, counted from the first.
Segments Part(const Segments& all, int begin, int end, Arena& arena) {
  int* offsets = arena.New<int>(end - begin + 1);
  for (int s = begin; s <= end; ++s) offsets[s - begin] = all.begin[s] - all.begin[begin];
  return {offsets, end - begin};
}

// Steps 4 to 1 for groups first .. last - 1, whose tokens and segments are consecutive. dz (tokens of all groups,
// width) enters as the gradient of the embeddings after step 4 and leaves, for these groups, as that of the symbols'
// tokens.
template <typename T>
void StacksBackward(const NetworkLayout& layout, const T* weights, const T* embedding, int columns,
                    const DecodePlan& plan, DecoderTrace<T>& trace, int first, int last, T* dz, T* dembedding,
                    Arena& arena, T* gradient) {
  const Arena::Mark mark = arena.Here();
  const int width = layout.kernel1.width;
  const Segments all_groups = plan.segments_of_groups();
  const int first_segment = all_groups.begin[first];
  const int first_token = plan.tokens_of_groups().begin[first];
  const Segments groups = Part(all_groups, first, last, arena);
  const Segments segments = Part(plan.segments(), first_segment, all_groups.begin[last], arena);
  Context<T> context{embedding, columns, layout.t4.width, plan.column().data() + first_segment, nullptr, 0};
  dz += Size(first_token, width);

  // 4. z = K2(z, [embedding, v])
  T* dv = arena.New<T>(Size(segments.count, width));
  std::fill(dv, dv + Size(segments.count, width), T(0));
  context.cross = trace.cross_out + Size(first_segment, width);
  context.cross_width = width;
  SkipRows(layout.kernel2, trace.kernel2, first_token, &trace.part);
  StackBackward(layout.kernel2, weights, segments, context, trace.part, dz, {dembedding, dv}, arena, gradient);
  // 3, 2. v = T(mean over a column's symbols of z)
  SkipRows(layout.cross, trace.cross, first_segment, &trace.part);
  StackBackward(layout.cross, weights, groups, Context<T>{}, trace.part, dv, {}, arena, gradient);
  SegmentMeanBackward(segments, width, dv, dz);
  // 1. z = K1(symbols + hypothesis, embedding)
  context.cross = nullptr;
  context.cross_width = 0;
  SkipRows(layout.kernel1, trace.kernel1, first_token, &trace.part);
  StackBackward(layout.kernel1, weights, segments, context, trace.part, dz, {dembedding, nullptr}, arena, gradient);
  arena.Rewind(mark);
}

}  // namespace

template <typename T>
void DecoderForward(const NetworkConfig& config, const NetworkLayout& layout, const T* weights, const T* embedding,
                    int columns, double y_scale, const DecodePlan& plan, Arena& arena, Matrix* theta,
                    DecoderTrace<T>* trace) {
  const bool keep = trace != nullptr;
  const Arena::Mark mark = arena.Here();
  const int width = layout.kernel1.width, dataset_width = layout.t4.width;
  const int tokens = plan.tokens(), hypotheses = plan.hypotheses();
  const Segments segments = plan.segments(), groups = plan.segments_of_groups();
  Context<T> context{embedding, columns, dataset_width, plan.column().data(), nullptr, 0};

  // One-hot symbols projected, plus the embedding of the hypothesis.
  T* z = arena.New<T>(Size(tokens, width));
  for (int t = 0; t < tokens; ++t) {
    std::copy_n(weights + layout.symbols.weight + Size(plan.one_hot()[t], width), width, z + Size(t, width));
  }
  if (layout.hypothesis != kNoWeight) {
    const Segments of_groups = plan.tokens_of_groups();
    for (int g = 0; g < of_groups.count; ++g) {
      const T* added = weights + layout.hypothesis + Size(plan.hypothesis(g), width);
      for (int t = of_groups.begin[g]; t < of_groups.begin[g + 1]; ++t) {
        for (int c = 0; c < width; ++c) z[Size(t, width) + c] += added[c];
      }
    }
  }
  // 1. Symbols of a column, with the column's dataset embedding as context.
  z = StackForward(layout.kernel1, weights, segments, context, z, arena, keep ? &trace->kernel1 : nullptr);
  // 2, 3. The mean over a column's symbols, and attention across columns.
  T* v = arena.New<T>(Size(segments.count, width));
  SegmentMeanForward(segments, width, z, v);
  v = StackForward(layout.cross, weights, groups, Context<T>{}, v, arena, keep ? &trace->cross : nullptr);
  // 4. Symbols again, with [dataset embedding, kernel embedding of the column] as context.
  context.cross = v;
  context.cross_width = width;
  z = StackForward(layout.kernel2, weights, segments, context, z, arena, keep ? &trace->kernel2 : nullptr);

  // Output layer: theta = transform(head(z)), plus the share of log y_scale^2 where a parameter carries it.
  const double log_scale = 2 * std::log(y_scale);
  if (keep) {
    trace->cross_out = v;
    trace->heads.resize(layout.heads.size());
  }
  for (std::size_t h = 0; h < layout.heads.size(); ++h) {
    const HeadLayout& head = layout.heads[h];
    const std::vector<HeadUse>& uses = plan.uses(static_cast<int>(h));
    const int rows = static_cast<int>(uses.size()), outputs = head.mlp.out();
    if (rows == 0) continue;
    HeadTrace<T> unused;
    HeadTrace<T>& kept = keep ? trace->heads[h] : unused;
    T* in = arena.New<T>(Size(rows, width));
    for (int r = 0; r < rows; ++r) std::copy_n(z + Size(uses[r].token, width), width, in + Size(r, width));
    const T* raw = MlpForward(head.mlp, weights, rows, in, arena, kept.hidden);
    T* slope = arena.New<T>(Size(rows, outputs));
    for (int r = 0; r < rows; ++r) {
      const HeadUse& use = uses[r];
      Matrix& values = theta[use.group / hypotheses];
      ForEachOutput(head, use, [&](int o, Elementary factor, ParameterKind kind, bool first_factor) {
        const double centre = CentreOf(config, factor, kind, first_factor, use.addends);
        const Output output = TransformParameter(config.output, kind, centre, raw[Size(r, outputs) + o]);
        const bool carries = first_factor && (kind == ParameterKind::kVariance || kind == ParameterKind::kOffset);
        values(use.row + o, use.group % hypotheses) = output.log_value + (carries ? log_scale / use.dimensions : 0);
        slope[Size(r, outputs) + o] = static_cast<T>(output.slope);
      });
    }
    kept.in = in;
    kept.slope = slope;
  }
  HeadTrace<T> unused;
  HeadTrace<T>& kept = keep ? trace->noise : unused;
  T* noise_in = arena.New<T>(Size(groups.count, dataset_width + width));
  NoiseInputForward(plan, dataset_width, width, embedding, z, arena, noise_in);
  const T* raw = MlpForward(layout.noise, weights, groups.count, noise_in, arena, kept.hidden);
  T* slope = arena.New<T>(groups.count);
  for (int g = 0; g < groups.count; ++g) {
    const Output output = TransformNoise(config.output, config.noise_floor, raw[g]);
    theta[g / hypotheses](plan.parameters(g / hypotheses), g % hypotheses) = output.log_value + log_scale;
    slope[g] = static_cast<T>(output.slope);
  }
  kept.in = noise_in;
  kept.slope = slope;
  if (!keep) arena.Rewind(mark);
}

template <typename T>
void DecoderBackward(const NetworkLayout& layout, const T* weights, const T* embedding, int columns,
                     const DecodePlan& plan, DecoderTrace<T>& trace, const Matrix* dtheta, T* dembedding, Arena& arena,
                     T* gradient) {
  const Arena::Mark mark = arena.Here();
  const int width = layout.kernel1.width, dataset_width = layout.t4.width;
  const int tokens = plan.tokens(), hypotheses = plan.hypotheses();
  const Segments groups = plan.segments_of_groups();
  T* dz = arena.New<T>(Size(tokens, width));
  std::fill(dz, dz + Size(tokens, width), T(0));
  std::fill(dembedding, dembedding + Size(columns, dataset_width), T(0));

  // theta = transform(head(z))  =>  dz_token += head backward of dtheta * slope
  for (std::size_t h = 0; h < layout.heads.size(); ++h) {
    const HeadLayout& head = layout.heads[h];
    const std::vector<HeadUse>& uses = plan.uses(static_cast<int>(h));
    const int rows = static_cast<int>(uses.size()), outputs = head.mlp.out();
    if (rows == 0) continue;
    T* draw = arena.New<T>(Size(rows, outputs));
    for (int r = 0; r < rows; ++r) {
      const Matrix& values = dtheta[uses[r].group / hypotheses];
      for (int o = 0; o < outputs; ++o) {
        draw[Size(r, outputs) + o] = static_cast<T>(values(uses[r].row + o, uses[r].group % hypotheses)) *
                                     trace.heads[h].slope[Size(r, outputs) + o];
      }
    }
    T* din = arena.New<T>(Size(rows, width));
    MlpBackward(head.mlp, weights, rows, trace.heads[h].in, trace.heads[h].hidden, draw, din, arena, gradient);
    for (int r = 0; r < rows; ++r) AddColumnSums(1, width, din + Size(r, width), dz + Size(uses[r].token, width));
  }
  T* draw = arena.New<T>(groups.count);
  for (int g = 0; g < groups.count; ++g) {
    draw[g] =
        static_cast<T>(dtheta[g / hypotheses](plan.parameters(g / hypotheses), g % hypotheses)) * trace.noise.slope[g];
  }
  T* dnoise_in = arena.New<T>(Size(groups.count, dataset_width + width));
  MlpBackward(layout.noise, weights, groups.count, trace.noise.in, trace.noise.hidden, draw, dnoise_in, arena,
              gradient);
  NoiseInputBackward(plan, dataset_width, width, dnoise_in, arena, dembedding, dz);

  // The stacks, over each run of groups that have a gradient at all: training follows one or two hypotheses of several.
  const auto silent = [&](int g) { return dtheta[g / hypotheses].col(g % hypotheses).isZero(0); };
  for (int begin = 0, end = 0; begin < groups.count; begin = end + 1) {
    for (end = begin; end < groups.count && !silent(end); ++end) {
    }
    if (begin == end) continue;
    StacksBackward(layout, weights, embedding, columns, plan, trace, begin, end, dz, dembedding, arena, gradient);
  }
  for (int t = 0; t < tokens; ++t) {
    AddColumnSums(1, width, dz + Size(t, width), gradient + layout.symbols.weight + Size(plan.one_hot()[t], width));
  }
  if (layout.hypothesis != kNoWeight) {
    const Segments of_groups = plan.tokens_of_groups();
    for (int g = 0; g < of_groups.count; ++g) {
      AddColumnSums(of_groups.begin[g + 1] - of_groups.begin[g], width, dz + Size(of_groups.begin[g], width),
                    gradient + layout.hypothesis + Size(plan.hypothesis(g), width));
    }
  }
  arena.Rewind(mark);
}

double DecoderFlops(const NetworkLayout& layout, const DecodePlan& plan, int columns) {
  auto sizes = [](const Segments& segments) {
    std::vector<int> result;
    for (int s = 0; s < segments.count; ++s) result.push_back(segments.begin[s + 1] - segments.begin[s]);
    return result;
  };
  auto mlp = [](const MlpLayout& layers, double rows) {
    double flops = 0;
    for (const LinearLayout& layer : layers.layers) flops += 6 * rows * layer.in * layer.out;
    return flops;
  };
  double flops = StackFlops(layout.kernel1, sizes(plan.segments())) +
                 StackFlops(layout.kernel2, sizes(plan.segments())) +
                 StackFlops(layout.cross, sizes(plan.segments_of_groups()));
  // Contexts: the dataset's part once per column, the cross part once per segment.
  const double dataset = layout.t4.width, width = layout.kernel1.width;
  flops += 6.0 * columns * dataset *
           (static_cast<double>(layout.kernel1.layers.size()) * layout.kernel1.hidden +
            static_cast<double>(layout.kernel2.layers.size()) * layout.kernel2.hidden);
  flops +=
      6.0 * plan.segments().count * width * static_cast<double>(layout.kernel2.layers.size()) * layout.kernel2.hidden;
  for (std::size_t h = 0; h < layout.heads.size(); ++h) {
    flops += mlp(layout.heads[h].mlp, static_cast<double>(plan.uses(static_cast<int>(h)).size()));
  }
  return flops + mlp(layout.noise, plan.num_groups());
}

template void DecoderForward(const NetworkConfig&, const NetworkLayout&, const float*, const float*, int, double,
                             const DecodePlan&, Arena&, Matrix*, DecoderTrace<float>*);
template void DecoderForward(const NetworkConfig&, const NetworkLayout&, const double*, const double*, int, double,
                             const DecodePlan&, Arena&, Matrix*, DecoderTrace<double>*);
template void DecoderBackward(const NetworkLayout&, const float*, const float*, int, const DecodePlan&,
                              DecoderTrace<float>&, const Matrix*, float*, Arena&, float*);
template void DecoderBackward(const NetworkLayout&, const double*, const double*, int, const DecodePlan&,
                              DecoderTrace<double>&, const Matrix*, double*, Arena&, double*);

}  // namespace instantgp
