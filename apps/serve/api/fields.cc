#include "apps/serve/api/fields.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "apps/cli/options/common.h"
#include "apps/serve/http/url.h"
#include "instantgp/base/diagnosis.h"
#include "instantgp/base/from_chars.h"

namespace instantgp::serve {
namespace {

constexpr int kDeepest = 8;

std::string Canonical(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

[[noreturn]] void FailField(const std::string& name, const std::string& what) {
  throw Error(ErrorCode::kUsage, "the option '" + name + "' " + what, {{name}});
}

std::string Plain(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.12g", value);
  return text;
}

std::optional<double> NumberOf(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  const std::string& text = value.get_ref<const std::string&>();
  double number = 0;
  const auto [end, error] = FromChars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

}  // namespace

Fields Fields::FromJson(std::string_view text) {
  Fields fields;
  try {
    fields.values_ = Json::parse(text, [](int depth, Json::parse_event_t, Json&) {
      if (depth > kDeepest) {
        throw HttpError(400, "the JSON is nested more than " + std::to_string(kDeepest) + " levels deep");
      }
      return true;
    });
  } catch (const Json::exception& error) {
    throw HttpError(400, std::string("the body is no JSON: ") + OneLine(error.what()));
  }
  if (!fields.values_.is_object()) throw HttpError(400, "the body must be a JSON object: {\"csv\": \"...\"}");
  Json canonical = Json::object();
  for (auto& [name, value] : fields.values_.items()) canonical[Canonical(name)] = std::move(value);
  fields.values_ = std::move(canonical);
  return fields;
}

Fields Fields::Of(const Request& request) {
  const std::string& type = request.content_type;
  const std::string kind = type.substr(0, type.find(';'));
  if (kind == "application/json" || kind.ends_with("+json")) {
    Fields fields = FromJson(request.body);
    for (auto& [name, value] : ParseQuery(request.query)) fields.values_[Canonical(name)] = std::move(value);
    return fields;
  }
  if (kind != "text/csv" && kind != "text/plain" && kind != "text/tab-separated-values" && !kind.empty()) {
    throw HttpError(415,
                    "send application/json, or text/csv with the options in the query, not '" + OneLine(kind) + "'");
  }
  Fields fields;
  for (auto& [name, value] : ParseQuery(request.query)) fields.values_[Canonical(name)] = std::move(value);
  if (!request.body.empty()) fields.values_["csv"] = request.body;
  return fields;
}

const Json* Fields::Find(const std::string& name) {
  known_.insert(name);
  const auto found = values_.find(name);
  return found == values_.end() || found->is_null() ? nullptr : &*found;
}

bool Fields::Has(const std::string& name) const {
  const auto found = values_.find(name);
  return found != values_.end() && !found->is_null();
}

const Json* Fields::Raw(const std::string& name) { return Find(name); }

std::string Fields::Text(const std::string& name, const std::string& otherwise) {
  const Json* value = Find(name);
  if (value == nullptr) return otherwise;
  if (value->is_number_integer()) return std::to_string(value->get<std::int64_t>());  // a column by its number
  if (!value->is_string()) FailField(name, "takes a text");
  return value->get<std::string>();
}

std::string Fields::OneOf(const std::string& name, const std::vector<std::string>& allowed) {
  std::string text = Text(name, allowed.front());
  if (std::find(allowed.begin(), allowed.end(), text) != allowed.end()) return text;
  std::string list;
  for (const std::string& one : allowed) list += (list.empty() ? "" : ", ") + one;
  FailField(name, "does not know '" + OneLine(text) + "'; use one of " + list);
}

std::optional<double> Fields::Number(const std::string& name, double least, double most) {
  const Json* value = Find(name);
  if (value == nullptr) return std::nullopt;
  const std::optional<double> number = NumberOf(*value);
  if (!number || !(*number >= least && *number <= most)) {
    FailField(name, "takes a number from " + Plain(least) + " to " + Plain(most));
  }
  return number;
}

std::optional<int> Fields::OptionalInt(const std::string& name, int least, int most) {
  const std::optional<double> number = Number(name, least, most);
  if (!number) return std::nullopt;
  if (*number != std::floor(*number)) FailField(name, "takes a whole number");
  return static_cast<int>(*number);
}

int Fields::Int(const std::string& name, int least, int most, int otherwise) {
  return OptionalInt(name, least, most).value_or(otherwise);
}

std::uint64_t Fields::Seed() {
  const Json* value = Find("seed");
  if (value == nullptr) return 0;
  if (value->is_number_unsigned()) return value->get<std::uint64_t>();
  if (value->is_string()) {
    const std::string& text = value->get_ref<const std::string&>();
    std::uint64_t seed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (error == std::errc() && end == text.data() + text.size()) return seed;
  }
  FailField("seed", "takes a whole number from 0 on");
}

bool Fields::Flag(const std::string& name, bool otherwise) {
  const Json* value = Find(name);
  if (value == nullptr) return otherwise;
  if (value->is_boolean()) return value->get<bool>();
  if (value->is_string()) {
    const std::string& text = value->get_ref<const std::string&>();
    if (text == "true" || text == "1" || text.empty()) return true;
    if (text == "false" || text == "0") return false;
  }
  FailField(name, "takes true or false");
}

std::vector<std::string> Fields::Texts(const std::string& name) {
  const Json* value = Find(name);
  if (value == nullptr) return {};
  if (value->is_string()) return cli::SplitAtCommas(value->get<std::string>());
  std::vector<std::string> texts;
  if (value->is_array()) {
    for (const Json& one : *value) {
      if (!one.is_string()) break;
      texts.push_back(one.get<std::string>());
    }
  }
  if (!value->is_array() || texts.size() != value->size()) FailField(name, "takes a list of texts");
  return texts;
}

std::vector<double> Fields::Numbers(const std::string& name, std::vector<double> otherwise) {
  const Json* value = Find(name);
  if (value == nullptr) return otherwise;
  std::vector<double> numbers;
  const auto add = [&](const Json& one) {
    const std::optional<double> number = NumberOf(one);
    if (!number) FailField(name, "takes numbers");
    numbers.push_back(*number);
  };
  if (value->is_array()) {
    for (const Json& one : *value) add(one);
  } else if (value->is_string()) {
    for (const std::string& part : cli::SplitAtCommas(value->get<std::string>())) add(part);
  } else {
    add(*value);
  }
  return numbers;
}

void Fields::CheckAllUsed() const {
  for (const auto& [name, value] : values_.items()) {
    if (known_.contains(name)) continue;
    const std::string nearest = Nearest(name, {known_.begin(), known_.end()});
    throw Error(ErrorCode::kUsage, "there is no option '" + OneLine(name) + "' here" +
                                       (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
  }
}

}  // namespace instantgp::serve
