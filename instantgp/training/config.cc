#include "instantgp/training/config.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "instantgp/base/error.h"

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

void Require(bool condition, const char* message) {
  if (!condition) throw Error(ErrorCode::kBadInput, std::string("training config: ") + message);
}

bool IsShare(double value) { return value >= 0 && value <= 1; }

}  // namespace

TrainingConfig DefaultTrainingConfig() {
  TrainingConfig config;
  config.network = NetworkPreset("base");
  // d = 1 until 18 % of the budget, then one more dimension about every 4 % up to 8 at 45 %: without it the network
  // stays on the plateau where it predicts per-structure averages. Small n first: a dataset with n <= 100 costs a
  // third.
  const auto add = [&](double from, int max_d, double small_share) {
    CurriculumStage stage;
    stage.from = from;
    stage.max_d = max_d;
    stage.small_share = small_share;
    config.curriculum.push_back(stage);
  };
  add(0, 1, 0.5);
  add(0.18, 2, 0.5);
  add(0.22, 3, 0.5);
  add(0.26, 4, 0.4);
  add(0.30, 5, 0.4);
  add(0.35, 6, 0.3);
  add(0.40, 7, 0.3);
  add(0.45, 8, 0.25);
  add(0.70, 8, 0);
  return config;
}

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

void TrainingConfig::Validate() const {
  network.Validate();
  Require((datasets > 0) != (minutes > 0), "give a budget: either 'datasets' or 'minutes' must be above 0, not both");
  Require(datasets >= 0 && minutes >= 0, "'datasets' and 'minutes' must not be negative");
  Require(batch >= 1 && batch <= 65536, "'batch' must lie in 1..65536");
  Require(lanes >= 1 && lanes <= batch, "'lanes' must lie in 1..batch");
  const OptimizerConfig& o = optimizer;
  Require(o.beta1 >= 0 && o.beta1 < 1 && o.beta2 > 0 && o.beta2 < 1,
          "'optimizer.beta1' and 'beta2' must lie in (0, 1)");
  Require(o.epsilon > 0, "'optimizer.epsilon' must be above 0");
  Require(o.weight_decay >= 0 && o.clip_norm >= 0, "'optimizer.weight_decay' and 'clip_norm' must not be negative");
  Require(o.averaging > 0 && o.averaging <= 1, "'optimizer.averaging' must lie in (0, 1]");
  const ScheduleConfig& s = schedule;
  Require(s.peak > 0 && s.peak < 1, "'schedule.peak' must lie in (0, 1)");
  Require(s.warmup_steps >= 0, "'schedule.warmup_steps' must not be negative");
  Require(IsShare(s.final_fraction), "'schedule.final_fraction' must lie in [0, 1]");
  Require(s.cycles >= 1 && s.cycles <= 1000 && s.cycle_growth > 0,
          "'schedule.cycles' and 'cycle_growth' must be positive");
  Require(loss.phase == 1 || loss.phase == 2, "'loss.phase' must be 1 or 2");
  Require(IsShare(loss.other_probability) && loss.other_weight >= 0, "'loss.other_probability' must lie in [0, 1]");
  Require(loss.output_clip >= 0 && loss.nlml_weight >= 0 && loss.noise_weight >= 0,
          "'loss.output_clip', 'nlml_weight' and 'noise_weight' must not be negative");
  Require(min_n >= 1 && max_n >= min_n && max_n <= 4096,
          "'min_n' and 'max_n' must satisfy 1 <= min_n <= max_n <= 4096");
  Require(max_d >= 1 && max_d <= 64, "'max_d' must lie in 1..64");
  for (std::size_t i = 0; i < curriculum.size(); ++i) {
    const CurriculumStage& stage = curriculum[i];
    Require(i > 0 ? stage.from > curriculum[i - 1].from : stage.from == 0,
            "'curriculum' must start at from = 0 and ascend");
    Require(stage.max_d >= 1 && stage.max_n >= min_n, "'curriculum': max_d and max_n must reach the smallest dataset");
    Require(IsShare(stage.small_share) && IsShare(stage.large_share) && stage.small_share + stage.large_share <= 1,
            "'curriculum': small_share and large_share must lie in [0, 1] and not exceed 1 together");
    Require(stage.small_share == 0 || stage.small_n >= min_n, "'curriculum': small_n is below min_n");
    Require(stage.large_share == 0 || (stage.large_n > std::min(stage.max_n, max_n) && stage.large_n <= 4096),
            "'curriculum': large_n must be above max_n and at most 4096");
  }
  Require(validation.seed != seed, "'validation.seed' must differ from 'seed': the validation set is never trained on");
  Require(validation.datasets >= 2 && validation.every_datasets >= 0, "'validation.datasets' must be at least 2");
  Require(validation.every_datasets > 0 || validation.every_minutes > 0,
          "'validation.every_minutes' must be above 0 without 'every_datasets'");
  Require(checkpoint_minutes > 0 && checkpoint_steps >= 0, "'checkpoint_minutes' must be above 0");
  try {
    Simulation().Validate();
  } catch (const Error& error) {
    throw Error(ErrorCode::kBadInput, std::string("training config: ") + error.what());
  }
}

SimulationOptions TrainingConfig::Simulation() const {
  SimulationOptions options;
  options.min_n = min_n;
  options.max_n = max_n;
  options.max_d = max_d;
  options.addend_p = addend_p;
  options.dimension_p = dimension_p;
  options.positive_p = positive_p;
  options.positives_only = loss.phase == 2;
  options.symbols.clear();
  for (BaseSymbol symbol = 0; symbol < kNumBaseSymbols; ++symbol) {
    const auto& names = network.symbols;
    if (std::find(names.begin(), names.end(), Name(symbol)) != names.end()) options.symbols.push_back(symbol);
  }
  return options;
}

int TrainingConfig::LargestN() const {
  int largest = curriculum.empty() ? max_n : 0;
  for (const CurriculumStage& stage : curriculum) {
    largest = std::max(largest, stage.large_share > 0 ? stage.large_n : std::min(stage.max_n, max_n));
  }
  return largest;
}

}  // namespace instantgp
