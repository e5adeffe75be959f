// The JSON form of the training settings.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <type_traits>
#include <utility>

#include "instantgp/base/error.h"
#include "instantgp/training/config.h"

namespace instantgp {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kOptimizers = {std::pair{"radam", OptimizerKind::kRAdam},
                                    std::pair{"adamw", OptimizerKind::kAdamW}};
constexpr std::array kSchedules = {std::pair{"constant", ScheduleKind::kConstant},
                                   std::pair{"cosine", ScheduleKind::kCosine},
                                   std::pair{"restart", ScheduleKind::kRestart}};

[[noreturn]] void Fail(const std::string& origin, const std::string& message) {
  throw Error(ErrorCode::kBadInput, origin + ": " + message);
}

// Reads the keys of one object; Finish() refuses those nobody asked for.
class Fields {
 public:
  Fields(const Json& object, std::string path, const std::string& origin)
      : object_(object), path_(std::move(path)), origin_(origin) {
    if (!object.is_object()) Fail(origin_, (path_.empty() ? "the document" : "'" + path_ + "'") + " must be an object");
  }

  // The value of a key or null when it is absent.
  const Json* Find(const std::string& key) {
    known_.insert(key);
    const auto it = object_.find(key);
    return it == object_.end() ? nullptr : &*it;
  }
  std::string Path(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }
  const std::string& origin() const { return origin_; }

  void Read(const std::string& key, double& value) {
    if (const Json* json = Find(key)) {
      if (!json->is_number()) Fail(origin_, "'" + Path(key) + "' must be a number");
      value = json->get<double>();
    }
  }
  template <typename Integer>
  void ReadInteger(const std::string& key, Integer& value) {
    if (const Json* json = Find(key)) {
      // 1e6 is a convenient way to write an integer.
      const bool whole = json->is_number_float() && std::abs(json->get<double>()) < 9e15 &&
                         json->get<double>() == std::floor(json->get<double>());
      if (!json->is_number_integer() && !whole) Fail(origin_, "'" + Path(key) + "' must be an integer");
      const auto number = whole ? static_cast<std::int64_t>(json->get<double>()) : json->get<std::int64_t>();
      if (std::cmp_less(number, std::numeric_limits<Integer>::min()) ||
          std::cmp_greater(number, std::numeric_limits<Integer>::max())) {
        Fail(origin_, "'" + Path(key) + "' is out of range");
      }
      value = static_cast<Integer>(number);
    }
  }
  void Read(const std::string& key, int& value) { ReadInteger(key, value); }
  void Read(const std::string& key, std::int64_t& value) { ReadInteger(key, value); }
  void Read(const std::string& key, std::uint64_t& value) { ReadInteger(key, value); }
  void Read(const std::string& key, bool& value) {
    if (const Json* json = Find(key)) {
      if (!json->is_boolean()) Fail(origin_, "'" + Path(key) + "' must be true or false");
      value = json->get<bool>();
    }
  }
  void Read(const std::string& key, std::string& value) {
    if (const Json* json = Find(key)) {
      if (!json->is_string()) Fail(origin_, "'" + Path(key) + "' must be a string");
      value = json->get<std::string>();
    }
  }
  template <typename Enum, std::size_t N>
  void Read(const std::string& key, const std::array<std::pair<const char*, Enum>, N>& names, Enum& value) {
    std::string text;
    Read(key, text);
    if (!Find(key)) return;
    std::string all;
    for (const auto& [name, candidate] : names) {
      if (text == name) {
        value = candidate;
        return;
      }
      all += (all.empty() ? "" : ", ") + std::string(name);
    }
    Fail(origin_, "'" + Path(key) + "' is '" + text + "'; it must be one of " + all);
  }

  void Finish() const {
    for (const auto& [key, value] : object_.items()) {
      if (known_.contains(key)) continue;
      std::string all;
      for (const std::string& name : known_) all += (all.empty() ? "" : ", ") + name;
      Fail(origin_, "unknown key '" + Path(key) + "'; known here: " + all);
    }
  }

