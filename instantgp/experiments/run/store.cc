#include "instantgp/experiments/run/store.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "instantgp/base/error.h"
#include "instantgp/base/file.h"
#include "instantgp/experiments/run/score.h"
#include "instantgp/model/methods.h"

namespace instantgp {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// "seed is 1 there and 0 now", for the first setting that differs; empty when none does.
std::string Difference(const Json& there, const Json& now) {
  for (const auto& [key, value] : now.items()) {
    const Json other = there.is_object() && there.contains(key) ? there[key] : Json();
    const bool partial = key == kWeightsKey || key == kAhgpWeightsKey || key == kTablesKey;  // of some records only
    if (!partial && other != value) return key + " is " + other.dump() + " there and " + value.dump() + " now";
  }
  return "";
}

}  // namespace

std::string NetworkOf(const std::string& method) {
  for (const char* name :
       {"ensemble", "one-by-one", "no-finetune", kBareMethod}) {  // of experiments, beside the fit methods
    if (method == name) return kWeightsKey;
  }
  const std::optional<Method> fit = MethodFromName(method);
  if (!fit || !InfoOf(*fit).uses_network) return "";
  return *fit == Method::kAhgp ? kAhgpWeightsKey : kWeightsKey;
}

ResultFolder::ResultFolder(std::string path, const std::string& settings, bool fresh) : path_(std::move(path)) {
  std::error_code error;
  fs::create_directories(path_, error);
  if (error) throw Error(ErrorCode::kFailure, "cannot create the folder '" + path_ + "': " + error.message());
  const std::string run = (fs::path(path_) / "run.json").string();
  const std::string records = (fs::path(path_) / "records.csv").string();
  if (!fresh && fs::exists(records, error)) {
    Json there = fs::exists(run, error) ? Json::parse(ReadFile(run), nullptr, false) : Json();
    const Json now = Json::parse(settings);
    const std::string difference = Difference(there, now);
    if (!difference.empty()) {
      throw Error(ErrorCode::kUsage,
                  "the folder '" + path_ + "' holds records of another run: " + difference +
                      ". Choose another folder, or replace them with a fresh run",
                  {{"fresh"}});
    }
    previous_ = RecordsFromCsv(ReadFile(records), records);
    for (const char* key : {kWeightsKey, kAhgpWeightsKey}) {
      const bool same = there.contains(key) && there[key] == now[key];
      if (!same) std::erase_if(previous_, [&](const Record& r) { return NetworkOf(r.method) == key; });
    }
    if (now.contains(kTablesKey)) {
      const Json none = Json::object();
      const Json& before = there.contains(kTablesKey) && there[kTablesKey].is_object() ? there[kTablesKey] : none;
      std::erase_if(previous_, [&](const Record& r) {
        const auto entry = now[kTablesKey].find(r.dataset);
        return entry == now[kTablesKey].end() || before.value(r.dataset, Json()) != *entry;
      });
    }
  }
  WriteFileAtomically(run, settings);
  SaveRecords(previous_);
}

void ResultFolder::SaveRecords(const std::vector<Record>& records) const {
  WriteFile("records.csv", RecordsToCsv(records));
}

void ResultFolder::WriteFile(const std::string& name, const std::string& bytes) const {
  WriteFileAtomically((fs::path(path_) / name).string(), bytes);
}

}  // namespace instantgp
