#include "instantgp/network/ard_heads.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "instantgp/base/error.h"
#include "instantgp/base/resize.h"
#include "instantgp/network/ops/outputs.h"

namespace instantgp {
namespace {

// Rows of a column's variance and lengthscale in the parameter table.
int RowOf(ParameterKind kind, int column) {
  const auto kinds = ParametersOf(Elementary::kSE);
  const auto place = std::find(kinds.begin(), kinds.end(), kind) - kinds.begin();
  return column * static_cast<int>(kinds.size()) + static_cast<int>(place);
}

void CheckArdSe(int columns, const Structure& structure) {
  bool fits = !structure.columns.empty() && structure.columns.size() == structure.symbols.size();
  for (int i = 0; fits && i < structure.dimensions(); ++i) {
    fits = structure.columns[i] >= 0 && structure.columns[i] < columns && structure.symbols[i].size() == 1 &&
           structure.symbols[i][0] == BaseSymbol::kSE;
  }
  if (!fits) {
    throw Error(
        ErrorCode::kBadInput,
        "this network supports one kernel, SE on every column (AHGP-SE-ARD); ask for SE, or use the method oneshot",
        {{"method", "oneshot"}});
  }
}

// raw (rows) = head(in), and what the backward pass needs of it.
template <typename T>
const T* RunHead(const MlpLayout& mlp, const T* weights, int rows, const T* in, Arena& arena, HeadTrace<T>& kept,
                 T** slope) {
  kept.in = in;
  *slope = arena.New<T>(rows);
  kept.slope = *slope;
  return MlpForward(mlp, weights, rows, in, arena, kept.hidden);
}

double MlpFlops(const MlpLayout& mlp, double rows) {
  double flops = 0;
  for (const LinearLayout& layer : mlp.layers) flops += 6 * rows * layer.in * layer.out;
  return flops;
}

}  // namespace

Structure ArdSe(int columns) {
  Structure structure;
  for (int i = 0; i < columns; ++i) {
    structure.columns.push_back(i);
    structure.symbols.push_back({BaseSymbol::kSE});
  }
  return structure;
}

template <typename T>
void ArdForward(const NetworkConfig& config, const NetworkLayout& layout, const T* weights, const T* embedding,
                int columns, double y_scale, const Structure& structure, Arena& arena, Matrix* theta,
                ArdTrace<T>* trace) {
  CheckArdSe(columns, structure);
  const Arena::Mark mark = arena.Here();
  ArdTrace<T> unused;
  ArdTrace<T>& kept = trace != nullptr ? *trace : unused;
  const int d = structure.dimensions(), width = layout.t4.width;
  Resize(*theta, 2 * d + 1);

  T* rows = arena.New<T>(static_cast<std::size_t>(d) * width);
  T* mean = arena.New<T>(width);
  std::fill(mean, mean + width, T(0));
  for (int i = 0; i < d; ++i) {
    const T* h = embedding + static_cast<std::size_t>(structure.columns[i]) * width;
    std::copy_n(h, width, rows + static_cast<std::size_t>(i) * width);
    for (int c = 0; c < width; ++c) mean[c] += h[c] / static_cast<T>(d);
  }
  T* slope = nullptr;
  const T* raw = RunHead<T>(layout.lengthscale, weights, d, rows, arena, kept.lengthscale, &slope);
  for (int i = 0; i < d; ++i) {
    const Output output = TransformParameter(config.output, ParameterKind::kLengthscale,
                                             PriorCentre(ParameterKind::kLengthscale), raw[i]);
    (*theta)(RowOf(ParameterKind::kLengthscale, i), 0) = output.log_value;
    slope[i] = static_cast<T>(output.slope);
  }
  // Scale-equivariant targets have unit root mean square: s is centred at 1.
  const double log_scale = 2 * std::log(y_scale);
  raw = RunHead<T>(layout.scale, weights, 1, mean, arena, kept.scale, &slope);
  const double centre = config.scale_equivariant ? 0 : PriorCentre(ParameterKind::kVariance);
  Output output = TransformParameter(config.output, ParameterKind::kVariance, centre, raw[0]);
  slope[0] = static_cast<T>(output.slope);
  for (int i = 0; i < d; ++i) {
    (*theta)(RowOf(ParameterKind::kVariance, i), 0) = (output.log_value + log_scale) / d;
  }
  raw = RunHead<T>(layout.noise, weights, 1, mean, arena, kept.noise, &slope);
  output = TransformNoise(config.output, config.noise_floor, raw[0]);
  slope[0] = static_cast<T>(output.slope);
  (*theta)(2 * d, 0) = output.log_value + log_scale;
  if (trace == nullptr) arena.Rewind(mark);
}

template <typename T>
void ArdBackward(const NetworkLayout& layout, const T* weights, int columns, const Structure& structure,
                 const ArdTrace<T>& trace, const Matrix& dtheta, T* dembedding, Arena& arena, T* gradient) {
  const Arena::Mark mark = arena.Here();
  const int d = structure.dimensions(), width = layout.t4.width;
  std::fill(dembedding, dembedding + static_cast<std::size_t>(columns) * width, T(0));

  T* draw = arena.New<T>(d);
  T* drows = arena.New<T>(static_cast<std::size_t>(d) * width);
  for (int i = 0; i < d; ++i) {
    draw[i] = static_cast<T>(dtheta(RowOf(ParameterKind::kLengthscale, i), 0)) * trace.lengthscale.slope[i];
  }
  MlpBackward(layout.lengthscale, weights, d, trace.lengthscale.in, trace.lengthscale.hidden, draw, drows, arena,
              gradient);
  // variance_i = s^(1/d) for all i; the mean feeds both remaining heads.
  double dscale = 0;
  for (int i = 0; i < d; ++i) dscale += dtheta(RowOf(ParameterKind::kVariance, i), 0) / d;
  T* dmean = arena.New<T>(2 * static_cast<std::size_t>(width));
  draw[0] = static_cast<T>(dscale) * trace.scale.slope[0];
  MlpBackward(layout.scale, weights, 1, trace.scale.in, trace.scale.hidden, draw, dmean, arena, gradient);
  draw[0] = static_cast<T>(dtheta(2 * d, 0)) * trace.noise.slope[0];
  MlpBackward(layout.noise, weights, 1, trace.noise.in, trace.noise.hidden, draw, dmean + width, arena, gradient);
  for (int i = 0; i < d; ++i) {
    T* out = dembedding + static_cast<std::size_t>(structure.columns[i]) * width;
    for (int c = 0; c < width; ++c) {
      out[c] += drows[static_cast<std::size_t>(i) * width + c] + (dmean[c] + dmean[width + c]) / static_cast<T>(d);
    }
  }
  arena.Rewind(mark);
}

double ArdFlops(const NetworkLayout& layout, int columns) {
  return MlpFlops(layout.lengthscale, columns) + MlpFlops(layout.scale, 1) + MlpFlops(layout.noise, 1);
}

template void ArdForward(const NetworkConfig&, const NetworkLayout&, const float*, const float*, int, double,
                         const Structure&, Arena&, Matrix*, ArdTrace<float>*);
template void ArdForward(const NetworkConfig&, const NetworkLayout&, const double*, const double*, int, double,
                         const Structure&, Arena&, Matrix*, ArdTrace<double>*);
template void ArdBackward(const NetworkLayout&, const float*, int, const Structure&, const ArdTrace<float>&,
                          const Matrix&, float*, Arena&, float*);
template void ArdBackward(const NetworkLayout&, const double*, int, const Structure&, const ArdTrace<double>&,
                          const Matrix&, double*, Arena&, double*);

}  // namespace instantgp
