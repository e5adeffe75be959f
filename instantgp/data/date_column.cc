#include "instantgp/data/date_column.h"

#include <algorithm>
#include <cstdio>
#include <tuple>

#include "instantgp/base/diagnosis.h"
#include "instantgp/data/csv_number.h"
#include "instantgp/data/date_formats.h"

namespace instantgp {

bool operator==(const DateForm& a, const DateForm& b) {
  return a.format == b.format && a.also_format == b.also_format && a.offset_minutes == b.offset_minutes &&
         a.mixed_offsets == b.mixed_offsets && a.style.fraction_digits == b.style.fraction_digits &&
         a.style.upper_names == b.style.upper_names && a.style.offset == b.style.offset;
}

namespace {

const char kIsoDay[] = "%Y-%m-%d";

bool IsMissingDate(std::string_view cell) { return ReadCell(cell, false).kind == CellKind::kMissing; }

std::string QuotedCell(std::string_view cell) { return "'" + OneLine(cell.substr(0, 60)) + "'"; }

std::string OffsetStyle(std::string_view as_written) {
  if (as_written.empty() || as_written == "Z" || as_written == "UTC" || as_written == "GMT")
    return std::string(as_written);
  return as_written.size() == 3 ? "+hh" : as_written.size() == 5 ? "+hhmm" : "+hh:mm";
}

// "%d/%m/%Y" with the directives that were seen with one digit written without a leading zero.
std::string Unpadded(const std::string& format, unsigned one_digit) {
  constexpr std::string_view kInBitOrder = "dmHI";
  std::string result;
  for (std::size_t i = 0; i < format.size(); ++i) {
    result += format[i];
    if (format[i] != '%' || i + 1 == format.size()) continue;
    const std::size_t bit = kInBitOrder.find(format[i + 1]);
    if (bit != std::string_view::npos && (one_digit >> bit & 1u) != 0) result += '-';
    result += format[++i];
  }
  return result;
}

// The form and the moments of cells that the format reads, all of them.
DateColumn ColumnBy(const DateFormat& format, std::span<const std::string_view> cells) {
  DateColumn column;
  column.verdict = DateVerdict::kDates;
  unsigned one_digit = 0;
  bool first = true;
  bool lower_names = false;
  for (const std::string_view cell : cells) {
    if (IsMissingDate(cell)) {
      column.moments.emplace_back();
      continue;
    }
    const DateReading reading = format.Read(cell);
    one_digit |= reading.one_digit;
    lower_names = lower_names || !reading.upper_names;
    column.form.style.fraction_digits = std::max(column.form.style.fraction_digits, reading.fraction_digits);
    if (first) column.form.style.offset = OffsetStyle(reading.offset_text);
    column.form.mixed_offsets =
        column.form.mixed_offsets || (!first && reading.moment.offset_minutes != column.form.offset_minutes);
    column.form.offset_minutes = reading.moment.offset_minutes;
    column.moments.push_back(reading.moment);
    first = false;
  }
  column.form.format = Unpadded(format.text(), one_digit);
  column.form.style.upper_names = !lower_names;
  return column;
}

void SetProblem(DateColumn& column, DateVerdict verdict, std::size_t cell, std::string message,
                std::vector<Remedy> remedies) {
  column.verdict = verdict;
  column.cell = cell;
  column.message = std::move(message);
  column.remedies = std::move(remedies);
}

std::string WhyNot(const DateFormat& format, std::string_view cell, std::string_view example) {
  const DateProblem problem = format.Read(cell).problem;
  if (problem == DateProblem::kNoSuchDay) return QuotedCell(cell) + " has the form of a date, but there is no such day";
  if (problem == DateProblem::kNoSuchTime) {
    return QuotedCell(cell) + " has the form of a time, but there is no such time of day";
  }
  return QuotedCell(cell) + " is not a date of the form " + format.text() +
         (example.empty() ? "" : ", as " + QuotedCell(example) + " is");
}

DateColumn ByGivenFormat(std::span<const std::string_view> cells, std::string_view text) {
  const DateFormat format(text);
  DateColumn column;
  std::string_view example;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (IsMissingDate(cells[i])) continue;
    if (format.Read(cells[i]).problem != DateProblem::kNone) {
      SetProblem(column, DateVerdict::kOddCell, i,
                 WhyNot(format, cells[i], example) + "; correct it, or give the format these dates have",
                 {{"date_format"}});
      return column;
    }
    if (example.empty()) example = cells[i];
  }
  if (example.empty()) return column;
  return ColumnBy(format, cells);
}

// No usual format reads all cells. The one that reads most of a thousand cells says which cell is odd: trying every
// format on a cell takes some 20 microseconds, too long for a large column of names.
DateColumn WithOddCell(std::span<const std::string_view> cells) {
  const std::vector<DateFormat>& formats = UsualDateFormats();
  std::vector<std::size_t> read(formats.size(), 0), formed(formats.size(), 0);
  std::size_t present = 0, dates = 0;
  const std::size_t stride = 1 + cells.size() / 1000;
  for (std::size_t i = 0; i < cells.size(); i += stride) {
    const std::string_view cell = cells[i];
    if (IsMissingDate(cell)) continue;
    ++present;
    bool any = false;
    for (std::size_t f = 0; f < formats.size(); ++f) {
      const DateProblem problem = formats[f].Read(cell).problem;
      read[f] += problem == DateProblem::kNone ? 1 : 0;
      formed[f] += problem != DateProblem::kOtherForm ? 1 : 0;
      any = any || problem != DateProblem::kOtherForm;
    }
    dates += any ? 1 : 0;
  }
  DateColumn column;
  if (2 * dates < present || dates == 0) return column;
  // Of formats that read as many, the one of the first cell.
  const std::string_view first = *std::find_if_not(cells.begin(), cells.end(), IsMissingDate);
  const auto rank = [&](std::size_t f) {
    return std::tuple(read[f], formats[f].Read(first).problem == DateProblem::kNone, formed[f]);
  };
  std::size_t best = 0;
  for (std::size_t f = 1; f < formats.size(); ++f) {
    if (rank(f) > rank(best)) best = f;
  }
  std::string_view example;
  std::size_t odd = cells.size();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (IsMissingDate(cells[i])) continue;
    const bool good = formats[best].Read(cells[i]).problem == DateProblem::kNone;
    if (good && example.empty()) example = cells[i];
    if (!good && odd == cells.size()) odd = i;
  }
  SetProblem(column, DateVerdict::kOddCell, odd,
             WhyNot(formats[best], cells[odd], example) + "; write all dates of a column in one form",
             {{"date_format"}});
  return column;
}

