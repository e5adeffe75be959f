#include "instantgp/experiments/report/grouping.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "instantgp/experiments/run/score.h"
#include "instantgp/model/methods.h"
#include "instantgp/plot/axes.h"

namespace instantgp {
namespace {

// In the order we show them. Titles of fit methods are those of model/methods.h. Methods of one comparison have
// different colours; the palette has seven, and grey.
constexpr int kGrey = -1;
struct ShownMethod {
  const char* name;
  const char* title;  // of what is not a fit method
  int color;
};

constexpr std::array<ShownMethod, 15> kShown = {{{"oneshot", "", 0},
                                                 {kBareMethod, "one-shot, the network alone", kGrey},
                                                 {"refine", "", 5},
                                                 {"ensemble", "one-shot ensemble", 1},
                                                 {"one-by-one", "one-shot, structure by structure", 6},
                                                 {"no-finetune", "one-shot before fine-tuning", 1},
                                                 {"ahgp", "", 1},
                                                 {"ml", "", 2},
                                                 {"adam", "", 4},
                                                 {"multistart", "", 1},
                                                 {"map", "", 3},
                                                 {"svgp", "", 6},
                                                 {"neighbours", "", 3},
                                                 {"ensemble-ml", "GP-ML ensemble", 4},
                                                 {"truth", "true parameters", 6}}};

std::size_t PlaceOf(const std::string& method) {
  const auto* found =
      std::find_if(kShown.begin(), kShown.end(), [&](const ShownMethod& known) { return method == known.name; });
  return static_cast<std::size_t>(found - kShown.begin());
}

template <typename Field>
std::vector<std::string> Distinct(const std::vector<Record>& records, Field field) {
  std::vector<std::string> names;
  for (const Record& record : records) {
    const std::string& name = record.*field;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

}  // namespace

std::vector<std::string> DatasetsOf(const std::vector<Record>& records) { return Distinct(records, &Record::dataset); }

std::vector<std::string> StructuresOf(const std::vector<Record>& records) {
  return Distinct(records, &Record::structure);
}

std::vector<std::string> MethodsOf(const std::vector<Record>& records) {
  std::vector<std::string> names = Distinct(records, &Record::method);
  std::stable_sort(names.begin(), names.end(),
                   [](const std::string& a, const std::string& b) { return PlaceOf(a) < PlaceOf(b); });
  return names;
}

std::string MethodTitle(const std::string& method) {
  if (const std::optional<Method> fit = MethodFromName(method)) return std::string(InfoOf(*fit).title);
  const std::size_t place = PlaceOf(method);
  return place < kShown.size() ? kShown[place].title : method;
}

std::string MethodColor(const std::string& method) {
  const std::size_t place = PlaceOf(method);
  return place < kShown.size() && kShown[place].color != kGrey ? plot::PaletteColor(kShown[place].color) : plot::kMuted;
}

std::vector<double> ValuesOf(const std::vector<Record>& records, const std::string& dataset, const std::string& method,
                             Metric metric) {
  std::vector<double> values;
  for (const Record& r : records) {
    if (r.dataset == dataset && r.method == method && r.ok() && std::isfinite(r.*metric)) values.push_back(r.*metric);
  }
  return values;
}

std::vector<double> RatiosOf(const std::vector<Record>& records, const std::string& dataset, const std::string& method,
                             const std::string& reference, Metric metric) {
  std::map<std::pair<int, std::string>, double> denominators;
  for (const Record& r : records) {
    if (r.dataset == dataset && r.method == reference && r.ok()) denominators[{r.split, r.structure}] = r.*metric;
  }
  std::vector<double> ratios;
  for (const Record& r : records) {
    if (r.dataset != dataset || r.method != method || !r.ok()) continue;
    const auto found = denominators.find({r.split, r.structure});
    if (found == denominators.end()) continue;
    const double ratio = r.*metric / found->second;
    if (std::isfinite(ratio)) ratios.push_back(ratio);
  }
  return ratios;
}

int CountFailures(const std::vector<Record>& records, const std::string& dataset, const std::string& method) {
  return static_cast<int>(std::count_if(records.begin(), records.end(), [&](const Record& r) {
    return r.dataset == dataset && r.method == method && !r.ok();
  }));
}

}  // namespace instantgp
