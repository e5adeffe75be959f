// Reading the keys of a JSON object one by one, each with its type, and refusing those that nobody asked for.
//
// Every mistake is an Error(kBadInput) that names the origin and the path of the key.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "instantgp/base/error.h"

namespace instantgp {

[[noreturn]] inline void FailToRead(const std::string& origin, const std::string& message) {
  throw Error(ErrorCode::kBadInput, origin + ": " + message);
}

// Reads the keys of one object; Finish() refuses those nobody asked for.
class JsonFields {
 public:
  JsonFields(const nlohmann::ordered_json& object, std::string path, const std::string& origin)
      : object_(object), path_(std::move(path)), origin_(origin) {
    if (!object.is_object())
      FailToRead(origin_, (path_.empty() ? "the document" : "'" + path_ + "'") + " must be an object");
  }

  // The value of a key or null when it is absent.
  const nlohmann::ordered_json* Find(const std::string& key) {
    known_.insert(key);
    const auto it = object_.find(key);
    return it == object_.end() ? nullptr : &*it;
  }
  std::string Path(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }
  const std::string& origin() const { return origin_; }

  void Read(const std::string& key, double& value) {
    if (const nlohmann::ordered_json* json = Find(key)) {
      if (!json->is_number()) FailToRead(origin_, "'" + Path(key) + "' must be a number");
      value = json->get<double>();
    }
  }
  template <typename Integer>
  void ReadInteger(const std::string& key, Integer& value) {
    if (const nlohmann::ordered_json* json = Find(key)) {
      // 1e6 is a convenient way to write an integer.
      const bool whole = json->is_number_float() && std::abs(json->get<double>()) < 9e15 &&
                         json->get<double>() == std::floor(json->get<double>());
      if (!json->is_number_integer() && !whole) FailToRead(origin_, "'" + Path(key) + "' must be an integer");
      const auto number = whole ? static_cast<std::int64_t>(json->get<double>()) : json->get<std::int64_t>();
      if (std::cmp_less(number, std::numeric_limits<Integer>::min()) ||
          std::cmp_greater(number, std::numeric_limits<Integer>::max())) {
        FailToRead(origin_, "'" + Path(key) + "' is out of range");
      }
      value = static_cast<Integer>(number);
    }
  }
  void Read(const std::string& key, int& value) { ReadInteger(key, value); }
  void Read(const std::string& key, std::int64_t& value) { ReadInteger(key, value); }
  void Read(const std::string& key, std::uint64_t& value) { ReadInteger(key, value); }
  void Read(const std::string& key, bool& value) {
    if (const nlohmann::ordered_json* json = Find(key)) {
      if (!json->is_boolean()) FailToRead(origin_, "'" + Path(key) + "' must be true or false");
      value = json->get<bool>();
    }
  }
  void Read(const std::string& key, std::string& value) {
    if (const nlohmann::ordered_json* json = Find(key)) {
      if (!json->is_string()) FailToRead(origin_, "'" + Path(key) + "' must be a string");
      value = json->get<std::string>();
    }
  }
  template <typename Enum, std::size_t N>
  void Read(const std::string& key, const std::array<std::pair<const char*, Enum>, N>& names, Enum& value) {
    std::string text;
    Read(key, text);
    if (!Find(key)) return;
    std::string all;
    for (const auto& [name, candidate] : names) {
      if (text == name) {
        value = candidate;
        return;
      }
      all += (all.empty() ? "" : ", ") + std::string(name);
    }
    FailToRead(origin_, "'" + Path(key) + "' is '" + text + "'; it must be one of " + all);
  }

  void Finish() const {
    for (const auto& [key, value] : object_.items()) {
      if (known_.contains(key)) continue;
      std::string all;
      for (const std::string& name : known_) all += (all.empty() ? "" : ", ") + name;
      FailToRead(origin_, "unknown key '" + Path(key) + "'; known here: " + all);
    }
  }

 private:
  const nlohmann::ordered_json& object_;
  std::string path_;
  const std::string& origin_;
  std::set<std::string> known_;
};

}  // namespace instantgp
