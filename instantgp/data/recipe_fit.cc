// From raw columns to their recipe.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "instantgp/base/check.h"
#include "instantgp/base/error.h"
#include "instantgp/data/csv_reader.h"
#include "instantgp/data/recipe.h"

namespace instantgp {

namespace {

constexpr std::size_t kLongestLevel = 200;  // bytes; longer texts are prose

[[noreturn]] void FailAt(const RawTable& table, int row, const std::string& column, const std::string& what,
                         std::vector<Remedy> remedies = {}) {
  throw Error(ErrorCode::kBadInput, table.Place(row, column) + ": " + what, std::move(remedies));
}

// A column of numbers as the texts of its codes.
RawColumn::Texts CodesOf(const RawColumn::Numbers& numbers) {
  RawColumn::Texts texts;
  texts.reserve(numbers.size());
  for (const double value : numbers) texts.push_back(std::isnan(value) ? "" : CodeText(value));
  return texts;
}

double Median(std::vector<double> values) {
  const std::size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle), values.end());
  const double upper = values[middle];
  if (values.size() % 2 == 1) return upper;
  const double lower = *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle));
  return lower + 0.5 * (upper - lower);
}

// "COLUMN=FORMAT" or "FORMAT". A format holds a percent sign, and no '=' in front of its first one.
struct NamedFormat {
  std::string column;  // empty: any
  std::string format;
};

NamedFormat SplitFormat(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals > text.find('%')) return {"", text};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

class RecipeFitter {
 public:
  RecipeFitter(const RawTable& table, const std::vector<int>& inputs, const std::vector<int>& rows,
               const RecipeOptions& options)
      : table_(table), inputs_(inputs), rows_(rows), options_(options) {}

  Recipe Fit() {
    for (const std::string& name : options_.categorical) categorical_.push_back(InputOf(name, "categorical"));
    for (const std::string& text : options_.date_formats) {
      const NamedFormat format = SplitFormat(text);
      const DateFormat checked(format.format);  // a bad one is said before any cell
      formats_.emplace_back(format.column.empty() ? -1 : InputOf(format.column, "date_format"), format.format);
    }
    used_.assign(formats_.size(), false);
    Recipe recipe;
    for (const int input : inputs_) recipe.columns.push_back(Column(input));
    for (std::size_t f = 0; f < formats_.size(); ++f) {
      if (used_[f]) continue;
      throw Error(ErrorCode::kBadInput,
                  table_.Prefix() + "no column holds dates of the form " + formats_[f].second +
                      "; for a column of numbers say its name too: COLUMN=" + formats_[f].second,
                  {{"date_format"}});
    }
    if (recipe.inputs() == 0) {
      throw Error(ErrorCode::kBadInput,
                  table_.Prefix() +
                      "no input column is left: those there are hold texts of which none is there "
                      "twice. Say which is a category all the same, or add columns.",
                  {{"categorical", recipe.columns.front().name}});
    }
    return recipe;
  }

 private:
  int InputOf(const std::string& name, const std::string& option) const {
    const int column = table_.ColumnIndex(name);
    if (std::find(inputs_.begin(), inputs_.end(), column) == inputs_.end()) {
      throw Error(ErrorCode::kUsage, "the column " + ShownCell(name) + " is the target, not an input", {{option}});
    }
    return column;
  }

  ColumnRecipe Column(int index) {
    const RawColumn& raw = table_.columns[static_cast<std::size_t>(index)];
    ColumnRecipe column;
    column.name = raw.name;
    const bool forced = std::find(categorical_.begin(), categorical_.end(), index) != categorical_.end();
    if (const auto* numbers = std::get_if<RawColumn::Numbers>(&raw.cells)) {
      if (forced) {
        FitCategory(CodesOf(*numbers), true, column);
      } else {
        FitNumbers(*numbers, column);
      }
    } else if (const auto* dates = std::get_if<RawColumn::Dates>(&raw.cells)) {
      FitMoments(*dates, column);
    } else {
      const auto& texts = std::get<RawColumn::Texts>(raw.cells);
      if (forced || !FitDates(texts, index, column)) FitCategory(texts, forced, column);
    }
    return column;
  }

  void FitNumbers(const RawColumn::Numbers& numbers, ColumnRecipe& column) const {
    if (!options_.impute) return;  // large tables of numbers need nothing
    std::vector<double> present;
    for (const int row : rows_) {
      const double value = numbers[static_cast<std::size_t>(row)];
      if (!std::isnan(value)) present.push_back(value);
    }
    SetGaps(std::move(present), column);
  }

