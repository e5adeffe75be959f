// Where each weight of a network lives in the flat buffer.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "instantgp/kernel/symbol.h"
#include "instantgp/network/config.h"

namespace instantgp {

struct WeightTensor {
  std::string name;
  int rows = 0;  // input width (a vector has rows = 1)
  int cols = 0;  // output width
  std::size_t offset = 0;
};

// How a tensor starts: uniform in +-bound around a centre per column (none: 0; one: the same for every column).
struct WeightStart {
  double bound = 0;
  std::vector<double> centre = {};
};

inline constexpr std::size_t kNoWeight = static_cast<std::size_t>(-1);

// y (m, out) = x (m, in) W + b
struct LinearLayout {
  int in = 0, out = 0;
  std::size_t weight = kNoWeight;  // (in, out), row-major
  std::size_t bias = kNoWeight;    // (out), or absent
};

struct NormLayout {
  int width = 0;
  std::size_t gain = kNoWeight;
  std::size_t bias = kNoWeight;
};

// One transformer layer, or one kernel-encoder block when context > 0.
struct LayerLayout {
  NormLayout norm1, norm2;
  LinearLayout qkv;   // (width, 3 width): queries, keys, values side by side; within each, heads side by side
  LinearLayout out;   // (width, width)
  LinearLayout mlp1;  // (width + context, hidden); the context rows come after the token rows
  LinearLayout mlp2;  // (hidden, width)
};

struct StackLayout {
  int width = 0, hidden = 0, context = 0, heads = 0;
  NormPlacement norm = NormPlacement::kPre;
  Activation activation = Activation::kRelu;
  std::vector<LayerLayout> layers;
  NormLayout final_norm;  // pre-LN only
};

// Linear layers with ReLU between them.
struct MlpLayout {
  std::vector<LinearLayout> layers;
  int in() const { return layers.front().in; }
  int out() const { return layers.back().out; }
};

// A head predicts the parameters of `factors` in table order from the embedding of a symbol.
struct HeadLayout {
  std::vector<Elementary> factors;
  MlpLayout mlp;
};

struct NetworkLayout {
  std::vector<WeightTensor> tensors;  // in offset order, no holes
  std::vector<WeightStart> starts;    // one per tensor
  std::size_t num_weights = 0;

  LinearLayout input;  // token features -> t1
  StackLayout t1, t2, t3, t4;
  MlpLayout pairs;                     // pair statistics -> t4; empty when unused
  LinearLayout symbols;                // one-hot -> kernel1
  std::size_t hypothesis = kNoWeight;  // (hypotheses, kernel width), absent when there is one
  StackLayout kernel1, cross, kernel2;
  std::vector<HeadLayout> heads;
  std::vector<std::vector<int>> heads_of;  // per base symbol: its heads in factor order; empty when unknown
  std::vector<int> one_hot;                // per base symbol: its row in `symbols`, or -1
  MlpLayout noise;
  MlpLayout lengthscale, scale;  // ahgp family: per column, and of the mean over columns; else empty
};

int NumTokenFeatures(const NetworkConfig& config);
NetworkLayout MakeLayout(const NetworkConfig& config);

}  // namespace instantgp
