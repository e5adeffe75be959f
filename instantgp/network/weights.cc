#include "instantgp/network/weights.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "instantgp/base/check.h"
#include "instantgp/base/error.h"
#include "instantgp/base/file.h"
#include "instantgp/base/safetensors.h"
#include "instantgp/network/layout.h"

namespace instantgp {
namespace {

constexpr std::string_view kFormat = "instantgp-weights";

[[noreturn]] void Bad(const std::string& origin, const std::string& message) {
  throw Error(ErrorCode::kBadInput, origin + ": " + message);
}

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

std::string TrainedRange(const NetworkConfig& config) {
  return nlohmann::ordered_json{{"max_n", config.trained_max_n}, {"max_d", config.trained_max_d}}.dump();
}

const std::string& Metadata(const TensorFile& file, const std::string& key, const std::string& origin) {
  const auto found = file.metadata.find(key);
  if (found == file.metadata.end())
    Bad(origin, "the metadata lack \"" + key + "\"; this is not an InstantGP weights file");
  return found->second;
}

std::int64_t Integer(const TensorFile& file, const std::string& key, const std::string& origin) {
  const std::string& text = Metadata(file, key, origin);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    Bad(origin, "the metadata hold \"" + text.substr(0, 40) + "\" under \"" + key + "\", not a count");
  }
  return value;
}

std::map<std::string, double> Figures(const std::string& text, const std::string& origin) {
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) Bad(origin, "the metadata under \"validation\" are not a JSON object");
  std::map<std::string, double> figures;
  for (const auto& [name, value] : json.items()) {
    if (!value.is_number()) Bad(origin, "the validation figure \"" + name + "\" is not a number");
    figures[name] = value.get<double>();
  }
  return figures;
}

void CheckFormat(const TensorFile& file, const std::string& origin) {
  if (Metadata(file, "format", origin) != kFormat) {
    Bad(origin, "the format is \"" + Metadata(file, "format", origin).substr(0, 40) + "\", not \"" +
                    std::string(kFormat) + "\"; this is not a weights file");
  }
  const std::int64_t version = Integer(file, "format_version", origin);
  if (version != kWeightsFormatVersion) {
    Bad(origin, "weights format version " + std::to_string(version) + "; this program reads version " +
                    std::to_string(kWeightsFormatVersion) + ". Use a newer InstantGP or another file");
  }
}

}  // namespace

std::string SerializeWeights(const NetworkWeights& weights) {
  const NetworkLayout layout = MakeLayout(weights.config);
  INSTANTGP_CHECK(weights.values.size() == layout.num_weights);
  TensorFile file;
  file.metadata["format"] = kFormat;
  file.metadata["format_version"] = std::to_string(kWeightsFormatVersion);
  file.metadata["config"] = ToJson(weights.config);
  file.metadata["symbols"] = Joined(weights.config.symbols);
  file.metadata["trained_range"] = TrainedRange(weights.config);
  file.metadata["datasets_seen"] = std::to_string(weights.datasets_seen);
  file.metadata["validation"] = nlohmann::json(weights.validation).dump();
  for (const WeightTensor& tensor : layout.tensors) {
    file.tensors[tensor.name] = MakeTensor(weights.values.data() + tensor.offset, {tensor.rows, tensor.cols});
  }
  return SerializeTensors(file);
}

NetworkWeights ParseWeights(std::string_view bytes, const std::string& origin) {
  const TensorFile file = ParseTensors(bytes, origin);
  CheckFormat(file, origin);
  NetworkWeights weights;
  weights.config = ParseNetworkConfig(Metadata(file, "config", origin), origin);
  weights.datasets_seen = Integer(file, "datasets_seen", origin);
  weights.validation = Figures(Metadata(file, "validation", origin), origin);
  if (Metadata(file, "symbols", origin) != Joined(weights.config.symbols) ||
      Metadata(file, "trained_range", origin) != TrainedRange(weights.config)) {
    Bad(origin, "the metadata under \"symbols\" or \"trained_range\" contradict the configuration");
  }

  const NetworkLayout layout = MakeLayout(weights.config);
  if (file.tensors.size() != layout.tensors.size()) {
    Bad(origin, "the configuration needs " + std::to_string(layout.tensors.size()) + " tensors, the file holds " +
                    std::to_string(file.tensors.size()));
  }
  for (const WeightTensor& tensor : layout.tensors) {
    const auto found = file.tensors.find(tensor.name);
    if (found == file.tensors.end()) Bad(origin, "the tensor \"" + tensor.name + "\" of the configuration is missing");
    if (found->second.shape != std::vector<std::int64_t>{tensor.rows, tensor.cols}) {
      Bad(origin, "the tensor \"" + tensor.name + "\" must have the shape (" + std::to_string(tensor.rows) + ", " +
                      std::to_string(tensor.cols) + ") to fit the configuration");
    }
  }
  // Only now, with every shape known to exist in the file, is memory of the configuration's size asked for.
  weights.values.resize(layout.num_weights);
  for (const WeightTensor& tensor : layout.tensors) {
    const std::vector<float> values = TensorAsFloats(file, tensor.name);
    if (!std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); })) {
      Bad(origin, "the tensor \"" + tensor.name + "\" holds a value that is not finite");
    }
    std::copy(values.begin(), values.end(), weights.values.begin() + static_cast<std::ptrdiff_t>(tensor.offset));
  }
  return weights;
}

void SaveWeights(const std::string& path, const NetworkWeights& weights) {
  WriteFileAtomically(path, SerializeWeights(weights));
}

NetworkWeights LoadWeights(const std::string& path) { return ParseWeights(ReadFile(path), path); }

}  // namespace instantgp
