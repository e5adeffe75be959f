// Prints what C++ computes, every bit of it, for parity_test.py: name, then numbers in hexadecimal.
//   python_parity DATA.csv KERNEL METHOD [TRANSFORM]     fit, predict at the first rows, sample
//   python_parity DATA.csv ensemble          the built-in kernels
//   python_parity forecast HORIZON SEASON    of the values on standard input: a line per step, in decimal
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "instantgp/base/blas_kernels.h"
#include "instantgp/data/csv.h"
#include "instantgp/forecast/forecast.h"
#include "instantgp/gp/predictive.h"
#include "instantgp/model/fit.h"
#include "instantgp/model/fit_ensemble.h"

namespace {

using instantgp::Matrix;
using instantgp::Vector;

constexpr int kRows = 5;

void Print(const char* name, const Vector& values) {
  std::printf("%s", name);
  for (const double value : values) std::printf(" %a", value);
  std::printf("\n");
}

void Print(const char* name, double value) { Print(name, Vector::Constant(1, value)); }

int PrintForecast(int horizon, double season) {
  std::vector<double> values;
  for (double value = 0; std::cin >> value;) values.push_back(value);
  const instantgp::Forecasted next = instantgp::Forecast(values, {.horizon = horizon, .seasons = {season}});
  for (const instantgp::ForecastStep& step : next.steps) {
    std::printf("%.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", step.mean, step.median, step.std, step.lower[0],
                step.upper[0], step.lower[1], step.upper[1]);
  }
  return next.ok ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  instantgp::ChooseBlasKernels();  // as the program and the Python module do
  if (std::string(argv[1]) == "forecast") return PrintForecast(std::atoi(argv[2]), argc > 3 ? std::atof(argv[3]) : 0);
  const instantgp::Dataset data = instantgp::ReadCsv(argv[1]);
  const Matrix X = data.X.topRows(kRows);
  if (std::string(argv[2]) == "ensemble") {
    const instantgp::Ensemble ensemble = instantgp::FitEnsemble(data, instantgp::BuiltInKernels());
    Vector weights(static_cast<instantgp::Index>(ensemble.members().size()));
    for (instantgp::Index k = 0; k < weights.size(); ++k) weights[k] = ensemble.members()[k].weight;
    Print("weights", weights);
    const instantgp::Mixture mixture = ensemble.Predict(X);
    Print("mean", mixture.Mean());
    Print("std", mixture.Std());
    return 0;
  }
  instantgp::FitOptions options;
  options.method = instantgp::MethodFromName(argv[3]).value();
  if (argc > 4) options.transform = instantgp::TransformChoiceFromName(argv[4]);
  const instantgp::Model model = instantgp::Fit(data, argv[2], options);
  Print("theta", model.predictive().theta());
  Print("nlml_per_point", model.predictive().nlml());
  Print("log_marginal_likelihood", model.predictive().log_marginal_likelihood());
  Print("noise_variance", model.NoiseVariance());
  Print("mean", model.Predict(X).mean);
  Print("std", model.Predict(X).std);
  Print("median", model.Predict(X).Median());
  Print("upper95", model.Predict(X).Upper(0.95));
  Print("nll", model.Score(X, data.y.head(kRows)).nll);
  Print("sample", model.Sample(X, 1, 3).col(0));
}