std::string InWords(const Moment& moment) {
  static const DateFormat kDay("%-d %B %Y");
  return kDay.Write(moment, {});
}

void RefuseTwoDigits(DateColumn& column, std::span<const std::string_view> cells,
                     const std::vector<const DateFormat*>& alive) {
  const auto present = std::find_if_not(cells.begin(), cells.end(), IsMissingDate);
  const std::size_t cell = static_cast<std::size_t>(present - cells.begin());
  const Moment one = alive.front()->Read(*present).moment;
  // The same day a century off, or under another order of day, month and year.
  std::string other;
  if (alive.size() > 1) {
    other = InWords(alive[1]->Read(*present).moment) + " (" + alive[1]->text() + ")";
  } else {
    const std::string iso = DateFormat(kIsoDay).Write(one, {});
    const int year = std::stoi(iso.substr(0, 4));
    other = "the same day in " + std::to_string(year >= 2000 ? year - 100 : year + 100);
  }
  SetProblem(column, DateVerdict::kAmbiguous, cell,
             QuotedCell(*present) + " has a year of two digits: it may be " + InWords(one) + " (" +
                 alive.front()->text() + ") or " + other + "; write the year with four digits, or say the format",
             {{"date_format", alive.front()->text()}});
}

}  // namespace

DateColumn ReadDates(std::span<const std::string_view> cells, std::string_view format) {
  if (!format.empty()) return ByGivenFormat(cells, format);
  const std::vector<DateFormat>& formats = UsualDateFormats();
  std::vector<const DateFormat*> alive;
  bool first = true;
  for (const std::string_view cell : cells) {
    if (IsMissingDate(cell)) continue;
    if (first) {
      for (const DateFormat& f : formats) {
        if (f.Read(cell).problem == DateProblem::kNone) alive.push_back(&f);
      }
      first = false;
    } else {
      std::erase_if(alive, [cell](const DateFormat* f) { return f->Read(cell).problem != DateProblem::kNone; });
    }
    if (alive.empty()) return WithOddCell(cells);
  }
  if (first) return {};  // nothing but missing cells

  DateColumn column = ColumnBy(*alive.front(), cells);
  if (alive.front()->two_digit_year()) {
    RefuseTwoDigits(column, cells, alive);
    return column;
  }
  for (std::size_t f = 1; f < alive.size(); ++f) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (column.moments[i].missing()) continue;
      const Moment other = alive[f]->Read(cells[i]).moment;
      if (other == column.moments[i]) continue;
      SetProblem(column, DateVerdict::kAmbiguous, i,
                 QuotedCell(cells[i]) + " may be " + InWords(column.moments[i]) + " (" + alive.front()->text() +
                     ") or " + InWords(other) + " (" + alive[f]->text() + "), and no other row decides; say the format",
                 {{"date_format", alive.front()->text()}});
      return column;
    }
    if (column.form.also_format.empty()) column.form.also_format = alive[f]->text();
  }
  return column;
}

DateReading ReadDate(const DateForm& form, std::string_view cell) {
  DateReading reading = DateFormat(form.format).Read(cell);
  if (form.also_format.empty()) return reading;
  const DateReading other = DateFormat(form.also_format).Read(cell);
  if (other.problem != DateProblem::kNone) return reading;
  if (reading.problem != DateProblem::kNone) return other;
  if (!(other.moment == reading.moment)) reading.problem = DateProblem::kOtherForm;
  return reading;
}

std::string DateText(const DateForm& form, const Moment& moment) {
  return DateFormat(form.format).Write(moment, form.style);
}

std::string DateText(const DateForm& form, double days) {
  const Moment moment = MomentOfDays(days, form.offset_minutes);
  if (!moment.missing()) return DateText(form, moment);
  char digits[40];
  std::snprintf(digits, sizeof(digits), "%.6g days since 1970", days);
  return digits;
}

}  // namespace instantgp
