#include "instantgp/network/layout.h"

#include <cmath>
#include <utility>

#include "instantgp/base/check.h"
#include "instantgp/network/ops/outputs.h"
#include "instantgp/network/ops/pair_statistics.h"

namespace instantgp {
namespace {

// Output layers start this much smaller than Xavier, so that every prediction starts near the priors' centre.
constexpr double kOutputShrink = 0.1;

class Builder {
 public:
  explicit Builder(NetworkLayout* layout) : layout_(*layout) {}

  std::size_t Add(const std::string& name, int rows, int cols, WeightStart start) {
    const std::size_t offset = layout_.num_weights;
    layout_.tensors.push_back({name, rows, cols, offset});
    layout_.starts.push_back(start);
    layout_.num_weights += static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
    return offset;
  }

  // Xavier-uniform: variance 2 / (fan_in + fan_out).
  static WeightStart Xavier(int fan_in, int fan_out) { return {std::sqrt(6.0 / (fan_in + fan_out))}; }

  LinearLayout Linear(const std::string& name, int in, int out, bool bias) {
    LinearLayout linear{in, out};
    linear.weight = Add(name + ".weight", in, out, Xavier(in, out));
    if (bias) linear.bias = Add(name + ".bias", 1, out, {});
    return linear;
  }

  NormLayout Norm(const std::string& name, int width) {
    NormLayout norm{width};
    norm.gain = Add(name + ".gain", 1, width, {0, {1}});
    norm.bias = Add(name + ".bias", 1, width, {});
    return norm;
  }

  StackLayout Stack(const std::string& name, const NetworkConfig& config, const BlockConfig& block, int context) {
    StackLayout stack;
    stack.width = block.width;
    stack.hidden = block.hidden;
    stack.context = context;
    stack.heads = config.heads;
    stack.norm = config.norm;
    stack.activation = config.activation;
    for (int i = 0; i < block.layers; ++i) {
      const std::string prefix = name + "." + std::to_string(i);
      LayerLayout layer;
      layer.norm1 = Norm(prefix + ".norm1", block.width);
      layer.qkv = Linear(prefix + ".qkv", block.width, 3 * block.width, false);
      layout_.starts.back() = Xavier(block.width, block.width);  // three square matrices side by side
      layer.out = Linear(prefix + ".attention", block.width, block.width, true);
      layer.norm2 = Norm(prefix + ".norm2", block.width);
      layer.mlp1 = Linear(prefix + ".mlp1", block.width + context, block.hidden, true);
      layer.mlp2 = Linear(prefix + ".mlp2", block.hidden, block.width, true);
      stack.layers.push_back(layer);
    }
    if (config.norm == NormPlacement::kPre) stack.final_norm = Norm(name + ".norm", block.width);
    return stack;
  }

  MlpLayout Mlp(const std::string& name, int in, const std::vector<int>& hidden, int out) {
    MlpLayout mlp;
    for (std::size_t i = 0; i <= hidden.size(); ++i) {
      const int width = i < hidden.size() ? hidden[i] : out;
      mlp.layers.push_back(Linear(name + "." + std::to_string(i), in, width, true));
      in = width;
    }
    return mlp;
  }

  // For the layer added last: `raw` are the outputs at which the predictions sit at the priors' centre.
  void StartAt(std::vector<double> raw) {
    layout_.starts[layout_.starts.size() - 2].bound *= kOutputShrink;
    layout_.starts.back().centre = std::move(raw);
  }

