// Weights files: refused, or a network that reads a table and answers.
#include "instantgp/inference/trained_network.h"
#include "instantgp/kernel/structure.h"
#include "instantgp/network/weights.h"
#include "tests/fuzz/door.h"
#include "tests/fuzz/mend.h"

namespace instantgp::fuzz {
namespace {

void AskNetwork(const NetworkWeights& weights) {
  if (weights.values.size() > 20'000 || weights.config.hypotheses > 64) return;
  Matrix X(4, 2);
  X << 0, 1, 0.25, 0.5, 0.75, 0, 1, 0.5;
  Vector y(4);
  y << -1, 1, 0.5, -0.5;
  const TrainedNetwork network(weights);
  Accepts([&] {
    const Encoding encoding = network.Encode(Dataset::Of(X, y));
    Structure structure;
    structure.columns = {0, 1};
    structure.symbols = {{BaseSymbol::kSE}, {BaseSymbol::kSE}};
    const Matrix theta = network.Decode(encoding, structure);
    Require(theta.rows() == 5, "an answer of another size");
  });
}

void WeightsDoor(std::string_view bytes) {
  const std::string mended = Mended(bytes);
  Accepts([&] {
    const NetworkWeights weights = ParseWeights(mended, "fuzz");
    const int turn = TurnOf(bytes, 3);
    if (turn == 0) return AskNetwork(weights);
    if (turn == 1) return;
    const std::string written = SerializeWeights(weights);
    Require(SerializeWeights(ParseWeights(written, "again")) == written, "weights change on the way through a file");
  });
}

}  // namespace

INSTANTGP_DOOR(weights, WeightsDoor)

}  // namespace instantgp::fuzz