  void SetGaps(std::vector<double> present, ColumnRecipe& column) const {
    column.gaps = static_cast<int>(rows_.size() - present.size());
    if (!options_.impute) return;
    if (present.empty()) {
      throw Error(ErrorCode::kBadInput, table_.Prefix() + "the column " + ShownCell(column.name) +
                                            " has no value in any row to learn from; remove the column");
    }
    column.indicator = column.gaps > 0;
    column.fill = Median(std::move(present));
  }

  // False: the texts are no dates.
  bool FitDates(const RawColumn::Texts& texts, int index, ColumnRecipe& column) {
    std::vector<std::string_view> cells;
    cells.reserve(texts.size());
    for (const std::string& text : texts) cells.push_back(TrimmedCell(text));
    DateColumn read = ReadDates(cells);
    for (std::size_t f = 0; f < formats_.size(); ++f) {
      const auto& [of, format] = formats_[f];
      if (of != index && (of >= 0 || read.verdict == DateVerdict::kNoDates)) continue;
      DateColumn by_format = ReadDates(cells, format);
      // A format for every column is for those it reads; of one that looks like no date it must not be asked.
      if (of < 0 && by_format.verdict != DateVerdict::kDates && read.verdict == DateVerdict::kDates) continue;
      read = std::move(by_format);
      used_[f] = true;
      break;
    }
    if (read.verdict == DateVerdict::kNoDates) return false;
    if (read.verdict != DateVerdict::kDates) {
      FailAt(table_, static_cast<int>(read.cell), column.name, read.message, std::move(read.remedies));
    }
    column.form = std::move(read.form);
    FitCalendar(read.moments, DateFormat(column.form.format).precision(), column);
    return true;
  }

  void FitMoments(const RawColumn::Dates& moments, ColumnRecipe& column) const {
    const bool days = std::all_of(moments.begin(), moments.end(),
                                  [](const Moment& m) { return m.missing() || m.local_us % kDayUs == 0; });
    const bool seconds = std::all_of(moments.begin(), moments.end(),
                                     [](const Moment& m) { return m.missing() || m.local_us % 1'000'000 == 0; });
    column.form.format = days ? "%Y-%m-%d" : "%Y-%m-%dT%H:%M:%S";
    column.form.style.fraction_digits = days || seconds ? 0 : 6;
    FitCalendar(moments, days ? DatePrecision::kDay : DatePrecision::kTime, column);
  }

  void FitCalendar(const std::vector<Moment>& all, DatePrecision precision, ColumnRecipe& column) const {
    column.kind = ColumnKind::kDate;
    std::vector<Moment> present;
    for (const int row : rows_) {
      const Moment& moment = all[static_cast<std::size_t>(row)];
      if (!moment.missing()) present.push_back(moment);
    }
    if (present.empty()) {
      throw Error(ErrorCode::kBadInput, table_.Prefix() + "the column " + ShownCell(column.name) +
                                            " has no date in any row to learn from; remove the column");
    }
    const CalendarReport report = FindCalendar(present, precision);
    if (report.regular) column.step = report.calendar.step().Words();
    const Moment first = report.calendar.first();
    column.calendar =
        Calendar({UnitOf(report, precision), 1}, first, report.regular ? report.calendar.day_of_month() : 0);
    std::vector<double> positions;
    positions.reserve(present.size());
    for (const Moment& moment : present) positions.push_back(column.calendar.Position(moment));
    SetGaps(std::move(positions), column);
  }

  // The unit of the calendar's step; without a step that of what the dates name, at least a day.
  static CalendarUnit UnitOf(const CalendarReport& report, DatePrecision precision) {
    if (report.regular) {
      const CalendarUnit unit = report.calendar.step().unit;
      return unit == CalendarUnit::kMicrosecond ? CalendarUnit::kSecond : unit;
    }
    switch (precision) {
      case DatePrecision::kYear:
        return CalendarUnit::kYear;
      case DatePrecision::kQuarter:
        return CalendarUnit::kQuarter;
      case DatePrecision::kMonth:
        return CalendarUnit::kMonth;
      case DatePrecision::kWeek:
        return CalendarUnit::kWeek;
      default:
        return CalendarUnit::kDay;
    }
  }

