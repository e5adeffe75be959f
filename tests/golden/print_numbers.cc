// Prints the numbers that must not depend on the processor, one a line: KIND CASE NAME VALUE. compare_numbers.py
// compares what two builds print; tools/check_processors runs both.
//
//   gp       likelihood, gradient and prediction of every golden case, in double
//   network  the parameters that the embedded network answers for every golden case it can read, in float
//   double   the same by the same weights in double, which says how far rounding takes the line above
#include <cstdio>
#include <string>
#include <vector>

#include "instantgp/gp/marginal_likelihood.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/inference/embedded_weights.h"
#include "instantgp/inference/trained_network.h"
#include "instantgp/kernel/structure.h"
#include "instantgp/network/network.h"
#include "instantgp/network/weights.h"
#include "tests/support/golden_case.h"

namespace instantgp {
namespace {

void Print(const char* kind, std::size_t number, const std::string& name, double value) {
  std::printf("%s %zu %s %.17g\n", kind, number, name.c_str(), value);
}

void PrintGaussianProcess(std::size_t number, const testing::GoldenInputs& in) {
  NlmlWorkspace workspace;
  Vector gradient, mean, std;
  const NlmlValue value =
      NegativeLogMarginalLikelihood(Covariance(in.expression), in.X, in.y, in.theta, &gradient, workspace);
  Print("gp", number, "nlml", value.nlml);
  for (Index p = 0; p < gradient.size(); ++p) Print("gp", number, "gradient" + std::to_string(p), gradient[p]);
  const Posterior posterior(in.expression, in.X, in.y, in.theta);
  posterior.MeanAndStd(in.X_new, Noise::kLatent, &mean, &std);
  for (Index i = 0; i < mean.size(); ++i) {
    Print("gp", number, "mean" + std::to_string(i), mean[i]);
    Print("gp", number, "std" + std::to_string(i), std[i]);
  }
}

Matrix DecodedInDouble(const testing::GoldenInputs& in, const Structure& structure) {
  static const NetworkWeights stored = ParseWeights(EmbeddedWeights(), "the embedded weights");
  static const std::vector<double> weights(stored.values.begin(), stored.values.end());
  const Network<double> network(stored.config);
  Workspace<double> workspace;
  Embedding<double> embedding;
  Matrix theta;
  network.Encode(weights.data(), in.X, in.y, workspace, &embedding);
  network.Decode(weights.data(), embedding, structure, workspace, &theta);
  return theta;
}

void PrintNetwork(std::size_t number, const testing::GoldenInputs& in) {
  const auto structure = ToStructure(in.expression);
  if (!structure || in.X.rows() < 2) return;
  ScaledTable table;
  table.X = in.X;
  table.y = in.y;
  const TrainedNetwork& network = TrainedNetwork::Embedded();
  const Matrix theta = network.Decode(network.Encode(std::move(table)), *structure);
  const Matrix in_double = DecodedInDouble(in, *structure);
  for (Index k = 0; k < theta.cols(); ++k) {
    for (Index p = 0; p < theta.rows(); ++p) {
      const std::string name = std::to_string(k) + "." + std::to_string(p);
      Print("network", number, name, theta(p, k));
      Print("double", number, name, in_double(p, k));
    }
  }
}

}  // namespace
}  // namespace instantgp

int main() {
  using namespace instantgp;
  const auto cases = testing::AllGoldenCases();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const testing::GoldenInputs in = testing::InputsOf(cases[i]);
    PrintGaussianProcess(i, in);
    PrintNetwork(i, in);
  }
}
