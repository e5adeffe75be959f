// JSON that is read.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace instantgp {

// A document of the JSON library that is destroyed without asking for memory. Its own destructor asks for some, against
// documents nested so deeply that the stack would not do, and where there is none the process ends.
class ParsedJson {
 public:
  // Text that is not JSON: throws nlohmann::json::exception.
  explicit ParsedJson(std::string_view text) : value_(nlohmann::json::parse(text)) {}
  ~ParsedJson() { Empty(value_, kDeepest); }
  ParsedJson(const ParsedJson&) = delete;
  ParsedJson& operator=(const ParsedJson&) = delete;

  const nlohmann::json& value() const { return value_; }

 private:
  static constexpr int kDeepest = 50;  // what lies deeper is left to the library

  // An empty object or array has nothing to ask memory for.
  static void Empty(nlohmann::json& json, int depth) noexcept {
    if (depth == 0) return;
    if (auto* const object = json.get_ptr<nlohmann::json::object_t*>()) {
      for (auto& [name, child] : *object) Empty(child, depth - 1);
      object->clear();
    } else if (auto* const array = json.get_ptr<nlohmann::json::array_t*>()) {
      for (nlohmann::json& child : *array) Empty(child, depth - 1);
      array->clear();
    }
  }

  nlohmann::json value_;
};

}  // namespace instantgp