  void FitCategory(const RawColumn::Texts& texts, bool forced, ColumnRecipe& column) const {
    column.kind = ColumnKind::kCategory;
    if (!forced) RefuseMixture(texts, column.name);
    std::map<std::string, int, std::less<>> counts;
    int present = 0;
    for (const int row : rows_) {
      const std::string_view text = TrimmedCell(texts[static_cast<std::size_t>(row)]);
      if (IsMissingCell(text)) continue;
      ++present;
      ++counts.try_emplace(std::string(text), 0).first->second;
    }
    column.different = static_cast<int>(counts.size());
    column.gaps = static_cast<int>(rows_.size()) - present;
    if (present == 0) {
      throw Error(ErrorCode::kBadInput, table_.Prefix() + "the column " + ShownCell(column.name) +
                                            " has no value in any row to learn from; remove the column");
    }
    if (!forced && column.different == present && present > kMostLevels) {
      column.kind = ColumnKind::kLeftOut;
      return;
    }
    if (options_.impute) {
      column.indicator = column.gaps > 0;
      column.fill = 0;  // of every level
    }
    KeepLevels(counts, column);
    for (const std::string& level : column.levels) {
      if (level.size() <= kLongestLevel) continue;
      throw Error(ErrorCode::kBadInput, table_.Prefix() + "the column " + ShownCell(column.name) +
                                            " holds texts of more than 200 bytes, as " + ShownCell(level) +
                                            ": prose is no category. Remove the column or shorten its texts.");
    }
  }

  static void KeepLevels(const std::map<std::string, int, std::less<>>& counts, ColumnRecipe& column) {
    if (counts.size() <= static_cast<std::size_t>(kMostLevels)) {
      for (const auto& [level, count] : counts) column.levels.push_back(level);
      return;
    }
    // The most frequent, of equally frequent ones the first by their bytes; a level called "other" is one of the rest.
    std::vector<std::pair<int, std::string>> ranked;
    for (const auto& [level, count] : counts) {
      if (level == kOtherLevel) {
        column.rare.push_back(level);
      } else {
        ranked.emplace_back(-count, level);
      }
    }
    std::sort(ranked.begin(), ranked.end());
    for (std::size_t k = 0; k < ranked.size(); ++k) {
      (k < static_cast<std::size_t>(kMostLevels) - 1 ? column.levels : column.rare).push_back(ranked[k].second);
    }
    std::sort(column.levels.begin(), column.levels.end());
    std::sort(column.rare.begin(), column.rare.end());
  }

  // Texts among numbers are more often a slip than a level.
  void RefuseMixture(const RawColumn::Texts& texts, const std::string& name) const {
    int first_number = -1, first_text = -1;
    std::size_t numbers = 0, present = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::string_view text = TrimmedCell(texts[i]);
      const CellKind kind = ReadCell(text, table_.decimal_comma).kind;
      if (kind == CellKind::kMissing) continue;
      ++present;
      const bool number = kind != CellKind::kText;
      numbers += number ? 1 : 0;
      if (number && first_number < 0) first_number = static_cast<int>(i);
      if (!number && first_text < 0) first_text = static_cast<int>(i);
    }
    if (numbers == 0 || numbers == present) return;
    const bool mostly_numbers = 2 * numbers >= present;
    const int odd = mostly_numbers ? first_text : first_number;
    const std::string shown = ShownCell(texts[static_cast<std::size_t>(odd)]);
    const std::string how_many = std::to_string(numbers) + " of " + std::to_string(present) + " cells are numbers";
    FailAt(table_, odd, name,
           (mostly_numbers ? shown + " is not a number, and " + how_many +
                                 "; correct it, or empty the cell. If all of them are levels of a category, say so"
                           : shown + " is a number among texts (" + how_many +
                                 "); correct it, or, if it is a level like the others, say that this is a category"),
           {{"categorical", name}});
  }

  const RawTable& table_;
  const std::vector<int>& inputs_;
  const std::vector<int>& rows_;
  const RecipeOptions& options_;
  std::vector<int> categorical_;                      // columns of the table
  std::vector<std::pair<int, std::string>> formats_;  // column or -1, format
  std::vector<bool> used_;                            // of formats_
};

}  // namespace

Recipe Recipe::Fit(const RawTable& table, const std::vector<int>& inputs, const std::vector<int>& rows,
                   const RecipeOptions& options) {
  INSTANTGP_CHECK(!inputs.empty() && !rows.empty());
  return RecipeFitter(table, inputs, rows, options).Fit();
}

std::vector<std::string> ReadAsText(const RecipeOptions& options) {
  std::vector<std::string> names = options.categorical;
  for (const std::string& text : options.date_formats) {
    if (NamedFormat format = SplitFormat(text); !format.column.empty()) names.push_back(std::move(format.column));
  }
  return names;
}

}  // namespace instantgp
