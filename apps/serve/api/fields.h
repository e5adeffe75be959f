// The options of a request, whichever way they came: a JSON object, or a query.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "apps/serve/http/message.h"
#include "apps/serve/http/problem.h"

namespace instantgp::serve {

// Names are those of the command line; - and _ are the same. Every getter throws Error(kUsage) that names the option
// for a value of another kind or out of range.
class Fields {
 public:
  // application/json: the body. Anything else that is text: the query, with the body as "csv". HttpError 400 for JSON
  // that is broken, not UTF-8, nested too deeply or no object; 415 for other types.
  static Fields Of(const Request& request);
  static Fields FromJson(std::string_view text);

  bool Has(const std::string& name) const;
  std::string Text(const std::string& name, const std::string& otherwise = "");
  std::string OneOf(const std::string& name, const std::vector<std::string>& allowed);  // the first is the default
  std::optional<double> Number(const std::string& name, double least, double most);
  int Int(const std::string& name, int least, int most, int otherwise);
  std::optional<int> OptionalInt(const std::string& name, int least, int most);
  std::uint64_t Seed();
  bool Flag(const std::string& name, bool otherwise = false);
  // A list of texts, or one text with commas.
  std::vector<std::string> Texts(const std::string& name);
  // A list of numbers, or one text with commas.
  std::vector<double> Numbers(const std::string& name, std::vector<double> otherwise = {});
  // As it is; null when it is not there.
  const Json* Raw(const std::string& name);

  // Error(kUsage) for the first option that nobody asked for, with the nearest one that exists.
  void CheckAllUsed() const;

 private:
  const Json* Find(const std::string& name);

  Json values_ = Json::object();
  std::set<std::string> known_;
};

}  // namespace instantgp::serve
