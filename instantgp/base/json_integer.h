// Whole numbers from JSON of unknown origin. get<int>() takes 1e300, whose conversion is undefined, and cuts 2^32 + 1
// to 1; this takes numbers that are the same in Integer and no others.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

namespace instantgp {

// Throws Json::out_of_range, which is a nlohmann::json::exception, for a number that does not fit and for what is no
// number.
template <typename Integer, typename Json>
Integer JsonInteger(const Json& json) {
  constexpr double kWhole = 9e15;  // below 2^53: a double that is whole is that number
  if (json.is_number_unsigned() && std::in_range<Integer>(json.template get<std::uint64_t>())) {
    return static_cast<Integer>(json.template get<std::uint64_t>());
  }
  if (json.is_number_integer() && !json.is_number_unsigned() &&
      std::in_range<Integer>(json.template get<std::int64_t>())) {
    return static_cast<Integer>(json.template get<std::int64_t>());
  }
  if (json.is_number_float()) {
    const double value = json.template get<double>();
    if (std::abs(value) < kWhole && value == std::floor(value) &&
        std::in_range<Integer>(static_cast<std::int64_t>(value))) {
      return static_cast<Integer>(value);
    }
  }
  throw Json::out_of_range::create(406, "an integer is expected that fits its place", &json);
}

}  // namespace instantgp
