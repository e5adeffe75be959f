// The architecture as data: every setting of the network, read from and written to JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace instantgp {

// `layers` transformer layers of the given width with an MLP of `hidden` units.
struct BlockConfig {
  int width = 0;
  int layers = 0;
  int hidden = 0;
  friend bool operator==(const BlockConfig&, const BlockConfig&) = default;
};

enum class NormPlacement { kPre, kPost };        // pre: with a final norm after each stack
enum class Activation { kGelu, kRelu };          // exact (erf) GELU
enum class OutputTransform { kSoftplus, kLog };  // paper: softplus, a scale is a std and squared; base: log-space

// structured: one network for every structure. ahgp: AHGP-SE-ARD, the AHGP baseline that knows one kernel, SE on every
// column.
enum class NetworkFamily { kStructured, kAhgp };

struct NetworkConfig {
  std::string name;
  NetworkFamily family = NetworkFamily::kStructured;
  // The ahgp family uses t1 (points within a dimension) and t4 (dimensions) only; the other blocks are empty.
  BlockConfig t1, t2, t3, t4;           // dataset encoder: in-dimension, across points, in-dimension, across dimensions
  BlockConfig kernel1, cross, kernel2;  // kernel encoder-decoder
  int heads = 4;
  NormPlacement norm = NormPlacement::kPre;
  Activation activation = Activation::kGelu;
  std::vector<double> fourier;  // frequencies f of the token features sin(pi f x), cos(pi f x); empty: (x, y)
  OutputTransform output = OutputTransform::kLog;
  double noise_floor = 1e-5;
  std::vector<std::string> symbols;  // base symbols the network knows, in one-hot order; ahgp: those of its data
  bool shared_heads = false;         // four elementary heads shared by product symbols, or one head per symbol
  std::vector<int> symbol_head;      // hidden widths of a symbol head
  std::vector<int> noise_head;       // hidden widths of the noise head
  bool scale_equivariant = true;     // y divided by its root mean square inside, variances multiplied back
  // The overall scale of kernel and noise is not read from the heads but set to its optimum given all other parameters
  // (gp/marginal_likelihood.h), in training as in use.
  bool closed_form_scale = false;
  int hypotheses = 1;  // parameter sets decoded per structure
  bool pair_statistics = false;
  int pair_hidden = 64;  // width of the MLP that reads them
  int trained_max_n = 250;
  int trained_max_d = 8;

  // Throws Error(kBadInput) naming the key: widths that heads do not divide, widths that do not chain, unknown symbols,
  // ...
  void Validate() const;
  friend bool operator==(const NetworkConfig&, const NetworkConfig&) = default;
};

// Presets "paper", "base" and "ahgp-se-ard"; any other name throws Error(kBadInput) with the list.
NetworkConfig NetworkPreset(std::string_view name);

// Unknown, missing or ill-typed keys are Error(kBadInput). `origin` names the source in messages.
NetworkConfig ParseNetworkConfig(std::string_view json, const std::string& origin);
std::string ToJson(const NetworkConfig& config);

}  // namespace instantgp
