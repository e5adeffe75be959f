#include "instantgp/network/step_network.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "instantgp/base/check.h"
#include "instantgp/base/resize.h"
#include "instantgp/base/rng.h"

namespace instantgp {
namespace {

struct StepLayer {
  int in, out;
  std::size_t weight, bias;
};

std::array<StepLayer, 3> StepLayers(int hidden) {
  const std::array<std::array<int, 2>, 3> sizes = {
      {{kStepFeatures, hidden}, {2 * hidden, hidden}, {hidden, kStepAnswers}}};
  std::array<StepLayer, 3> layers;
  std::size_t offset = 0;
  for (std::size_t k = 0; k < layers.size(); ++k) {
    const auto [in, out] = sizes[k];
    const std::size_t bias = offset + static_cast<std::size_t>(in) * out;
    layers[k] = {in, out, offset, bias};
    offset = bias + static_cast<std::size_t>(out);
  }
  return layers;
}

template <typename T>
using WeightMap = Eigen::Map<const StepMatrix<T>>;

template <typename T>
StepMatrix<T> Affine(const StepLayer& layer, const T* weights, const StepMatrix<T>& x) {
  const WeightMap<T> W(weights + layer.weight, layer.in, layer.out), b(weights + layer.bias, 1, layer.out);
  StepMatrix<T> y = x * W;
  y.rowwise() += b.row(0);
  return y;
}

// dW += x^T dy, db += sum of dy; returns dx.
template <typename T>
StepMatrix<T> AffineBackward(const StepLayer& layer, const T* weights, const StepMatrix<T>& x, const StepMatrix<T>& dy,
                             T* gradient) {
  Eigen::Map<StepMatrix<T>> dW(gradient + layer.weight, layer.in, layer.out), db(gradient + layer.bias, 1, layer.out);
  dW += x.transpose() * dy;
  db += dy.colwise().sum();
  return dy * WeightMap<T>(weights + layer.weight, layer.in, layer.out).transpose();
}

}  // namespace

std::vector<WeightTensor> StepTensors(int hidden) {
  std::vector<WeightTensor> tensors;
  int number = 0;
  for (const StepLayer& layer : StepLayers(hidden)) {
    const std::string name = "steps." + std::to_string(number++);
    tensors.push_back({name + ".weight", layer.in, layer.out, layer.weight});
    tensors.push_back({name + ".bias", 1, layer.out, layer.bias});
  }
  return tensors;
}

std::size_t NumStepWeights(int hidden) {
  const StepLayer last = StepLayers(hidden).back();
  return last.bias + static_cast<std::size_t>(last.out);
}

StepWeights FirstStepWeights(int hidden, std::uint64_t seed) {
  StepWeights weights{hidden, std::vector<float>(NumStepWeights(hidden), 0.0f), 0};
  RandomStream random(seed);
  const std::array<StepLayer, 3> layers = StepLayers(hidden);
  for (std::size_t k = 0; k + 1 < layers.size(); ++k) {
    const double std = std::sqrt(2.0 / layers[k].in);
    for (std::size_t i = layers[k].weight; i < layers[k].bias; ++i) {
      weights.values[i] = static_cast<float>(std * random.Normal());
    }
  }
  return weights;
}

template <typename T>
StepMatrix<T> StepForward(int hidden, const T* weights, const StepMatrix<T>& reading, StepTrace<T>& trace) {
  INSTANTGP_CHECK(reading.cols() == kStepFeatures && reading.rows() > 0);
  const std::array<StepLayer, 3> layers = StepLayers(hidden);
  Resize(trace.joined, reading.rows(), 2 * hidden);
  trace.joined.leftCols(hidden) = Affine(layers[0], weights, reading).cwiseMax(T(0));
  const StepMatrix<T> mean = trace.joined.leftCols(hidden).colwise().mean();
  trace.joined.rightCols(hidden) = mean.replicate(reading.rows(), 1);
  trace.last = Affine(layers[1], weights, trace.joined).cwiseMax(T(0));
  return Affine(layers[2], weights, trace.last);
}

template <typename T>
void StepBackward(int hidden, const T* weights, const StepMatrix<T>& reading, const StepTrace<T>& trace,
                  const StepMatrix<T>& danswers, T* gradient) {
  const std::array<StepLayer, 3> layers = StepLayers(hidden);
  StepMatrix<T> dlast = AffineBackward(layers[2], weights, trace.last, danswers, gradient);
  dlast = (trace.last.array() > 0).select(dlast, T(0));
  const StepMatrix<T> djoined = AffineBackward(layers[1], weights, trace.joined, dlast, gradient);
  // m = mean_i h_i: every h_i gets its share of the derivative by m of all rows.
  const StepMatrix<T> dmean = djoined.rightCols(hidden).colwise().mean();
  StepMatrix<T> dhidden = djoined.leftCols(hidden) + dmean.replicate(reading.rows(), 1);
  dhidden = (trace.joined.leftCols(hidden).array() > 0).select(dhidden, T(0));
  AffineBackward(layers[0], weights, reading, dhidden, gradient);
}

template StepMatrix<float> StepForward(int, const float*, const StepMatrix<float>&, StepTrace<float>&);
template StepMatrix<double> StepForward(int, const double*, const StepMatrix<double>&, StepTrace<double>&);
template void StepBackward(int, const float*, const StepMatrix<float>&, const StepTrace<float>&,
                           const StepMatrix<float>&, float*);
template void StepBackward(int, const double*, const StepMatrix<double>&, const StepTrace<double>&,
                           const StepMatrix<double>&, double*);

}  // namespace instantgp
