#include "tests/fuzz/json_mutation.h"

#include <array>
#include <cstdint>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace instantgp::fuzz {
namespace {

using nlohmann::json;

std::size_t Pick(Random& random, std::size_t count) { return random() % count; }

json OddValue(Random& random) {
  static const std::vector<json> values = {0,
                                           1,
                                           -1,
                                           2,
                                           3,
                                           7,
                                           64,
                                           INT32_MAX,
                                           std::int64_t{1} << 31,
                                           INT64_MAX,
                                           INT64_MIN,
                                           0.5,
                                           1e-9,
                                           -1e18,
                                           1e19,
                                           1e308,
                                           UINT64_MAX,
                                           -0.0,
                                           std::uint64_t{1} << 53,
                                           "",
                                           "a",
                                           "SE",
                                           "1",
                                           true,
                                           false,
                                           json(),
                                           json::array(),
                                           json::object(),
                                           {1, 2},
                                           5e-324,
                                           std::string(300, 'x'),
                                           "\xc3\xa9\n\"",
                                           "%Y-%m-%d"};
  return values[Pick(random, values.size())];
}

void Collect(json& node, std::vector<json*>& nodes, int depth = 0) {
  nodes.push_back(&node);
  if (!node.is_structured() || depth > 40) return;
  for (json& child : node) Collect(child, nodes, depth + 1);
}

void ChangeNumber(json& node, Random& random) {
  const double value = node.get<double>();
  const std::array<double, 6> others = {value + 1, value - 1, value * 2, value / 2, -value, value * 1e6};
  const double other = others[Pick(random, others.size())];
  if (node.is_number_integer() && std::abs(other) < 1e15) {
    node = static_cast<std::int64_t>(other);
  } else {
    node = other;
  }
}

void ChangeChildren(json& node, Random& random) {
  if (node.empty()) {
    if (node.is_array()) node.push_back(OddValue(random));
    return;
  }
  auto at = node.begin();
  std::advance(at, static_cast<std::ptrdiff_t>(Pick(random, node.size())));
  const std::size_t what = Pick(random, 3);
  if (what == 0) {
    node.erase(at);
  } else if (node.is_array()) {
    const json copy = what == 1 ? *at : OddValue(random);
    node.push_back(copy);
  } else {
    const json copy = *at;
    node[what == 1 ? "odd" : at.key() + "_"] = copy;
  }
}

}  // namespace

std::string MutatedBytes(const std::string& bytes, std::size_t most, Random&) {
  std::string mutated = bytes;
  mutated.resize(std::max(most, bytes.size()));
  mutated.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(mutated.data()), bytes.size(), mutated.size()));
  return mutated;
}

void MutateJson(json& document, Random& random) {
  std::vector<json*> nodes;
  Collect(document, nodes);
  json& node = *nodes[Pick(random, nodes.size())];
  const std::size_t what = Pick(random, 8);
  if (what == 0) {
    node = OddValue(random);
  } else if (what == 1) {
    const json other = *nodes[Pick(random, nodes.size())];
    node = other;
  } else if (node.is_structured()) {
    ChangeChildren(node, random);
  } else if (node.is_number()) {
    ChangeNumber(node, random);
  } else if (node.is_string()) {
    node = MutatedBytes(node.get<std::string>(), node.get_ref<const std::string&>().size() + 16, random);
  } else {
    node = OddValue(random);
  }
}

std::string JsonText(const json& document) { return document.dump(-1, ' ', false, json::error_handler_t::replace); }

}  // namespace instantgp::fuzz
