#include "instantgp/forecast/series_table.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "instantgp/base/diagnosis.h"
#include "instantgp/base/error.h"
#include "instantgp/data/csv_lexer.h"
#include "instantgp/data/csv_number.h"

namespace instantgp {
namespace {

constexpr std::size_t kCellsForFormat = 100000;      // the form of dates is read off so many
constexpr std::size_t kLook = std::size_t{1} << 20;  // bytes, of which the columns are read off

std::string Quoted(std::string_view text) { return '"' + OneLine(text) + '"'; }

bool IsNumberOrMissing(std::string_view text, bool decimal_comma) {
  const CellKind kind = ReadCell(text, decimal_comma).kind;
  return kind == CellKind::kNumber || kind == CellKind::kMissing;
}

int FindName(const std::vector<std::string>& names, const std::string& wanted, const std::string& origin) {
  const auto found = std::find(names.begin(), names.end(), wanted);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  if (!wanted.empty() && wanted.find_first_not_of("0123456789") == std::string::npos && wanted.size() < 7) {
    const int number = std::stoi(wanted);
    if (number >= 1 && number <= static_cast<int>(names.size())) return number - 1;
  }
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + Quoted(name);
  const std::string nearest = Nearest(wanted, names);
  throw Error(ErrorCode::kBadInput, origin + ": there is no column " + Quoted(wanted) + ". " +
                                        (nearest.empty() ? "" : "Did you mean " + Quoted(nearest) + "? ") +
                                        "The columns are " + list + ".");
}

std::string JoinKey(const std::vector<CsvCell>& cells, const std::vector<int>& columns) {
  std::string key;
  for (const int column : columns) key += cells[static_cast<std::size_t>(column)].text() + '\x1f';
  return key;
}

struct Columns {
  int time = -1, target = -1;
  std::vector<int> by;
};

// Of a record that is no header: which column holds dates; -1 for none.
int FirstDateColumn(const std::vector<std::vector<CsvCell>>& sample, const Columns& taken, std::size_t width) {
  for (std::size_t column = 0; column < width; ++column) {
    const int place = static_cast<int>(column);
    if (place == taken.target || std::find(taken.by.begin(), taken.by.end(), place) != taken.by.end()) continue;
    std::vector<std::string_view> cells;
    cells.reserve(sample.size());
    for (const auto& record : sample) cells.push_back(record[column].raw);
    const DateVerdict verdict = ReadDates(cells).verdict;
    if (verdict == DateVerdict::kDates || verdict == DateVerdict::kAmbiguous) return place;
  }
  return -1;
}

int FreeColumn(const Columns& taken, int width, bool last) {
  for (int k = 0; k < width; ++k) {
    const int place = last ? width - 1 - k : k;
    const bool used = place == taken.time || place == taken.target ||
                      std::find(taken.by.begin(), taken.by.end(), place) != taken.by.end();
    if (!used) return place;
  }
  return -1;
}

}  // namespace

SeriesTable SeriesTable::Read(const std::string& path, const SeriesTableOptions& options) {
  return Index(TableText::Open(path), path == "-" ? "standard input" : path, options);
}

SeriesTable SeriesTable::Parse(std::string text, const std::string& origin, const SeriesTableOptions& options) {
  return Index(TableText::Of(std::move(text)), origin, options);
}

SeriesTable SeriesTable::Index(TableText text, const std::string& origin, const SeriesTableOptions& options) {
  SeriesTable table;
  table.text_ = std::move(text);
  // A look at the beginning decides which column is what.
  constexpr std::size_t kSample = 200;
  const std::string opening = table.text_.Read(0, kLook);
  std::string_view start = opening;
  const std::size_t mark = start.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  start.remove_prefix(mark);
  // The last line of the look may be cut.
  if (table.text_.size() > kLook) start = start.substr(0, start.find_last_of("\r\n") + 1);
  const char separator = table.separator_ = DetectSeparator(start);
  const bool decimal_comma = separator == ';';
  std::vector<std::vector<CsvCell>> sample;
  CsvLexer look(start, separator);
  for (std::vector<CsvCell> cells; sample.size() <= kSample && look.Next(cells);) sample.push_back(cells);
  if (sample.empty()) throw Error(ErrorCode::kBadInput, origin + ": the table is empty");
  const std::size_t width = sample.front().size();
  std::erase_if(sample, [&](const auto& record) { return record.size() != width; });
  // A header names a column of numbers by something that is none.
  bool has_header = false;
  for (std::size_t column = 0; column < width; ++column) {
    const bool first = IsNumberOrMissing(sample.front()[column].raw, decimal_comma);
    const bool second = sample.size() > 1 && IsNumberOrMissing(sample[1][column].raw, decimal_comma);
    has_header = has_header || (!first && (second || (sample.size() == 1 && column + 1 == width)));
  }
  std::vector<std::string> names;
  for (std::size_t column = 0; column < width; ++column) {
    names.push_back(has_header ? sample.front()[column].text() : "x" + std::to_string(column + 1));
  }
  if (has_header) sample.erase(sample.begin());
  if (sample.empty()) throw Error(ErrorCode::kBadInput, origin + ": the table has a header and no rows");

  Columns columns;
  for (const std::string& name : options.by) columns.by.push_back(FindName(names, name, origin));
  if (!options.target.empty()) columns.target = FindName(names, options.target, origin);
  if (!options.time.empty()) columns.time = FindName(names, options.time, origin);
  if (columns.time < 0) columns.time = FirstDateColumn(sample, columns, width);
  const int w = static_cast<int>(width);
  if (columns.target < 0) columns.target = FreeColumn(columns, w, true);
  if (columns.target < 0) {
    throw Error(ErrorCode::kBadInput, origin + ": no column is left for the values to be forecast", {{"target"}});
  }
  if (columns.time < 0) columns.time = FreeColumn(columns, w, false);
  table.time_column_ = columns.time;
  table.target_column_ = columns.target;
  table.has_times_ = columns.time >= 0;
  table.time_name_ = table.has_times_ ? names[static_cast<std::size_t>(columns.time)] : "step";
  table.target_name_ = names[static_cast<std::size_t>(columns.target)];
  for (const int column : columns.by) table.by_names_.push_back(names[static_cast<std::size_t>(column)]);

  std::unordered_map<std::string, std::size_t> number;
  RecordReader reader(table.text_, separator, mark);
  std::vector<CsvCell> cells;
  std::vector<std::string> times;
  if (has_header) reader.Next(cells);
  while (reader.Next(cells)) {
    const std::string where = origin + ", line " + std::to_string(reader.line());
    if (cells.size() != width) {
      throw Error(ErrorCode::kBadInput, where + ": expected " + std::to_string(width) + " cells, found " +
                                            std::to_string(cells.size()) + ". Every row needs one for each column.");
    }
    const CsvCell& cell = cells[static_cast<std::size_t>(columns.target)];
    const CellValue value = ReadCell(cell.raw, decimal_comma);
    if (value.kind != CellKind::kNumber && value.kind != CellKind::kMissing) {
      throw Error(ErrorCode::kBadInput,
                  where + ", column " + Quoted(table.target_name_) + ": " + Quoted(cell.text()) +
                      (value.kind == CellKind::kInfinite ? " is too large" : " is not a number") +
                      ". Choose the column of values, or correct the cell.",
                  {{"target"}});
    }
    const auto [found, fresh] = number.emplace(JoinKey(cells, columns.by), table.groups_.size());
    if (fresh) {
      Group group;
      for (const int column : columns.by) group.key.push_back(cells[static_cast<std::size_t>(column)].text());
      table.groups_.push_back(std::move(group));
    }
    std::vector<Run>& runs = table.groups_[found->second].runs;
    if (!runs.empty() && runs.back().end == reader.begin()) {
      runs.back().end = reader.end();
    } else {
      runs.push_back({reader.begin(), reader.end()});
    }
    if (table.has_times_ && times.size() < kCellsForFormat) {
      times.emplace_back(cells[static_cast<std::size_t>(columns.time)].raw);
    }
    ++table.row_count_;
  }
  if (!reader.problem().empty()) {
    throw Error(ErrorCode::kBadInput,
                origin + ", line " + std::to_string(reader.problem_line()) + ": " + reader.problem());
  }
  if (!table.has_times_) return table;

  const std::vector<std::string_view> cells_of_time(times.begin(), times.end());
  const DateColumn dates = ReadDates(cells_of_time, options.date_format);
  if (dates.verdict == DateVerdict::kDates) {
    table.has_dates_ = true;
    table.form_ = dates.form;
    table.precision_ = DateFormat(dates.form.format).precision();
  } else if (dates.verdict != DateVerdict::kNoDates) {
    throw Error(ErrorCode::kBadInput, origin + ", column " + Quoted(table.time_name_) + ": " + dates.message,
                dates.remedies);
  } else if (!std::all_of(times.begin(), times.end(),
                          [&](std::string_view cell) { return IsNumberOrMissing(cell, decimal_comma); })) {
    throw Error(ErrorCode::kBadInput,
                origin + ", column " + Quoted(table.time_name_) +
                    ": times are dates or numbers, and this column holds neither. Choose the column of times; columns "
                    "that tell series apart go to by.",
                {{"time"}, {"by"}});
  }
  return table;
}

}  // namespace instantgp
