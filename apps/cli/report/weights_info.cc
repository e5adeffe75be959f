#include "apps/cli/report/weights_info.h"

#include "instantgp/base/safetensors.h"
#include "instantgp/network/network.h"
#include "instantgp/network/weights.h"

namespace instantgp::cli {
namespace {

std::string BlockText(const BlockConfig& block) {
  return std::to_string(block.layers) + " x " + std::to_string(block.width);
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string InputText(const NetworkConfig& config) {
  std::string text = "x, y";
  if (!config.fourier.empty()) text += ", " + std::to_string(2 * config.fourier.size()) + " Fourier features of x";
  if (config.pair_statistics) text += "; pair statistics";
  return text;
}

}  // namespace

Json WeightsJson(std::string_view bytes, const std::string& origin) {
  const NetworkWeights weights = ParseWeights(bytes, origin);
  Json j;
  j["architecture"] = Json::parse(ToJson(weights.config));
  j["parameters"] = weights.values.size();
  j["trained_range"] = {{"max_n", weights.config.trained_max_n}, {"max_d", weights.config.trained_max_d}};
  j["datasets_seen"] = weights.datasets_seen;
  j["validation"] = weights.validation;
  j["checksum"] = ViewTensors(bytes, origin).checksum;
  return j;
}

std::string WeightsText(std::string_view bytes, const std::string& origin) {
  const NetworkWeights weights = ParseWeights(bytes, origin);
  const NetworkConfig& c = weights.config;
  std::vector<std::vector<std::string>> rows = {
      {"network", c.name + ", " + std::to_string(weights.values.size()) + " weights"},
      {"dataset encoder", BlockText(c.t1) + ", " + BlockText(c.t2) + ", " + BlockText(c.t3) + ", " + BlockText(c.t4) +
                              " (layers x width), " + std::to_string(c.heads) + " heads"},
      {"kernel decoder", BlockText(c.kernel1) + ", " + BlockText(c.cross) + ", " + BlockText(c.kernel2)},
      {"reads", InputText(c)},
      {"answers", std::to_string(c.hypotheses) + (c.hypotheses == 1 ? " hypothesis" : " hypotheses") +
                      " per structure" + (c.closed_form_scale ? ", overall scale in closed form" : "")},
      {"symbols", Joined(c.symbols)},
      {"trained range",
       "up to " + std::to_string(c.trained_max_n) + " rows and " + std::to_string(c.trained_max_d) + " columns"},
      {"datasets seen", std::to_string(weights.datasets_seen)}};
  for (const auto& [name, value] : weights.validation) rows.push_back({"validation " + name, Short(value)});
  rows.push_back({"file", std::to_string(bytes.size()) + " bytes, checksum " + ViewTensors(bytes, origin).checksum});
  return FormatTable(rows, 2);
}

}  // namespace instantgp::cli
