#include "instantgp/kernel/column_text.h"

#include <algorithm>
#include <charconv>

#include "instantgp/base/check.h"

namespace instantgp {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsPlainIdentifier(std::string_view name) {
  return !name.empty() && IsLetter(name.front()) &&
         std::all_of(name.begin(), name.end(), [](char c) { return IsLetter(c) || IsDigit(c); });
}

bool AllDigits(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), IsDigit); }

ColumnLookup ByIndex(std::string_view digits, std::size_t num_columns) {
  std::size_t index = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (parsed.ec != std::errc() || index < 1 || index > num_columns) return {Lookup::kOutOfRange, -1};
  return {Lookup::kFound, static_cast<int>(index - 1)};
}

}  // namespace

std::string QuotedName(std::string_view name) {
  std::string text = "\"";
  for (char c : name) {
    switch (c) {
      case '"':
        text += "\\\"";
        break;
      case '\\':
        text += "\\\\";
        break;
      case '\n':
        text += "\\n";
        break;
      case '\r':
        text += "\\r";
        break;
      case '\t':
        text += "\\t";
        break;
      default:
        text += c;
    }
  }
  return text + '"';
}

std::string ColumnText(int column, const std::vector<std::string>& column_names) {
  INSTANTGP_CHECK(column >= 0 && column < static_cast<int>(column_names.size()));
  const std::string& name = column_names[static_cast<std::size_t>(column)];
  if (std::count(column_names.begin(), column_names.end(), name) > 1) {
    const std::string index = std::to_string(column + 1);
    const bool taken = std::find(column_names.begin(), column_names.end(), index) != column_names.end();
    return taken ? "x" + index : index;
  }
  return IsPlainIdentifier(name) ? name : QuotedName(name);
}

ColumnLookup FindColumn(std::string_view text, bool quoted, const std::vector<std::string>& column_names) {
  const auto first = std::find(column_names.begin(), column_names.end(), text);
  if (first != column_names.end()) {
    if (std::find(first + 1, column_names.end(), text) != column_names.end()) return {Lookup::kAmbiguous, -1};
    return {Lookup::kFound, static_cast<int>(first - column_names.begin())};
  }
  if (quoted) return {Lookup::kUnknown, -1};
  if (AllDigits(text)) return ByIndex(text, column_names.size());
  if (text.size() > 1 && (text.front() == 'x' || text.front() == 'X') && AllDigits(text.substr(1))) {
    return ByIndex(text.substr(1), column_names.size());
  }
  return {Lookup::kUnknown, -1};
}

}  // namespace instantgp