 private:
  NetworkLayout& layout_;
};

BaseSymbol SymbolNamed(const std::string& name) {
  for (const BaseSymbol symbol : kAllBaseSymbols) {
    if (Name(symbol) == name) return symbol;
  }
  INSTANTGP_CHECK(!"a validated configuration names known symbols");
  return BaseSymbol::kSE;
}

std::string HeadName(const std::vector<Elementary>& factors) {
  std::string name = "head";
  for (Elementary factor : factors) name += "." + std::string(Name(factor));
  return name;
}

std::vector<double> StartOf(const std::vector<Elementary>& factors, OutputTransform transform) {
  std::vector<double> raw;
  for (Elementary factor : factors) {
    for (ParameterKind kind : ParametersOf(factor)) raw.push_back(RawAtCentre(transform, kind));
  }
  return raw;
}

void AddHeads(const NetworkConfig& config, Builder& builder, NetworkLayout* layout) {
  layout->heads_of.resize(kNumBaseSymbols);
  layout->one_hot.assign(kNumBaseSymbols, -1);
  auto head_for = [&](const std::vector<Elementary>& factors) {
    for (std::size_t i = 0; i < layout->heads.size(); ++i) {
      if (layout->heads[i].factors == factors) return static_cast<int>(i);
    }
    std::vector<double> start = StartOf(factors, config.output);
    HeadLayout head{factors, builder.Mlp(HeadName(factors), config.kernel2.width, config.symbol_head,
                                         static_cast<int>(start.size()))};
    builder.StartAt(std::move(start));
    layout->heads.push_back(std::move(head));
    return static_cast<int>(layout->heads.size()) - 1;
  };
  for (std::size_t row = 0; row < config.symbols.size(); ++row) {
    const BaseSymbol symbol = SymbolNamed(config.symbols[row]);
    const auto factors = FactorsOf(symbol);
    layout->one_hot[Number(symbol)] = static_cast<int>(row);
    if (config.shared_heads) {
      for (Elementary factor : factors) layout->heads_of[Number(symbol)].push_back(head_for({factor}));
    } else {
      layout->heads_of[Number(symbol)].push_back(head_for({factors.begin(), factors.end()}));
    }
  }
}

// What follows t1 in the ahgp family: the dimensions' stack and three heads.
void AddArdSe(const NetworkConfig& config, Builder& builder, NetworkLayout* layout) {
  if (config.pair_statistics) {
    layout->pairs = builder.Mlp("pairs", kNumPairStatistics, {config.pair_hidden}, config.t4.width);
  }
  layout->t4 = builder.Stack("t4", config, config.t4, 0);
  layout->lengthscale = builder.Mlp("lengthscale", config.t4.width, config.symbol_head, 1);
  builder.StartAt({RawAtCentre(config.output, ParameterKind::kLengthscale)});
  layout->scale = builder.Mlp("scale", config.t4.width, config.symbol_head, 1);
  builder.StartAt({RawAtCentre(config.output, ParameterKind::kVariance)});
  layout->noise = builder.Mlp("noise", config.t4.width, config.noise_head, 1);
  builder.StartAt({RawNoiseAtCentre(config.output)});
}

}  // namespace

int NumTokenFeatures(const NetworkConfig& config) { return 2 + 2 * static_cast<int>(config.fourier.size()); }

NetworkLayout MakeLayout(const NetworkConfig& config) {
  config.Validate();
  NetworkLayout layout;
  Builder builder(&layout);
  layout.input = builder.Linear("input", NumTokenFeatures(config), config.t1.width, false);
  layout.t1 = builder.Stack("t1", config, config.t1, 0);
  if (config.family == NetworkFamily::kAhgp) {
    AddArdSe(config, builder, &layout);
    return layout;
  }
  layout.t2 = builder.Stack("t2", config, config.t2, 0);
  layout.t3 = builder.Stack("t3", config, config.t3, 0);
  if (config.pair_statistics) {
    layout.pairs = builder.Mlp("pairs", kNumPairStatistics, {config.pair_hidden}, config.t4.width);
  }
  layout.t4 = builder.Stack("t4", config, config.t4, 0);
  const int dataset = config.t4.width;
  const int width = config.kernel1.width;
  layout.symbols = builder.Linear("symbols", static_cast<int>(config.symbols.size()), width, false);
  if (config.hypotheses > 1) {
    layout.hypothesis = builder.Add("hypotheses", config.hypotheses, width, Builder::Xavier(config.hypotheses, width));
  }
  layout.kernel1 = builder.Stack("kernel1", config, config.kernel1, dataset);
  layout.cross = builder.Stack("cross", config, config.cross, 0);
  layout.kernel2 = builder.Stack("kernel2", config, config.kernel2, dataset + width);
  AddHeads(config, builder, &layout);
  layout.noise = builder.Mlp("noise", dataset + width, config.noise_head, 1);
  builder.StartAt({RawNoiseAtCentre(config.output)});
  return layout;
}

}  // namespace instantgp
