// JSON that stays JSON: one value of a document becomes another, goes away or comes twice. For fuzzers alone.
#pragma once

#include <nlohmann/json.hpp>
#include <random>
#include <string>

namespace instantgp::fuzz {

using Random = std::minstd_rand;

void MutateJson(nlohmann::json& document, Random& random);
// Bytes changed by libFuzzer, its dictionary and what it has seen compared included; at most `most` of them.
std::string MutatedBytes(const std::string& bytes, std::size_t most, Random& random);
// As text; what is not UTF-8 is replaced.
std::string JsonText(const nlohmann::json& document);

}  // namespace instantgp::fuzz
