// Model files in which one tensor is not as it should be.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
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

}  // namespace instantgp::testing
