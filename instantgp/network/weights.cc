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

const std::string& Metadata(const TensorViews& file, const std::string& key, const std::string& origin) {
  const auto found = file.metadata.find(key);
  if (found == file.metadata.end())
    Bad(origin, "the metadata lack \"" + key + "\"; this is not an InstantGP weights file");
  return found->second;
}

std::int64_t Integer(const TensorViews& file, const std::string& key, const std::string& origin) {
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

void CheckFormat(const TensorViews& file, const std::string& origin) {
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

void AddTensors(const std::vector<WeightTensor>& tensors, const std::vector<float>& values, TensorViews& file) {
  for (const WeightTensor& tensor : tensors) {
    file.tensors[tensor.name] = ViewTensor(values.data() + tensor.offset, {tensor.rows, tensor.cols});
  }
}

void CheckTensors(const std::vector<WeightTensor>& tensors, const TensorViews& file, const std::string& origin) {
  for (const WeightTensor& tensor : tensors) {
    const auto found = file.tensors.find(tensor.name);
    if (found == file.tensors.end()) Bad(origin, "the tensor \"" + tensor.name + "\" of the configuration is missing");
    if (found->second.shape != std::vector<std::int64_t>{tensor.rows, tensor.cols}) {
      Bad(origin, "the tensor \"" + tensor.name + "\" must have the shape (" + std::to_string(tensor.rows) + ", " +
                      std::to_string(tensor.cols) + ") to fit the configuration");
    }
  }
}

// After CheckTensors, so that memory of the configuration's size is asked for only when the file holds as much.
std::vector<float> ReadTensors(const std::vector<WeightTensor>& tensors, std::size_t count, const TensorViews& file,
                               const std::string& origin) {
  std::vector<float> values(count);
  for (const WeightTensor& tensor : tensors) {
    const std::vector<float> own = TensorAsFloats(file, tensor.name);
    if (!std::all_of(own.begin(), own.end(), [](float v) { return std::isfinite(v); })) {
      Bad(origin, "the tensor \"" + tensor.name + "\" holds a value that is not finite");
    }
    std::copy(own.begin(), own.end(), values.begin() + static_cast<std::ptrdiff_t>(tensor.offset));
  }
  return values;
}

constexpr int kMostStepUnits = 4096;

// The step network's size and history, without its weights; hidden = 0: the file has none.
StepWeights StepShapeOf(const TensorViews& file, const std::string& origin) {
  const auto found = file.metadata.find("steps");
  if (found == file.metadata.end()) return {};
  const auto json = nlohmann::json::parse(found->second, nullptr, /*allow_exceptions=*/false);
  const auto count = [&](const char* key, std::int64_t most) {
    if (!json.is_object() || !json.contains(key) || !json[key].is_number_integer()) {
      Bad(origin, "the metadata under \"steps\" lack the number \"" + std::string(key) + "\"");
    }
    const auto value = json[key].get<std::int64_t>();
    if (value < 0 || value > most) Bad(origin, "\"" + std::string(key) + "\" under \"steps\" is out of range");
    return value;
  };
  if (count("features", kMostStepUnits) != kStepFeatures) {
    Bad(origin, "the step network reads " + std::to_string(count("features", kMostStepUnits)) +
                    " features, this program has " + std::to_string(kStepFeatures) + "; train its steps anew");
  }
  StepWeights steps;
  steps.hidden = static_cast<int>(count("hidden", kMostStepUnits));
  if (steps.hidden == 0) Bad(origin, "\"hidden\" under \"steps\" is out of range");
  steps.datasets_seen = count("datasets_seen", std::int64_t{1} << 53);
  return steps;
}

}  // namespace

std::string SerializeWeights(const NetworkWeights& weights) {
  const NetworkLayout layout = MakeLayout(weights.config);
  INSTANTGP_CHECK(weights.values.size() == layout.num_weights);
  TensorViews file;
  file.metadata["format"] = kFormat;
  file.metadata["format_version"] = std::to_string(kWeightsFormatVersion);
  file.metadata["config"] = ToJson(weights.config);
  file.metadata["symbols"] = Joined(weights.config.symbols);
  file.metadata["trained_range"] = TrainedRange(weights.config);
  file.metadata["datasets_seen"] = std::to_string(weights.datasets_seen);
  file.metadata["validation"] = nlohmann::json(weights.validation).dump();
  AddTensors(layout.tensors, weights.values, file);
  if (!weights.steps.values.empty()) {
    INSTANTGP_CHECK(weights.steps.values.size() == NumStepWeights(weights.steps.hidden));
    file.metadata["steps"] = nlohmann::ordered_json{{"hidden", weights.steps.hidden},
                                                    {"features", kStepFeatures},
                                                    {"datasets_seen", weights.steps.datasets_seen}}
                                 .dump();
    AddTensors(StepTensors(weights.steps.hidden), weights.steps.values, file);
  }
  return SerializeTensors(file);
}

NetworkWeights ParseWeights(std::string_view bytes, const std::string& origin) {
  const TensorViews file = ViewTensors(bytes, origin);
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
  weights.steps = StepShapeOf(file, origin);
  const bool with_steps = weights.steps.hidden > 0;
  const std::vector<WeightTensor> step_tensors =
      with_steps ? StepTensors(weights.steps.hidden) : std::vector<WeightTensor>{};
  const std::size_t needed = layout.tensors.size() + step_tensors.size();
  if (file.tensors.size() != needed) {
    Bad(origin, "the configuration needs " + std::to_string(needed) + " tensors, the file holds " +
                    std::to_string(file.tensors.size()));
  }
  CheckTensors(layout.tensors, file, origin);
  CheckTensors(step_tensors, file, origin);
  weights.values = ReadTensors(layout.tensors, layout.num_weights, file, origin);
  if (with_steps) {
    weights.steps.values = ReadTensors(step_tensors, NumStepWeights(weights.steps.hidden), file, origin);
  }
  return weights;
}

void SaveWeights(const std::string& path, const NetworkWeights& weights) {
  WriteFileAtomically(path, SerializeWeights(weights));
}

NetworkWeights LoadWeights(const std::string& path) { return ParseWeights(ReadFile(path), path); }

}  // namespace instantgp
