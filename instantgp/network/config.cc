#include "instantgp/network/config.h"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "instantgp/base/error.h"
#include "instantgp/kernel/symbol.h"

namespace instantgp {
namespace {

using Json = nlohmann::json;

[[noreturn]] void Bad(const std::string& message) { throw Error(ErrorCode::kBadInput, message); }

[[noreturn]] void BadKey(const std::string& key, const std::string& reason) {
  Bad("network configuration: \"" + key + "\" " + reason);
}

template <typename Enum>
using Names = std::array<std::pair<Enum, std::string_view>, 2>;
constexpr Names<NormPlacement> kNormNames = {{{NormPlacement::kPre, "pre"}, {NormPlacement::kPost, "post"}}};
constexpr Names<Activation> kActivationNames = {{{Activation::kGelu, "gelu"}, {Activation::kRelu, "relu"}}};
constexpr Names<OutputTransform> kOutputNames = {
    {{OutputTransform::kSoftplus, "softplus"}, {OutputTransform::kLog, "log"}}};

constexpr Names<NetworkFamily> kFamilyNames = {
    {{NetworkFamily::kStructured, "structured"}, {NetworkFamily::kAhgp, "ahgp"}}};

const Names<NormPlacement>& NamesOf(NormPlacement) { return kNormNames; }
const Names<Activation>& NamesOf(Activation) { return kActivationNames; }
const Names<OutputTransform>& NamesOf(OutputTransform) { return kOutputNames; }
const Names<NetworkFamily>& NamesOf(NetworkFamily) { return kFamilyNames; }

// One visitor names every key; reading and writing both walk it, so neither can forget one.
template <typename Config, typename Visitor>
void VisitFields(Config& c, Visitor&& visit) {
  visit("name", c.name);
  visit("family", c.family);
  visit("t1", c.t1);
  visit("t2", c.t2);
  visit("t3", c.t3);
  visit("t4", c.t4);
  visit("kernel1", c.kernel1);
  visit("cross", c.cross);
  visit("kernel2", c.kernel2);
  visit("heads", c.heads);
  visit("norm", c.norm);
  visit("activation", c.activation);
  visit("fourier", c.fourier);
  visit("output", c.output);
  visit("noise_floor", c.noise_floor);
  visit("symbols", c.symbols);
  visit("shared_heads", c.shared_heads);
  visit("symbol_head", c.symbol_head);
  visit("noise_head", c.noise_head);
  visit("scale_equivariant", c.scale_equivariant);
  visit("closed_form_scale", c.closed_form_scale);
  visit("hypotheses", c.hypotheses);
  visit("pair_statistics", c.pair_statistics);
  visit("pair_hidden", c.pair_hidden);
  visit("trained_max_n", c.trained_max_n);
  visit("trained_max_d", c.trained_max_d);
}

// Writes fields into a JSON object, in the order of VisitFields.
struct Writer {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();

  template <typename Value>
  void operator()(const char* key, const Value& value) {
    if constexpr (std::is_same_v<Value, BlockConfig>) {
      json[key] = {{"width", value.width}, {"layers", value.layers}, {"hidden", value.hidden}};
    } else if constexpr (std::is_enum_v<Value>) {
      for (const auto& [option, name] : NamesOf(value)) {
        if (option == value) json[key] = name;
      }
    } else {
      json[key] = value;
    }
  }
};

// Reads fields from a JSON object; a missing key or a wrong type is an Error naming the origin and the key.
struct Reader {
  const Json& json;
  std::string where;  // "FILE: network configuration"
  std::set<std::string> known = {};

  [[noreturn]] void Fail(const std::string& key, const std::string& reason) const {
    Bad(where + ": \"" + key + "\" " + reason);
  }

  static bool Get(const Json& value, int* out) {
    if (!value.is_number_integer()) return false;
    const auto wide = value.get<std::int64_t>();
    if (wide < -1'000'000'000 || wide > 1'000'000'000) return false;
    *out = static_cast<int>(wide);
    return true;
  }
  static bool Get(const Json& value, double* out) {
    if (!value.is_number()) return false;
    *out = value.get<double>();
    return true;
  }
  static bool Get(const Json& value, bool* out) {
    if (!value.is_boolean()) return false;
    *out = value.get<bool>();
    return true;
  }
  static bool Get(const Json& value, std::string* out) {
    if (!value.is_string()) return false;
    *out = value.get<std::string>();
    return true;
  }
  template <typename Element>
  static bool Get(const Json& value, std::vector<Element>* out) {
    if (!value.is_array()) return false;
    out->clear();
    for (const Json& element : value) {
      Element parsed{};
      if (!Get(element, &parsed)) return false;
      out->push_back(parsed);
    }
    return true;
  }
  template <typename Enum>
  requires std::is_enum_v<Enum>
  static bool Get(const Json& value, Enum* out) {
    for (const auto& [option, name] : NamesOf(*out)) {
      if (value.is_string() && value.get<std::string>() == name) {
        *out = option;
        return true;
      }
    }
    return false;
  }

