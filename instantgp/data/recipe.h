// How the columns of a user's table become the numbers a model sees.
//
//   number    itself
//   date      steps of its calendar since the earliest training row: months where the rows are months apart
//   category  one column of 0 and 1 for each level, "city=Paris". There are at most 16: of more levels the 15 most
//             frequent stay and the rarer ones are together "city=other"
//   gaps      where the training rows have some and are imputed: the median (of a category: no level) and one more
//             column, "age missing", which is 1 there
//
// A recipe is fitted to training rows and applied to any. It is a value; tables of plain numbers need none.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "instantgp/base/export.h"
#include "instantgp/base/matrix.h"
#include "instantgp/data/calendar.h"
#include "instantgp/data/csv.h"
#include "instantgp/data/date_column.h"
#include "instantgp/data/raw_table.h"

namespace instantgp {

inline constexpr int kMostLevels = 16;
inline constexpr char kOtherLevel[] = "other";  // what rarer ones are together

enum class ColumnKind {
  kNumber,
  kDate,
  kCategory,
  kLeftOut,  // texts of which none is there twice: names of rows, nothing to learn from
};

INSTANTGP_EXPORT std::string_view Name(ColumnKind kind);  // "number", "date", "category", "left out"

struct INSTANTGP_EXPORT ColumnRecipe {
  std::string name;
  ColumnKind kind = ColumnKind::kNumber;

  // kDate. The calendar's step is one unit; its first date is 0.
  DateForm form;
  Calendar calendar;
  std::string step;  // of the training rows, in words: "every 2 weeks"; empty: they have none

  // kCategory
  std::vector<std::string> levels;  // in the order of their bytes; one input each
  std::vector<std::string> rare;    // those that share a last input, "other"

  bool indicator = false;      // training rows had gaps: there is an input "NAME missing"
  std::optional<double> fill;  // what stands for a gap; without one a gap is an error
  int gaps = 0;                // among the training rows
  int different = 0;           // kCategory, kLeftOut: texts among them

  int inputs() const;
  friend bool operator==(const ColumnRecipe&, const ColumnRecipe&);
};

struct INSTANTGP_EXPORT RecipeOptions {
  std::vector<std::string> categorical;   // columns, by name or 1-based number, whose cells are levels even if numbers
  std::vector<std::string> date_formats;  // "%d.%m.%y" for every column of dates, or "COLUMN=%d.%m.%y" for that one
  bool impute = false;
};

// Rows as a model sees them.
struct INSTANTGP_EXPORT RecipeRows {
  Matrix X;
  std::vector<int> rows;           // of the table: those that were dropped are not among them
  std::vector<std::string> notes;  // what was done with gaps and levels, for people
};

struct INSTANTGP_EXPORT Recipe {
  std::vector<ColumnRecipe> columns;  // of the user's table, in its order, without the target

  int inputs() const;
  std::vector<std::string> InputNames() const;  // each once
  bool PlainNumbers() const;                    // the inputs are the columns, and none can have gaps
  // Names of the columns it needs, and of those among them whose cells are texts.
  std::vector<std::string> Needed() const;
  std::vector<std::string> NeededAsText() const;

  // `inputs` are columns of the table. What a column is follows from all rows of the table, its levels, its median and
  // its first date from the given ones. Throws Error(kBadInput), with row and column, for dates that are ambiguous or
  // broken, texts among numbers, and columns without any value.
  static Recipe Fit(const RawTable& table, const std::vector<int>& inputs, const std::vector<int>& rows,
                    const RecipeOptions& options);

  // `from[k]` is the table's column for columns[k]; -1 for one that is left out. Throws Error(kBadInput), with row and
  // column, for cells that are not what the column is, for gaps (kError; under kImpute where the training rows were
  // not imputed) and for unseen levels.
  RecipeRows Apply(const RawTable& table, const std::vector<int>& from, const std::vector<int>& rows,
                   MissingPolicy missing, UnseenPolicy unseen) const;

  friend bool operator==(const Recipe&, const Recipe&) = default;
};

// One line for people: "dates %Y-%m, monthly, 1949-01 is 0, in months"; "categories Berlin, London, Paris".
INSTANTGP_EXPORT std::string InWords(const ColumnRecipe& column);
// What a person should look at: levels that differ in case only.
INSTANTGP_EXPORT std::vector<std::string> Remarks(const ColumnRecipe& column);

// Columns that reading a table must not take for numbers: those of `categorical` and of "COLUMN=FORMAT".
INSTANTGP_EXPORT std::vector<std::string> ReadAsText(const RecipeOptions& options);

// A cell without the blanks around it, and whether that is a mark of a missing value.
std::string_view TrimmedCell(std::string_view cell);
bool IsMissingCell(std::string_view cell);
// A number as the code of a category: the shortest text that reads back as it.
std::string CodeText(double value);

}  // namespace instantgp
