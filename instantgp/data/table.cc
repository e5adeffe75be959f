// What is done with a table once it is read: columns by name, the dataset in it, and writing one.
#include <charconv>
#include <utility>

#include "instantgp/base/check.h"
#include "instantgp/base/diagnosis.h"
#include "instantgp/base/error.h"
#include "instantgp/data/csv.h"
#include "instantgp/data/raw_table.h"
#include "instantgp/data/text_check.h"

namespace instantgp {

namespace {

std::string ListOf(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 20;
  std::string list;
  for (std::size_t j = 0; j < names.size() && j < kMost; ++j) list += (j ? ", " : "") + OneLine(names[j]);
  return names.size() > kMost ? list + ", ... (" + std::to_string(names.size()) + " in all)" : list;
}

// Quoted where a reader would otherwise take it for something else than this name.
std::string QuoteIfNeeded(const std::string& name) {
  const bool blank_end = !name.empty() && (name.front() == ' ' || name.back() == ' ');
  const bool marked = WithoutByteOrderMark(name).size() < name.size();
  if (!name.empty() && !blank_end && !marked && name.front() != '#' &&
      name.find_first_of(",;\t\"\n\r") == std::string::npos) {
    return name;
  }
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace

int LookUp(const std::vector<std::string>& names, const std::string& name_or_number) {
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (names[j] == name_or_number) return static_cast<int>(j);
  }
  std::size_t number = 0;
  const char* const end = name_or_number.data() + name_or_number.size();
  const auto [stopped, status] = std::from_chars(name_or_number.data(), end, number);
  const bool counted = status == std::errc() && stopped == end && number >= 1 && number <= names.size();
  return counted ? static_cast<int>(number) - 1 : -1;
}

int FindNamed(const std::vector<std::string>& names, const std::string& name_or_number) {
  if (const int found = LookUp(names, name_or_number); found >= 0) return found;
  const std::string nearest = Nearest(name_or_number, names);
  throw Error(ErrorCode::kBadInput, "there is no column '" + OneLine(name_or_number) + "'; " +
                                        (nearest.empty() ? "" : "did you mean '" + OneLine(nearest) + "'? ") +
                                        "The columns are: " + ListOf(names) + " (or a number from 1 to " +
                                        std::to_string(names.size()) + ")");
}

int Table::ColumnIndex(const std::string& name_or_index) const { return FindNamed(names, name_or_index); }

Dataset ToDataset(const Table& table, const std::string& target) {
  const int columns = static_cast<int>(table.names.size());
  INSTANTGP_CHECK(columns == table.values.cols());
  const int target_column = target.empty() ? columns - 1 : table.ColumnIndex(target);
  if (columns < 2) {
    throw Error(ErrorCode::kBadInput,
                "the table has one column; it needs the target and at least one input column, separated by a comma, a "
                "semicolon or a tab");
  }
  Matrix X(table.values.rows(), columns - 1);
  std::vector<std::string> names;
  for (int j = 0; j < columns; ++j) {
    if (j == target_column) continue;
    X.col(static_cast<Index>(names.size())) = table.values.col(j);
    names.push_back(table.names[static_cast<std::size_t>(j)]);
  }
  return Dataset::Of(std::move(X), table.values.col(target_column), std::move(names),
                     table.names[static_cast<std::size_t>(target_column)]);
}

std::string FormatCsv(const std::vector<std::string>& names, const Matrix& values) {
  INSTANTGP_CHECK(static_cast<Index>(names.size()) == values.cols());
  std::string text;
  for (std::size_t j = 0; j < names.size(); ++j) text += (j ? "," : "") + QuoteIfNeeded(names[j]);
  text += '\n';
  char digits[32];
  for (Index i = 0; i < values.rows(); ++i) {
    for (Index j = 0; j < values.cols(); ++j) {
      if (j > 0) text += ',';
      const auto [end, status] =
          std::to_chars(digits, digits + sizeof(digits), values(i, j), std::chars_format::general, 17);
      INSTANTGP_CHECK(status == std::errc());
      text.append(digits, end);
    }
    text += '\n';
  }
  return text;
}

}  // namespace instantgp
