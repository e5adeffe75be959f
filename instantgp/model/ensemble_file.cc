// An ensemble as one safetensors file: the model file of every member is a tensor of bytes (docs/formats/model.md).
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "instantgp/base/error.h"
#include "instantgp/base/file.h"
#include "instantgp/base/json_text.h"
#include "instantgp/base/parsed_json.h"
#include "instantgp/base/safetensors.h"
#include "instantgp/data/recipe.h"
#include "instantgp/model/ensemble.h"

namespace instantgp {
namespace {

using nlohmann::json;

constexpr int kEnsembleMajor = 1;  // a reader refuses files of a higher one
constexpr int kEnsembleMinor = 0;

std::string MemberName(std::size_t k) { return "member." + std::to_string(k); }

[[noreturn]] void Fail(const std::string& origin, const std::string& what) {
  throw Error(ErrorCode::kBadInput,
              origin + ": " + what + ". Fit the ensemble again or use an intact copy of the file.");
}

const std::string& Metadata(const TensorViews& file, const std::string& key, const std::string& origin) {
  const auto it = file.metadata.find(key);
  if (it == file.metadata.end()) Fail(origin, "not an ensemble: its metadata lack '" + key + "'");
  return it->second;
}

void CheckVersion(const TensorViews& file, const std::string& origin) {
  const std::string& format = Metadata(file, "format", origin);
  if (format != kEnsembleFormat) Fail(origin, "not an ensemble: format '" + format + "'");
  const std::string& version = Metadata(file, "version", origin);
  int major = 0;
  try {
    major = std::stoi(version);
  } catch (const std::exception&) {
    Fail(origin, "unreadable version '" + version + "'");
  }
  if (major > kEnsembleMajor) {
    throw Error(ErrorCode::kBadInput, origin + ": written by a newer version of InstantGP (ensemble format " + version +
                                          ", this program reads up to " + std::to_string(kEnsembleMajor) +
                                          ".x). Update InstantGP or fit the ensemble again.");
  }
}

EnsembleSummary EnsembleSummaryFromJson(const json& j, const std::string& origin) {
  EnsembleSummary summary;
  j.at("method").get_to(summary.method);
  j.at("temperature").get_to(summary.temperature);
  const auto name = j.at("weights_by").get<std::string>();
  const std::optional<Weighting> weighting = WeightingFromName(name);
  if (!weighting) Fail(origin, "there are no weights by '" + name + "'");
  summary.weighting = *weighting;
  TimeSplit& t = summary.time_ms;
  double* const fields[] = {&t.scale, &t.encode, &t.decode, &t.optimize, &t.factorize, &t.total};
  for (std::size_t i = 0; i < std::size(fields); ++i) j.at("time_ms").at(i).get_to(*fields[i]);
  return summary;
}

bool SameRecipe(const Recipe* a, const Recipe* b) { return a == nullptr || b == nullptr ? a == b : *a == *b; }

// Everything a constructor would take for a bug of ours must be refused here.
void CheckMembers(const std::vector<EnsembleMember>& members, const std::string& origin) {
  const Model& first = members.front().model;
  double sum = 0;
  for (const EnsembleMember& member : members) {
    if (!(member.weight >= 0)) Fail(origin, "a weight is negative or not a number");
    sum += member.weight;
    if (member.model.column_names() != first.column_names() || member.model.target_name() != first.target_name() ||
        member.model.rows() != first.rows() || !SameRecipe(member.model.recipe(), first.recipe())) {
      Fail(origin, "the members were not fitted to the same table");
    }
    if (!member.model.transform().none()) Fail(origin, "a member's target is transformed");
  }
  if (!(std::abs(sum - 1) < 1e-9)) Fail(origin, "the weights do not sum to 1");
}

Ensemble ParseCheckedEnsemble(const TensorViews& file, const std::string& origin) {
  CheckVersion(file, origin);
  const ParsedJson parsed(Metadata(file, "ensemble", origin));
  const json& meta = parsed.value();
  const std::vector<double> weights = TensorAsDoubles(file, "weights");
  if (weights.empty() || file.tensors.size() != weights.size() + 1) Fail(origin, "members and weights do not match");
  std::vector<EnsembleMember> members;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const auto tensor = file.tensors.find(MemberName(k));
    if (tensor == file.tensors.end() || tensor->second.type != TensorType::kU8) {
      Fail(origin, "there is no tensor of bytes '" + MemberName(k) + "'");
    }
    members.push_back({ParseModel(tensor->second.bytes, origin + ", member " + std::to_string(k + 1)), weights[k]});
  }
  CheckMembers(members, origin);
  std::vector<FailedMember> failed;
  for (const json& item : meta.at("failed")) {
    failed.push_back({item.at("kernel").get<std::string>(), item.at("reason").get<std::string>()});
  }
  return Ensemble(std::move(members), std::move(failed), EnsembleSummaryFromJson(meta.at("summary"), origin),
                  meta.at("warnings").get<std::vector<std::string>>());
}

}  // namespace

std::string SerializeEnsemble(const Ensemble& ensemble) {
  TensorFile file;
  const EnsembleSummary& summary = ensemble.summary();
  const TimeSplit& t = summary.time_ms;
  JsonArray failed;
  for (const FailedMember& member : ensemble.failed()) {
    failed.Add(JsonObject().Set("kernel", member.kernel).Set("reason", member.reason));
  }
  JsonObject about;
  about.Set("method", summary.method).Set("weights_by", Name(summary.weighting));
  about.Set("temperature", summary.temperature);
  about.Set("time_ms", std::array{t.scale, t.encode, t.decode, t.optimize, t.factorize, t.total});
  JsonObject meta;
  meta.Set("summary", about).Set("failed", failed).Set("warnings", ensemble.warnings());
  file.metadata["format"] = kEnsembleFormat;
  file.metadata["version"] = std::to_string(kEnsembleMajor) + "." + std::to_string(kEnsembleMinor);
  file.metadata["ensemble"] = meta.Text();
  std::vector<double> weights;
  for (std::size_t k = 0; k < ensemble.members().size(); ++k) {
    const EnsembleMember& member = ensemble.members()[k];
    weights.push_back(member.weight);
    std::string bytes = SerializeModel(member.model);
    const auto size = static_cast<std::int64_t>(bytes.size());
    file.tensors[MemberName(k)] = {TensorType::kU8, {size}, std::move(bytes)};
  }
  file.tensors["weights"] = MakeTensor(weights.data(), {static_cast<std::int64_t>(weights.size())});
  return SerializeTensors(file);
}

Ensemble ParseEnsemble(std::string_view bytes, const std::string& origin) {
  const TensorViews file = ViewTensors(bytes, origin);
  try {
    return ParseCheckedEnsemble(file, origin);
  } catch (const json::exception& e) {
    Fail(origin, std::string("damaged description of the ensemble (") + e.what() + ")");
  }
}

void SaveEnsemble(const Ensemble& ensemble, const std::string& path) {
  WriteFileAtomically(path, SerializeEnsemble(ensemble));
}

Ensemble LoadEnsemble(const std::string& path) { return ParseEnsemble(ReadFile(path), path); }

}  // namespace instantgp
