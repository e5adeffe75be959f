// Model files in which one tensor is not as it should be.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "instantgp/base/error.h"
#include "instantgp/base/safetensors.h"
#include "instantgp/model/model.h"

namespace instantgp::testing {

// Each tensor in turn missing, one element longer, and full of NaN: all are refused.
inline void ExpectEveryTensorIsChecked(const TensorFile& good) {
  for (const auto& [name, tensor] : good.tensors) {
    TensorFile file = good;
    file.tensors.erase(name);
    EXPECT_THROW(ParseModel(SerializeTensors(file), "without " + name), Error);
    const std::vector<double> longer(static_cast<std::size_t>(tensor.elements()) + 1, 1.0);
    file.tensors[name] = MakeTensor(longer.data(), {tensor.elements() + 1});
    EXPECT_THROW(ParseModel(SerializeTensors(file), "longer " + name), Error);
    const std::vector<double> nothing(static_cast<std::size_t>(tensor.elements()), std::nan(""));
    file.tensors[name] = MakeTensor(nothing.data(), tensor.shape);
    EXPECT_THROW(ParseModel(SerializeTensors(file), "NaN in " + name), Error);
  }
}

// Calls visit(number) for every integer of the document.
template <typename Visit>
void ForEachInteger(nlohmann::json& node, const Visit& visit) {
  if (node.is_number_integer()) return visit(node);
  if (!node.is_structured()) return;
  for (nlohmann::json& child : node) ForEachInteger(child, visit);
}

// Each integer of the description in turn as a number that no integer can hold, and as a fraction: all are refused.
inline void ExpectEveryIntegerIsChecked(const TensorFile& good, const std::string& key) {
  nlohmann::json description = nlohmann::json::parse(good.metadata.at(key));
  ForEachInteger(description, [&](nlohmann::json& number) {
    const nlohmann::json kept = number;
    for (const double odd : {1e300, -1e300, 0.25}) {
      number = odd;
      TensorFile file = good;
      file.metadata[key] = description.dump();
      EXPECT_THROW(ParseModel(SerializeTensors(file), "odd"), Error) << description.dump();
    }
    number = kept;
  });
}

}  // namespace instantgp::testing
