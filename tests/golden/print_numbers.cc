// Prints the numbers that must not depend on the processor, one a line: KIND CASE NAME VALUE. compare_numbers.py
// compares what two builds print; tools/check_processors runs both.
//
//   gp       likelihood, gradient and prediction of every golden case, in double
//   network  the parameters that the embedded network answers for every golden case it can read, in float
#include <cstdio>
#include <string>

#include "instantgp/gp/marginal_likelihood.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/inference/trained_network.h"
#include "instantgp/kernel/structure.h"
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

void PrintNetwork(std::size_t number, const testing::GoldenInputs& in) {
  const auto structure = ToStructure(in.expression);
  if (!structure || in.X.rows() < 2) return;
  ScaledTable table;
  table.X = in.X;
  table.y = in.y;
  const TrainedNetwork& network = TrainedNetwork::Embedded();
  const Matrix theta = network.Decode(network.Encode(std::move(table)), *structure);
  for (Index k = 0; k < theta.cols(); ++k) {
    for (Index p = 0; p < theta.rows(); ++p) {
      Print("network", number, std::to_string(k) + "." + std::to_string(p), theta(p, k));
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
