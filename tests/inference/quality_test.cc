// The shipped weights must be as good as docs/model-card.md says: its JSON block holds the figures of this test.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "instantgp/base/file.h"
#include "instantgp/data/csv.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/inference/hypotheses_from_data.h"
#include "instantgp/inference/oneshot.h"
#include "instantgp/model/fit.h"
#include "instantgp/simulate/distribution.h"

namespace instantgp {
namespace {

// Rounding differs between machines, and a hypothesis may win by a hair: figures may move this much.
constexpr double kSlack = 0.004;

nlohmann::json CardFigures() {
  const std::string card = ReadFile(std::string(INSTANTGP_SOURCE_DIR) + "/docs/model-card.md");
  const std::size_t begin = card.find("```json\n");
  const std::size_t end = card.find("\n```", begin);
  EXPECT_NE(end, std::string::npos);
  return nlohmann::json::parse(card.substr(begin + 8, end - begin - 8));
}

void ExpectNotWorse(const std::string& name, double value, const nlohmann::json& card) {
  EXPECT_LE(value, card.at(name).get<double>() + kSlack) << name;
  ::testing::Test::RecordProperty(name, std::to_string(value));
  std::printf("  \"%s\": %.4f,\n", name.c_str(), value);
}

TEST(Quality, GapToTheTruthOnAFixedSet) {
  const nlohmann::json card = CardFigures();
  const TrainedNetwork& network = TrainedNetwork::Embedded();
  SimulationOptions options;
  options.positives_only = true;
  std::vector<double> gaps;
  for (std::uint64_t k = 0; k < 300; ++k) {
    const Simulated s = Simulate(options, 1002003, k);
    const OneShot found = InferOneShot(network, network.Encode(AlreadyScaled(s.X, s.y)), s.given);
    gaps.push_back(found.posterior.nlml() - Posterior(ToExpression(s.truth), s.X, s.y, s.theta).nlml());
  }
  std::sort(gaps.begin(), gaps.end());
  double sum = 0;
  for (const double gap : gaps) sum += gap;
  ExpectNotWorse("gap_mean", sum / static_cast<double>(gaps.size()), card);
  ExpectNotWorse("gap_median", 0.5 * (gaps[149] + gaps[150]), card);
  ExpectNotWorse("gap_p90", gaps[269], card);
}

TEST(Quality, TheExampleOfTheAirline) {
  const nlohmann::json card = CardFigures();
  const Dataset data = ReadCsv(std::string(INSTANTGP_SOURCE_DIR) + "/examples/airline.csv");
  for (const char* kernel : {"SE", "LIN + SE*PER", "SE*LIN + PER"}) {
    ExpectNotWorse("airline " + std::string(kernel), Fit(data, kernel).summary().nlml, card);
  }
}

}  // namespace
}  // namespace instantgp