  template <typename Value>
  void operator()(const char* key, Value& value) {
    known.insert(key);
    if constexpr (std::is_same_v<Value, NetworkFamily>) {
      if (!json.contains(key)) return;  // files from the time of one family do not name it
    }
    if (!json.contains(key)) Fail(key, "is missing");
    if constexpr (std::is_same_v<Value, BlockConfig>) {
      if (!json[key].is_object()) Fail(key, "must be an object with \"width\", \"layers\" and \"hidden\"");
      Reader block{json[key], where + ", in \"" + key + "\""};
      block("width", value.width);
      block("layers", value.layers);
      block("hidden", value.hidden);
      block.RefuseUnknown();
    } else if (!Get(json[key], &value)) {
      Fail(key, "has an invalid value: " + json[key].dump().substr(0, 80) + Expected(value));
    }
  }

  template <typename Value>
  static std::string Expected(const Value& value) {
    if constexpr (std::is_enum_v<Value>) {
      const auto& names = NamesOf(value);
      return " (expected \"" + std::string(names[0].second) + "\" or \"" + std::string(names[1].second) + "\")";
    } else if constexpr (std::is_same_v<Value, bool>) {
      return " (expected true or false)";
    } else if constexpr (std::is_same_v<Value, int>) {
      return " (expected a whole number)";
    } else if constexpr (std::is_same_v<Value, double>) {
      return " (expected a number)";
    } else if constexpr (std::is_same_v<Value, std::string>) {
      return " (expected a string)";
    } else {
      return " (expected a list)";
    }
  }

