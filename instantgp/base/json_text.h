// JSON to be written, each value as its text. The documents of the JSON library ask for memory when they are destroyed,
// which ends the process where there is none left, and one that is half built may crash; here want of memory is
// std::bad_alloc and nothing more.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>

namespace instantgp {

class JsonObject;
class JsonArray;

// Of a number, a truth value, a text (which must be UTF-8), an object, an array, or a range of those.
template <typename Value>
std::string JsonText(const Value& value);

class JsonArray {
 public:
  template <typename Value>
  void Add(const Value& value) {
    text_ += (text_.empty() ? "" : ",") + JsonText(value);
  }
  std::string Text() const { return "[" + text_ + "]"; }

 private:
  std::string text_;
};

// Its keys are written in alphabetical order.
class JsonObject {
 public:
  template <typename Value>
  JsonObject& Set(const std::string& key, const Value& value) {
    members_[key] = JsonText(value);
    return *this;
  }
  std::string Text() const {
    std::string text;
    for (const auto& [key, value] : members_) text += (text.empty() ? "" : ",") + JsonText(key) + ":" + value;
    return "{" + text + "}";
  }

 private:
  std::map<std::string, std::string> members_;
};

template <typename Value>
std::string JsonText(const Value& value) {
  if constexpr (requires { value.Text(); }) {
    return value.Text();
  } else if constexpr (std::ranges::range<Value> && !std::is_convertible_v<Value, std::string_view>) {
    JsonArray array;
    for (const auto& item : value) array.Add(item);
    return array.Text();
  } else {
    return nlohmann::json(value).dump();  // neither object nor array
  }
}

}  // namespace instantgp
