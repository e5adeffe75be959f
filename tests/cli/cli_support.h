// Shared by the tests of the program.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "instantgp/base/rng.h"
#include "tests/support/subprocess.h"

namespace instantgp::testing {

inline ProcessResult Cli(std::vector<std::string> arguments, const std::string& input = "",
                         int interrupt_after_ms = 0) {
  arguments.insert(arguments.begin(), INSTANTGP_CLI);
  return RunProcess(arguments, input, interrupt_after_ms);
}

// A failure as the contract wants it: the code, a message of ours on stderr, nothing on stdout.
inline void ExpectFails(const ProcessResult& result, int code, const std::string& mentions = "") {
  EXPECT_EQ(result.code, code) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err.rfind("instantgp: ", 0), 0u) << result.err;
  EXPECT_NE(result.err.find(mentions), std::string::npos) << result.err;
}

inline nlohmann::json ParseJson(const ProcessResult& result) {
  EXPECT_EQ(result.code, 0) << result.err;
  nlohmann::json document = nlohmann::json::parse(result.out, nullptr, false);
  EXPECT_FALSE(document.is_discarded()) << result.out;
  return document;
}

// y = x1 + noise over d columns, with a header.
inline std::string RandomCsv(int n, int d, std::uint64_t seed = 1) {
  RandomStream random(seed);
  std::string text;
  for (int k = 0; k < d; ++k) text += "x" + std::to_string(k + 1) + ",";
  text += "y\n";
  for (int i = 0; i < n; ++i) {
    double first = 0;
    for (int k = 0; k < d; ++k) {
      const double x = random.Uniform();
      if (k == 0) first = x;
      text += std::to_string(x) + ",";
    }
    text += std::to_string(first + 0.1 * random.Normal()) + "\n";
  }
  return text;
}

}  // namespace instantgp::testing