  void RefuseUnknown() const {
    for (const auto& [key, value] : json.items()) {
      if (!known.contains(key)) Fail(key, "is not a known key");
    }
  }
};

void CheckBlock(const char* key, const BlockConfig& block, int heads) {
  const std::string name = key;
  if (block.width < 1 || block.width > 16384) BadKey(name + ".width", "must be between 1 and 16384");
  if (block.layers < 1 || block.layers > 256) BadKey(name + ".layers", "must be between 1 and 256");
  if (block.hidden < 1 || block.hidden > 65536) BadKey(name + ".hidden", "must be between 1 and 65536");
  if (block.width % heads != 0) BadKey(name + ".width", "must be a multiple of \"heads\" = " + std::to_string(heads));
}

void CheckEqual(const char* key, int width, int expected, const std::string& reason) {
  if (width != expected) BadKey(key, "must be " + std::to_string(expected) + ", " + reason);
}

std::vector<std::string> AllSymbols() {
  std::vector<std::string> names;
  for (const BaseSymbol symbol : kAllBaseSymbols) names.emplace_back(Name(symbol));
  return names;
}

}  // namespace

void NetworkConfig::Validate() const {
  if (heads < 1 || heads > 64) BadKey("heads", "must be between 1 and 64");
  CheckBlock("t1", t1, heads);
  CheckBlock("t4", t4, heads);
  if (family == NetworkFamily::kStructured) {
    CheckBlock("t2", t2, heads);
    CheckBlock("t3", t3, heads);
    CheckBlock("kernel1", kernel1, heads);
    CheckBlock("cross", cross, heads);
    CheckBlock("kernel2", kernel2, heads);
    CheckEqual("t2.width", t2.width, t1.width, "the width of t1 whose mean over dimensions it reads");
    CheckEqual("t3.width", t3.width, t1.width + t2.width, "the widths of t1 and t2 whose outputs it reads together");
    CheckEqual("t4.width", t4.width, t3.width, "the width of t3 whose mean over points it reads");
    CheckEqual("cross.width", cross.width, kernel1.width, "the width of kernel1 whose mean over symbols it reads");
    CheckEqual("kernel2.width", kernel2.width, kernel1.width, "the width of kernel1 whose tokens it continues");
  } else {
    for (const auto& [key, block] :
         {std::pair{"t2", t2}, {"t3", t3}, {"kernel1", kernel1}, {"cross", cross}, {"kernel2", kernel2}}) {
      if (block != BlockConfig{}) BadKey(key, "must be empty (width, layers and hidden 0) in the ahgp family");
    }
    CheckEqual("t4.width", t4.width, t1.width, "the width of t1 whose mean over points it reads");
    CheckEqual("hypotheses", hypotheses, 1, "as the ahgp family decodes a single parameter set");
  }
  for (double f : fourier) {
    if (!std::isfinite(f) || f <= 0 || f > 1e6) BadKey("fourier", "must hold frequencies above 0 and up to 1e6");
  }
  if (!std::isfinite(noise_floor) || noise_floor < 0 || noise_floor > 1) BadKey("noise_floor", "must be in [0, 1]");
  if (output == OutputTransform::kLog && noise_floor <= 0) BadKey("noise_floor", "must be positive");
  if (symbols.empty()) BadKey("symbols", "must name at least one base symbol");
  std::set<std::string> seen;
  const std::vector<std::string> known = AllSymbols();
  for (const std::string& symbol : symbols) {
    if (std::find(known.begin(), known.end(), symbol) == known.end()) {
      std::string list;
      for (const std::string& name : known) list += (list.empty() ? "" : ", ") + name;
      BadKey("symbols", "holds \"" + symbol + "\", which is not a base symbol (" + list + ")");
    }
    if (!seen.insert(symbol).second) BadKey("symbols", "holds \"" + symbol + "\" twice");
  }
  for (const auto& [key, widths] : {std::pair{"symbol_head", &symbol_head}, std::pair{"noise_head", &noise_head}}) {
    if (widths->size() > 8) BadKey(key, "must have at most 8 hidden layers");
    for (int width : *widths) {
      if (width < 1 || width > 65536) BadKey(key, "must hold widths between 1 and 65536");
    }
  }
  if (hypotheses < 1 || hypotheses > 64) BadKey("hypotheses", "must be between 1 and 64");
  if (pair_statistics && (pair_hidden < 1 || pair_hidden > 65536)) BadKey("pair_hidden", "must be between 1 and 65536");
  if (trained_max_n < 1) BadKey("trained_max_n", "must be at least 1");
  if (trained_max_d < 1) BadKey("trained_max_d", "must be at least 1");
}

NetworkConfig NetworkPreset(std::string_view name) {
  NetworkConfig c;
  c.name = name;
  c.symbols = AllSymbols();
  if (name == "paper") {
    c.t1 = c.t2 = {256, 4, 512};
    c.t3 = c.t4 = {512, 4, 512};
    c.kernel1 = c.kernel2 = {512, 3, 1024};
    c.cross = {512, 4, 1024};
    c.norm = NormPlacement::kPost;
    c.activation = Activation::kGelu;
    c.output = OutputTransform::kSoftplus;
    c.noise_floor = 4e-4;
    c.shared_heads = true;
    c.symbol_head = {200};
    c.noise_head = {200, 100};
    c.scale_equivariant = false;
    return c;
  }
  if (name == "base") {
    c.heads = 2;
    c.t1 = c.t2 = {32, 1, 64};
    c.t3 = {64, 2, 128};
    c.t4 = {64, 1, 128};
    c.kernel1 = c.cross = c.kernel2 = {64, 2, 128};
    c.norm = NormPlacement::kPre;
    c.activation = Activation::kRelu;
    c.fourier = {1, 2, 3, 4, 6, 8, 11, 16, 22, 32};
    c.output = OutputTransform::kLog;
    c.noise_floor = 1e-5;
    c.symbol_head = {128};
    c.noise_head = {128};
    c.closed_form_scale = true;
    c.hypotheses = 4;
    c.pair_statistics = true;
    c.trained_max_n = 512;
    return c;
  }
  if (name == "ahgp-se-ard") {
    c.family = NetworkFamily::kAhgp;
    c.heads = 2;
    c.t1 = c.t4 = {64, 3, 128};
    c.norm = NormPlacement::kPre;
    c.activation = Activation::kRelu;
    c.fourier = NetworkPreset("base").fourier;
    c.output = OutputTransform::kLog;
    c.symbol_head = {128, 64};
    c.noise_head = {128, 64};
    c.trained_max_n = 512;
    return c;
  }
  Bad("there is no network preset \"" + std::string(name) +
      "\"; the presets are \"paper\", \"base\" and \"ahgp-se-ard\"");
}

NetworkConfig ParseNetworkConfig(std::string_view text, const std::string& origin) {
  const std::string where = origin + ": network configuration";
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) Bad(where + ": not valid JSON");
  if (!json.is_object()) Bad(where + ": must be a JSON object");
  NetworkConfig config;
  Reader reader{json, where};
  VisitFields(config, reader);
  reader.RefuseUnknown();
  try {
    config.Validate();
  } catch (const Error& error) {
    Bad(origin + ": " + error.what());
  }
  return config;
}

std::string ToJson(const NetworkConfig& config) {
  Writer writer;
  VisitFields(config, writer);
  return writer.json.dump(2);
}

}  // namespace instantgp
