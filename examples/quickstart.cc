// Fits the airline passengers and predicts the next year.
#include <instantgp/instantgp.h>

#include <cstdio>

int main(int argc, char** argv) {
  const instantgp::Dataset data = argc > 1 ? instantgp::ReadCsv(argv[1]) : instantgp::AirlineExample();
  const instantgp::Model model = instantgp::Fit(data, "LIN + SE*PER", {.method = instantgp::Method::kMultiStart});
  const instantgp::Vector months = instantgp::Vector::LinSpaced(12, 145, 156);
  const instantgp::Prediction next = model.Predict(months);
  for (int i = 0; i < 12; ++i) std::printf("month %3.0f: %5.1f +- %4.1f\n", months[i], next.mean[i], next.std[i]);
}
