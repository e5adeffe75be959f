// A column of dates: which format all its cells have, and what they say.
//
// The column decides as a whole. Of the usual formats (date_formats.cc) those are kept that read every cell; 13/05/2020
// in one row settles that all rows have the day first. When formats are left that read a cell differently, the column
// is ambiguous and refused with both readings, and so is a year of two digits: somebody has to say the format. Numbers
// are numbers: 20200131 and 2020 are dates only under a format.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "instantgp/base/error.h"
#include "instantgp/base/export.h"
#include "instantgp/data/date.h"

namespace instantgp {

// How the dates of a column are written; what it takes to read more of them and to write others in the same form.
struct INSTANTGP_EXPORT DateForm {
  std::string format;       // "%d.%m.%Y"
  std::string also_format;  // another that reads every cell alike (01/01/2020: %m/%d/%Y and %d/%m/%Y); usually empty
  DateFormat::Style style;
  int offset_minutes = 0;      // of the clock the dates are written by; where offsets are mixed, of the last row
  bool mixed_offsets = false;  // as with daylight saving

  friend bool operator==(const DateForm&, const DateForm&);
};

// "31.01.2020"; a number of days outside the years 1 to 9999 is written as that number.
INSTANTGP_EXPORT std::string DateText(const DateForm& form, const Moment& moment);
INSTANTGP_EXPORT std::string DateText(const DateForm& form, double days);

enum class DateVerdict {
  kDates,      // every cell was read
  kNoDates,    // less than half of the cells have the form of a date
  kOddCell,    // one cell is not like the others
  kAmbiguous,  // the format cannot be told from the cells
};

struct INSTANTGP_EXPORT DateColumn {
  DateVerdict verdict = DateVerdict::kNoDates;
  DateForm form;
  std::vector<Moment> moments;  // one per cell, `missing` where the cell is
  std::size_t cell = 0;         // kOddCell, kAmbiguous: the cell the message is about
  std::string message;          // what is wrong with it and what to do
  std::vector<Remedy> remedies;
};

// Cells that are empty or hold a mark of a missing value (csv_number.h) are missing; a column of nothing else is
// kNoDates. With a format, that one alone is tried, and every cell that it does not read is kOddCell. Throws
// Error(kUsage) for a bad format only.
INSTANTGP_EXPORT DateColumn ReadDates(std::span<const std::string_view> cells, std::string_view format = {});

// One more cell in the form of a column; kOtherForm also where its two formats read the cell differently.
INSTANTGP_EXPORT DateReading ReadDate(const DateForm& form, std::string_view cell);

}  // namespace instantgp
