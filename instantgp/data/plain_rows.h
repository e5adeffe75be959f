// The rows of a table in which nothing is out of the ordinary, read fast and on all cores.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "instantgp/base/matrix.h"

namespace instantgp {

// The numbers of `text` if every line of it is exactly `kept.size()` cells between separators, those that are kept
// being plain decimals ("-12.5", "3e-7") without blanks, and if there are neither quotes nor empty lines nor comments;
// else nullopt, and the reader that knows all of that and can say what is wrong has to read the text. Column by column
// (rows, kept columns). Cells are read as ReadCell() does, to the last bit. Lines end in LF or CRLF, the last one need
// not. `threads` as in ResolveThreads; the result does not depend on it.
std::optional<Matrix> ReadPlainRows(std::string_view text, char separator, const std::vector<bool>& kept,
                                    int threads = 0);

}  // namespace instantgp
