// Writes the inputs that the fuzzers of files start from, with the code as it is: FOLDER/DOOR/seed-NAME. The other
// seeds are texts and were written by hand.
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "instantgp/base/file.h"
#include "instantgp/data/csv.h"
#include "instantgp/data/labelled_table.h"
#include "instantgp/inference/trained_network.h"
#include "instantgp/model/ensemble.h"
#include "instantgp/model/fit_ensemble.h"
#include "instantgp/model/recipe_json.h"
#include "instantgp/model/session.h"
#include "instantgp/training/checkpoint.h"
#include "tests/fuzz/small_networks.h"

namespace instantgp::fuzz {
namespace {

constexpr char kMixed[] =
    "day,city,price,y\n2024-01-31,Rome,2.5,1\n2024-02-29,Bonn,,2\n2024-03-31,Rome,3,4\n2024-04-30,Bonn,1,3\n";

class SeedWriter {
 public:
  explicit SeedWriter(std::string folder) : folder_(std::move(folder)) {}
  void Write(const std::string& door, const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories(folder_ + "/" + door);
    WriteFileAtomically(folder_ + "/" + door + "/seed-" + name, bytes);
  }

 private:
  std::string folder_;
};

Dataset PlainTable(int n) {
  Matrix X(n, 1);
  Vector y(n);
  for (int i = 0; i < n; ++i) X(i, 0) = i, y[i] = 1 + i * i % 5;
  return Dataset::Of(X, y);
}

void WriteModels(const SeedWriter& seeds) {
  const TrainedNetwork network(RandomNetwork(SmallestConfig(), false));
  Session session({.network = &network, .threads = 1});
  const Dataset data = PlainTable(4);
  const FitOptions ml = {.method = Method::kMl, .steps = 2};
  seeds.Write("model", "ml", SerializeModel(session.Fit(data, "SE + LIN", ml)));
  seeds.Write("model", "oneshot", SerializeModel(session.Fit(data, "SE*PER")));
  seeds.Write("model", "svgp", SerializeModel(session.Fit(data, "MAT52", {.method = Method::kSvgp, .steps = 2})));
  seeds.Write("model", "neighbours",
              SerializeModel(session.Fit(data, "SE + LIN", {.method = Method::kNeighbours, .neighbours = 2})));
  FitOptions log = ml;
  log.transform = TransformChoice::kLog;
  seeds.Write("model", "log", SerializeModel(session.Fit(data, "WIE(x1) + BIAS(x1)", log)));
  CsvOptions options;
  options.missing = MissingPolicy::kImpute;
  const LabelledTable mixed = LabelledTable::Of(ParseRawTable(kMixed, "mixed"), options);
  const Dataset table = mixed.Learn(mixed.known);
  seeds.Write("model", "table", SerializeModel(session.Fit(table, "SE", ml)));
  seeds.Write("recipe", "stored", RecipeToJson(*table.recipe).Text());
  seeds.Write("http", "upload",
              "/v1/models\napplication/octet-stream\n" + SerializeModel(session.Fit(data, "LIN", ml)));
  const std::vector<std::string> kernels = {"SE", "LIN"};
  EnsembleOptions ensemble;
  ensemble.fit = ml;
  seeds.Write("ensemble", "two", SerializeEnsemble(FitEnsemble(session, data, kernels, ensemble)));
}

void WriteNetworks(const SeedWriter& seeds) {
  seeds.Write("weights", "structured", SerializeWeights(RandomNetwork(SmallestConfig(), false)));
  seeds.Write("weights", "steps", SerializeWeights(RandomNetwork(SmallestConfig(), true)));
  seeds.Write("weights", "ahgp", SerializeWeights(RandomNetwork(SmallestAhgpConfig(), false)));
  TrainingConfig config = DefaultTrainingConfig();
  config.network = SmallestAhgpConfig();
  config.datasets = 100;
  config.curriculum.clear();
  TrainingState state;
  const NetworkWeights weights = RandomNetwork(config.network, false);
  state.weights = state.average = state.moment1 = state.moment2 = weights.values;
  state.step = 3;
  state.seconds = 1.5;
  seeds.Write("checkpoint", "third-step", SerializeCheckpoint(config, state));
  seeds.Write("config", "network", ToJson(config.network));
  seeds.Write("config", "training", ToJson(config));
}

}  // namespace
}  // namespace instantgp::fuzz

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "make_seeds FOLDER\n";
    return 2;
  }
  const instantgp::fuzz::SeedWriter seeds(argv[1]);
  instantgp::fuzz::WriteModels(seeds);
  instantgp::fuzz::WriteNetworks(seeds);
}
