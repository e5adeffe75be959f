#include "instantgp/forecast/priors.h"

#include <charconv>
#include <cmath>

#include "instantgp/base/error.h"
#include "instantgp/base/from_chars.h"

namespace instantgp {
namespace {

constexpr std::string_view kFirstLine = "instantgp priors 1";

std::string AllDigits(double value) {
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

template <typename Number>
bool ReadNumber(std::string_view text, Number* value) {
  const auto [end, error] = FromChars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

void ForecastPriors::Set(const std::string& name, const LogNormalPrior& prior) { priors_[name] = prior; }

std::optional<LogNormalPrior> ForecastPriors::Find(const std::string& name) const {
  const auto found = priors_.find(name);
  return found == priors_.end() ? std::nullopt : std::optional(found->second);
}

std::string ForecastPriors::Text() const {
  std::string text = std::string(kFirstLine) + "\nseries " + std::to_string(learning_.series) + "\nshare " +
                     AllDigits(learning_.share) + "\nscore " + AllDigits(learning_.score) + "\n";
  for (const auto& [name, prior] : priors_) {
    text += name + " " + AllDigits(prior.mean) + " " + AllDigits(prior.std) + "\n";
  }
  return text;
}

ForecastPriors ForecastPriors::FromText(std::string_view text) {
  ForecastPriors priors;
  int number = 0;
  const auto fail = [&] {
    throw Error(ErrorCode::kBadInput,
                "these are no priors that were learned: see line " + std::to_string(number) + " of their text");
  };
  const auto next = [&] {
    ++number;
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) fail();  // nothing, or cut off
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    return line;
  };
  const auto named = [&](std::string_view name, auto* value) {
    const std::string_view line = next();
    if (!line.starts_with(name) || !ReadNumber(line.substr(name.size()), value)) fail();
  };
  if (next() != kFirstLine) fail();
  named("series ", &priors.learning_.series);
  named("share ", &priors.learning_.share);
  named("score ", &priors.learning_.score);
  while (!text.empty()) {
    const std::string_view line = next();
    const std::size_t first = line.find(' '), second = line.find(' ', first + 1);
    LogNormalPrior prior;
    if (first == 0 || first == std::string_view::npos || second == std::string_view::npos ||
        !ReadNumber(line.substr(first + 1, second - first - 1), &prior.mean) ||
        !ReadNumber(line.substr(second + 1), &prior.std) || !std::isfinite(prior.mean) ||
        !(prior.std > 0 && std::isfinite(prior.std))) {
      fail();
    }
    priors.priors_[std::string(line.substr(0, first))] = prior;
  }
  return priors;
}

}  // namespace instantgp
