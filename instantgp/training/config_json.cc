// The JSON form of the training settings.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "instantgp/base/error.h"
#include "instantgp/training/config.h"
#include "instantgp/training/json_fields.h"

namespace instantgp {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kOptimizers = {std::pair{"radam", OptimizerKind::kRAdam},
                                    std::pair{"adamw", OptimizerKind::kAdamW}};
constexpr std::array kSchedules = {std::pair{"constant", ScheduleKind::kConstant},
                                   std::pair{"cosine", ScheduleKind::kCosine},
                                   std::pair{"restart", ScheduleKind::kRestart}};
constexpr std::array kComponents = {std::pair{"paper", ComponentKind::kPaper},
                                    std::pair{"tables", ComponentKind::kTables}};

template <typename Enum, std::size_t N>
std::string NameOf(const std::array<std::pair<const char*, Enum>, N>& names, Enum value) {
  return std::find_if(names.begin(), names.end(), [&](const auto& pair) { return pair.second == value; })->first;
}

NetworkConfig ReadNetwork(const Json& json, const std::string& origin) {
  if (json.is_string()) return NetworkPreset(json.get<std::string>());
  if (!json.is_object()) FailToRead(origin, "'network' must be the name of a preset or an object");
  Json full = json;
  if (json.contains("preset")) {
    if (!json["preset"].is_string()) FailToRead(origin, "'network.preset' must be a string");
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
  visit("noise_rungs", c.noise_rungs), visit("rung_weight", c.rung_weight);
  visit("output_clip", c.output_clip), visit("nlml_weight", c.nlml_weight), visit("noise_weight", c.noise_weight);
}
template <typename Visit>
void Visitor(TableOptions& c, Visit&& visit) {
  visit("min_n", c.min_n), visit("max_n", c.max_n), visit("max_d", c.max_d), visit("max_cells", c.max_cells);
  visit("large_n", c.large_n), visit("large_share", c.large_share), visit("same_symbols_p", c.same_symbols_p);
  visit("nearly_linear_p", c.nearly_linear_p);
}
template <typename Visit>
void Visitor(CurriculumStage& c, Visit&& visit) {
  visit("from", c.from), visit("max_d", c.max_d), visit("max_n", c.max_n), visit("small_n", c.small_n);
  visit("small_share", c.small_share), visit("large_n", c.large_n), visit("large_share", c.large_share);
}
template <typename Visit>
void Visitor(ValidationConfig& c, Visit&& visit) {
  visit("seed", c.seed), visit("datasets", c.datasets), visit("every_datasets", c.every_datasets);
  visit("every_minutes", c.every_minutes), visit("type2", c.type2), visit("tables_seed", c.tables_seed);
  visit("tables_datasets", c.tables_datasets), visit("gap_limit", c.gap_limit);
}
template <typename Visit>
void Visitor(TrainingConfig& c, Visit&& visit) {
  visit("seed", c.seed), visit("datasets", c.datasets), visit("minutes", c.minutes), visit("batch", c.batch);
  visit("lanes", c.lanes), visit("min_n", c.min_n), visit("max_n", c.max_n), visit("max_d", c.max_d);
  visit("addend_p", c.addend_p), visit("dimension_p", c.dimension_p), visit("positive_p", c.positive_p);
  visit("checkpoint_minutes", c.checkpoint_minutes), visit("checkpoint_steps", c.checkpoint_steps);
  visit("init_from", c.init_from);
}

template <typename Config>
void ReadAll(JsonFields& fields, Config& config) {
  Visitor(config, [&](const char* key, auto& value) { fields.Read(key, value); });
}

template <typename Config>
void ReadSection(JsonFields& parent, const std::string& key, Config& config) {
  const Json* json = parent.Find(key);
  if (!json) return;
  JsonFields fields(*json, parent.Path(key), parent.origin());
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

Json WriteComponent(const MixtureComponent& component) {
  Json json = {{"name", NameOf(kComponents, component.kind)}, {"share", component.share}};
  if (component.kind == ComponentKind::kTables) json.update(Write(component.tables));
  return json;
}

std::vector<MixtureComponent> ReadMixture(const Json& json, const std::string& origin) {
  if (!json.is_array()) FailToRead(origin, "'mixture' must be a list of components");
  std::vector<MixtureComponent> mixture;
  for (const Json& element : json) {
    MixtureComponent component;
    JsonFields fields(element, "mixture[" + std::to_string(mixture.size()) + "]", origin);
    if (!fields.Find("name")) FailToRead(origin, "'" + fields.Path("name") + "' is missing: paper or tables");
    fields.Read("name", kComponents, component.kind);
    fields.Read("share", component.share);
    if (component.kind == ComponentKind::kTables) ReadAll(fields, component.tables);
    fields.Finish();
    mixture.push_back(component);
  }
  return mixture;
}

Json ToDocument(const TrainingConfig& config) {
  Json json = Write(config);
  json["optimizer"] = Write(config.optimizer);
  json["schedule"] = Write(config.schedule);
  json["loss"] = Write(config.loss);
  json["mixture"] = Json::array();
  for (const MixtureComponent& component : config.mixture) json["mixture"].push_back(WriteComponent(component));
  json["curriculum"] = Json::array();
  for (const CurriculumStage& stage : config.curriculum) json["curriculum"].push_back(Write(stage));
  json["validation"] = Write(config.validation);
  json["network"] = Json::parse(ToJson(config.network));
  return json;
}

TrainingConfig FromDocument(const Json& json, const std::string& origin) {
  TrainingConfig config = DefaultTrainingConfig();
  JsonFields fields(json, "", origin);
  ReadAll(fields, config);
  ReadSection(fields, "optimizer", config.optimizer);
  ReadSection(fields, "schedule", config.schedule);
  ReadSection(fields, "loss", config.loss);
  ReadSection(fields, "validation", config.validation);
  if (const Json* network = fields.Find("network")) config.network = ReadNetwork(*network, origin);
  if (json.is_object() && json.contains("realistic_p")) {
    FailToRead(origin,
               "'realistic_p' is no longer a setting; write \"mixture\": [{\"name\": \"paper\", \"share\": 0.65}, "
               "{\"name\": \"tables\", \"share\": 0.35}]");
  }
  if (const Json* mixture = fields.Find("mixture")) config.mixture = ReadMixture(*mixture, origin);
  if (const Json* stages = fields.Find("curriculum")) {
    if (!stages->is_array()) FailToRead(origin, "'curriculum' must be a list of stages");
    config.curriculum.clear();
    for (const Json& element : *stages) {
      CurriculumStage stage;
      JsonFields stage_fields(element, "curriculum[" + std::to_string(config.curriculum.size()) + "]", origin);
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
    FailToRead(origin, std::string("not valid JSON: ") + error.what());
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
