// Writes what numpy_network.py needs: dump_network NAME FOLDER
//
// FOLDER/NAME.safetensors holds the weights, FOLDER/NAME.json the problems and our answers to them in float.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "instantgp/base/file.h"
#include "instantgp/network/weights.h"
#include "tests/golden/network_cases.h"

int main(int argc, char** argv) {
  using namespace instantgp;
  if (argc != 3) {
    std::fprintf(stderr, "usage: dump_network NAME FOLDER\n");
    return 2;
  }
  const std::string name = argv[1], folder = argv[2];
  const Network<float> network(testing::GoldenConfig(name));
  const std::vector<float> weights = testing::GoldenWeights(network);
  SaveWeights(folder + "/" + name + ".safetensors", {network.config(), weights, 0, {}});

  Workspace<float> workspace;
  nlohmann::json cases = nlohmann::json::array();
  for (const testing::Problem& p : testing::GoldenProblems()) {
    Matrix theta;
    network.Forward(weights.data(), p.X, p.y, p.structure, workspace, &theta);
    nlohmann::json X = nlohmann::json::array(), ours = nlohmann::json::array(), symbols = nlohmann::json::array();
    for (Index j = 0; j < p.X.rows(); ++j) {
      const Vector row = p.X.row(j);
      X.push_back(std::vector<double>(row.begin(), row.end()));
    }
    for (Index k = 0; k < theta.cols(); ++k) {
      const Vector column = theta.col(k);
      ours.push_back(std::vector<double>(column.begin(), column.end()));
    }
    for (const auto& addends : p.structure.symbols) {
      symbols.emplace_back();
      for (BaseSymbol symbol : addends) symbols.back().push_back(std::string(Name(symbol)));
    }
    cases.push_back(
        {{"X", X}, {"y", std::vector<double>(p.y.begin(), p.y.end())}, {"symbols", symbols}, {"ours", ours}});
  }
  WriteFileAtomically(folder + "/" + name + ".json", cases.dump(1));
  return 0;
}
