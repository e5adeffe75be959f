// The step network: how far to trust the likelihood of few rows, parameter by parameter.
//
// It reads a row of features per parameter (inference/learned_pull.h says which) and answers two numbers each: how
// strongly steps down the likelihood are pulled back, and where to.
//   h_i = relu(r_i W1 + b1),   m = mean_i h_i,   g_i = relu([h_i, m] W2 + b2),   answer_i = g_i W3 + b3
// Parameters in another order get the same answers in that order, whatever their number. Its weights are a flat buffer
// of the caller's, as those of the large network are; it has about three thousand.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "instantgp/network/layout.h"

namespace instantgp {

inline constexpr int kStepFeatures = 24;
inline constexpr int kStepAnswers = 2;

struct StepWeights {
  int hidden = 0;
  std::vector<float> values;  // in the order of StepTensors(hidden); empty: there is no step network
  std::int64_t datasets_seen = 0;
};

// "steps.0.weight", "steps.0.bias", ...: in offset order, no holes.
std::vector<WeightTensor> StepTensors(int hidden);
std::size_t NumStepWeights(int hidden);

// Random but for the last layer, which is zero: it starts by answering zeros. The same on any machine.
StepWeights FirstStepWeights(int hidden, std::uint64_t seed);

template <typename T>
using StepMatrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// What the backward pass reads.
template <typename T>
struct StepTrace {
  StepMatrix<T> joined;  // (p, 2 hidden): h_i and m side by side
  StepMatrix<T> last;    // (p, hidden): g_i
};

// reading (p, kStepFeatures) -> answers (p, kStepAnswers)
template <typename T>
StepMatrix<T> StepForward(int hidden, const T* weights, const StepMatrix<T>& reading, StepTrace<T>& trace);

// Adds d(loss)/d(weights) to `gradient`, given d(loss)/d(answers).
template <typename T>
void StepBackward(int hidden, const T* weights, const StepMatrix<T>& reading, const StepTrace<T>& trace,
                  const StepMatrix<T>& danswers, T* gradient);

}  // namespace instantgp
