#include "instantgp/training/checkpoint.h"

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "instantgp/base/error.h"
#include "instantgp/base/file.h"
#include "instantgp/base/json_integer.h"
#include "instantgp/base/safetensors.h"
#include "instantgp/network/network.h"

namespace instantgp {
namespace {

constexpr char kFormat[] = "instantgp/checkpoint/1";

std::string CurrentPath(const std::string& folder) { return folder + "/checkpoint.safetensors"; }
std::string PreviousPath(const std::string& folder) { return folder + "/checkpoint.previous.safetensors"; }

// Every number of the state but the arrays: visit(key, field).
template <typename State, typename Visit>
void VisitCounters(State& s, Visit&& visit) {
  visit("step", s.step), visit("datasets", s.datasets), visit("skipped", s.skipped), visit("seconds", s.seconds);
  visit("inherited", s.inherited), visit("legs", s.legs), visit("leg_step", s.leg_step),
      visit("leg_datasets", s.leg_datasets);
  visit("leg_seconds", s.leg_seconds), visit("best_score", s.best_score);
  visit("validated_datasets", s.validated_datasets), visit("validated_seconds", s.validated_seconds);
  visit("window_loss", s.window_loss), visit("window_norm", s.window_norm), visit("window_used", s.window_used);
  visit("window_steps", s.window_steps), visit("window_clipped", s.window_clipped);
  visit("csv_bytes", s.csv_bytes), visit("jsonl_bytes", s.jsonl_bytes);
}

template <typename State, typename Visit>
void VisitArrays(State& s, Visit&& visit) {
  visit("weights", s.weights), visit("average", s.average), visit("moment1", s.moment1), visit("moment2", s.moment2);
}

// The file that is to become the previous one gets a second name first, so that at no moment there is none.
void KeepPrevious(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::exists(CurrentPath(folder), error)) return;
  const std::string temporary = PreviousPath(folder) + ".tmp";
  fs::remove(temporary, error);
  fs::create_hard_link(CurrentPath(folder), temporary, error);
  if (error) return;  // a file system without hard links: the atomic rename below still protects the current one
  fs::rename(temporary, PreviousPath(folder), error);
  if (error) fs::remove(temporary, error);
}

}  // namespace

std::string SerializeCheckpoint(const TrainingConfig& config, const TrainingState& state) {
  nlohmann::json counters = nlohmann::json::object();
  // Infinity is no JSON number: a score that does not exist yet is left out.
  VisitCounters(state, [&](const char* key, const auto& value) {
    if (std::isfinite(static_cast<double>(value))) counters[key] = value;
  });
  TensorViews file;
  file.metadata["format"] = kFormat;
  file.metadata["config"] = ToJson(config);
  file.metadata["state"] = counters.dump();
  VisitArrays(state, [&](const char* key, const std::vector<float>& values) {
    file.tensors[key] = ViewTensor(values.data(), {static_cast<std::int64_t>(values.size())});
  });
  return SerializeTensors(file);
}

Checkpoint ParseCheckpoint(std::string_view bytes, const std::string& origin) {
  const TensorViews file = ViewTensors(bytes, origin);
  const auto text = [&](const char* key) {
    const auto it = file.metadata.find(key);
    if (it == file.metadata.end()) throw Error(ErrorCode::kBadInput, origin + ": no metadata '" + key + "'");
    return it->second;
  };
  if (text("format") != kFormat) {
    throw Error(ErrorCode::kBadInput, origin + ": format '" + text("format") + "' is not '" + kFormat + "'");
  }
  Checkpoint out;
  out.config = ParseTrainingConfig(text("config"), origin);
  try {
    const nlohmann::json counters = nlohmann::json::parse(text("state"));
    VisitCounters(out.state, [&](const char* key, auto& value) {
      if (!counters.contains(key)) return;
      using Number = std::remove_reference_t<decltype(value)>;
      if constexpr (std::is_integral_v<Number>) {
        value = JsonInteger<Number>(counters.at(key));
      } else {
        counters.at(key).get_to(value);
      }
    });
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorCode::kBadInput, origin + ": the counters cannot be read: " + error.what());
  }
  const std::size_t expected = Network<float>(out.config.network).num_weights();
  VisitArrays(out.state, [&](const char* key, std::vector<float>& values) {
    values = TensorAsFloats(file, key);
    if (values.size() != expected) {
      throw Error(ErrorCode::kBadInput, origin + ": '" + key + "' has " + std::to_string(values.size()) +
                                            " entries but the network of its config has " + std::to_string(expected));
    }
  });
  return out;
}

void WriteCheckpoint(const std::string& folder, const TrainingConfig& config, const TrainingState& state) {
  const std::string bytes = SerializeCheckpoint(config, state);
  KeepPrevious(folder);
  WriteFileAtomically(CurrentPath(folder), bytes);
}

bool HasCheckpoint(const std::string& folder) {
  std::error_code error;
  return std::filesystem::exists(CurrentPath(folder), error);
}

Checkpoint ReadCheckpoint(const std::string& folder) {
  const std::string path = CurrentPath(folder);
  if (!HasCheckpoint(folder)) {
    throw Error(ErrorCode::kBadInput, "there is no checkpoint to resume from in '" + folder + "'");
  }
  try {
    return ParseCheckpoint(ReadFile(path), path);
  } catch (const Error& error) {
    std::error_code ignored;
    const bool has_previous = std::filesystem::exists(PreviousPath(folder), ignored);
    throw Error(error.code(), std::string("the checkpoint cannot be used: ") + error.what() +
                                  (has_previous ? "; the one before is '" + PreviousPath(folder) +
                                                      "': copy it over 'checkpoint.safetensors' to continue from there"
                                                : ""));
  }
}

}  // namespace instantgp
