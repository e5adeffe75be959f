// The ten lines of the README: the month after the last one.
#include <instantgp/instantgp.h>

#include <cstdio>

int main(int, char** argv) {
  const auto data = instantgp::ReadCsv(argv[1]);
  const auto model = instantgp::Fit(data, "SE*PER + LIN");
  const instantgp::Matrix next_month = instantgp::Matrix::Constant(1, 1, data.rows() + 1);
  const auto next = model.Predict(next_month);
  std::printf("%s: %.1f +- %.1f\n", data.target_name.c_str(), next.mean(0), next.std(0));
}