 private:
  const Json& object_;
  std::string path_;
  const std::string& origin_;
  std::set<std::string> known_;
};

template <typename Enum, std::size_t N>
std::string NameOf(const std::array<std::pair<const char*, Enum>, N>& names, Enum value) {
  return std::find_if(names.begin(), names.end(), [&](const auto& pair) { return pair.second == value; })->first;
}

NetworkConfig ReadNetwork(const Json& json, const std::string& origin) {
  if (json.is_string()) return NetworkPreset(json.get<std::string>());
  if (!json.is_object()) Fail(origin, "'network' must be the name of a preset or an object");
  Json full = json;
  if (json.contains("preset")) {
    if (!json["preset"].is_string()) Fail(origin, "'network.preset' must be a string");
    full = Json::parse(ToJson(NetworkPreset(json["preset"].get<std::string>())));
    for (const auto& [key, value] : json.items()) {
      if (key != "preset") full[key] = value;
    }
  }
  return ParseNetworkConfig(full.dump(), origin + ", network");
}

// One list of keys per object serves reading, writing and overrides: `visit(key, field)`.
template <typename Visit>
void Visitor(OptimizerConfig& c, Visit&& visit) {
  visit("beta1", c.beta1), visit("beta2", c.beta2), visit("epsilon", c.epsilon), visit("weight_decay", c.weight_decay);
  visit("clip_norm", c.clip_norm), visit("averaging", c.averaging);
}
template <typename Visit>
void Visitor(ScheduleConfig& c, Visit&& visit) {
  visit("peak", c.peak), visit("warmup_steps", c.warmup_steps), visit("final_fraction", c.final_fraction);
  visit("cycles", c.cycles), visit("cycle_growth", c.cycle_growth);
}
template <typename Visit>
void Visitor(LossConfig& c, Visit&& visit) {
  visit("phase", c.phase), visit("other_probability", c.other_probability), visit("other_weight", c.other_weight);
  visit("output_clip", c.output_clip), visit("nlml_weight", c.nlml_weight), visit("noise_weight", c.noise_weight);
}
template <typename Visit>
void Visitor(CurriculumStage& c, Visit&& visit) {
  visit("from", c.from), visit("max_d", c.max_d), visit("max_n", c.max_n), visit("small_n", c.small_n);
  visit("small_share", c.small_share), visit("large_n", c.large_n), visit("large_share", c.large_share);
}
template <typename Visit>
void Visitor(ValidationConfig& c, Visit&& visit) {
  visit("seed", c.seed), visit("datasets", c.datasets), visit("every_datasets", c.every_datasets);
  visit("every_minutes", c.every_minutes), visit("type2", c.type2);
}
template <typename Visit>
void Visitor(TrainingConfig& c, Visit&& visit) {
  visit("seed", c.seed), visit("datasets", c.datasets), visit("minutes", c.minutes), visit("batch", c.batch);
  visit("lanes", c.lanes), visit("min_n", c.min_n), visit("max_n", c.max_n), visit("max_d", c.max_d);
  visit("addend_p", c.addend_p), visit("dimension_p", c.dimension_p), visit("positive_p", c.positive_p);
  visit("realistic_p", c.realistic_p);
  visit("checkpoint_minutes", c.checkpoint_minutes), visit("checkpoint_steps", c.checkpoint_steps);
  visit("init_from", c.init_from);
}

template <typename Config>
void ReadAll(Fields& fields, Config& config) {
  Visitor(config, [&](const char* key, auto& value) { fields.Read(key, value); });
}

template <typename Config>
void ReadSection(Fields& parent, const std::string& key, Config& config) {
  const Json* json = parent.Find(key);
  if (!json) return;
  Fields fields(*json, parent.Path(key), parent.origin());
  ReadAll(fields, config);
  if constexpr (std::is_same_v<Config, OptimizerConfig>) fields.Read("name", kOptimizers, config.kind);
  if constexpr (std::is_same_v<Config, ScheduleConfig>) fields.Read("kind", kSchedules, config.kind);
  fields.Finish();
}

template <typename Config>
Json Write(Config config) {
  Json json = Json::object();
  if constexpr (std::is_same_v<Config, OptimizerConfig>) json["name"] = NameOf(kOptimizers, config.kind);
  if constexpr (std::is_same_v<Config, ScheduleConfig>) json["kind"] = NameOf(kSchedules, config.kind);
  Visitor(config, [&](const char* key, auto& value) { json[key] = value; });
  return json;
}

Json ToDocument(const TrainingConfig& config) {
  Json json = Write(config);
  json["optimizer"] = Write(config.optimizer);
  json["schedule"] = Write(config.schedule);
  json["loss"] = Write(config.loss);
  json["curriculum"] = Json::array();
  for (const CurriculumStage& stage : config.curriculum) json["curriculum"].push_back(Write(stage));
  json["validation"] = Write(config.validation);
  json["network"] = Json::parse(ToJson(config.network));
  return json;
}

TrainingConfig FromDocument(const Json& json, const std::string& origin) {
  TrainingConfig config = DefaultTrainingConfig();
  Fields fields(json, "", origin);
  ReadAll(fields, config);
  ReadSection(fields, "optimizer", config.optimizer);
  ReadSection(fields, "schedule", config.schedule);
  ReadSection(fields, "loss", config.loss);
  ReadSection(fields, "validation", config.validation);
  if (const Json* network = fields.Find("network")) config.network = ReadNetwork(*network, origin);
  if (const Json* stages = fields.Find("curriculum")) {
    if (!stages->is_array()) Fail(origin, "'curriculum' must be a list of stages");
    config.curriculum.clear();
    for (const Json& element : *stages) {
      CurriculumStage stage;
      Fields stage_fields(element, "curriculum[" + std::to_string(config.curriculum.size()) + "]", origin);
      ReadAll(stage_fields, stage);
      stage_fields.Finish();
      config.curriculum.push_back(stage);
    }
  }
  fields.Finish();
  return config;
}

}  // namespace

TrainingConfig ParseTrainingConfig(std::string_view text, const std::string& origin) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception& error) {
    Fail(origin, std::string("not valid JSON: ") + error.what());
  }
  return FromDocument(json, origin);
}

std::string ToJson(const TrainingConfig& config) { return ToDocument(config).dump(2) + "\n"; }

TrainingConfig WithOverride(const TrainingConfig& config, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw Error(ErrorCode::kUsage, "override '" + assignment + "' must have the form key=value");
  }
  const std::string key = assignment.substr(0, equals);
  const std::string text = assignment.substr(equals + 1);
  Json value = Json::parse(text, nullptr, false);
  if (value.is_discarded()) value = text;

  Json document = ToDocument(config);
  Json* node = &document;
  for (std::size_t begin = 0; begin <= key.size();) {
    const std::size_t dot = std::min(key.find('.', begin), key.size());
    const std::string name = key.substr(begin, dot - begin);
    if (!node->is_object() || !node->contains(name)) {
      throw Error(ErrorCode::kUsage, "override '" + assignment + "': there is no setting '" + key.substr(0, dot) + "'");
    }
    node = &(*node)[name];
    begin = dot + 1;
  }
  *node = std::move(value);
  return FromDocument(document, "override '" + assignment + "'");
}

}  // namespace instantgp
