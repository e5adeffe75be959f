// How a column is written inside a kernel expression, and how it is found again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace instantgp {

// The argument that names column k (0-based): its name when that is a plain identifier, the quoted name otherwise, and
// the 1-based index when two columns share the name. FindColumn() leads back to k.
std::string ColumnText(int column, const std::vector<std::string>& column_names);

// A name in double quotes on one line, with \\ \" \n \r \t escaped.
std::string QuotedName(std::string_view name);

enum class Lookup {
  kFound,
  kUnknown,     // no column of that name
  kAmbiguous,   // several columns of that name
  kOutOfRange,  // an index below 1 or above the number of columns
};

struct ColumnLookup {
  Lookup result = Lookup::kUnknown;
  int column = -1;  // 0-based, when found
};

// A quoted argument is a name and nothing else. A bare one is a name first, then a 1-based index, then x<k>.
ColumnLookup FindColumn(std::string_view text, bool quoted, const std::vector<std::string>& column_names);

}  // namespace instantgp
