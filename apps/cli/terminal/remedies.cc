#include "apps/cli/terminal/remedies.h"

#include <algorithm>

namespace instantgp::cli {

std::string Flags(std::span<const Remedy> remedies) {
  std::string text;
  for (const Remedy& remedy : remedies) {
    std::string option = remedy.option;
    std::replace(option.begin(), option.end(), '_', '-');
    text += (text.empty() ? "--" : " --") + option;
    if (!remedy.value.empty()) text += " " + remedy.value;
  }
  return text;
}

std::string MessageOf(const Error& error) {
  const std::string flags = Flags(error.remedies());
  if (flags.empty()) return error.what();
  // An option without a value is one that was given wrongly.
  const bool advice = std::any_of(error.remedies().begin(), error.remedies().end(),
                                  [](const Remedy& remedy) { return !remedy.value.empty(); });
  return error.what() + std::string(advice ? "\ntry: " : "\nsee: ") + flags;
}

}  // namespace instantgp::cli
