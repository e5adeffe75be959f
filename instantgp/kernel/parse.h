// Text to expression.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "instantgp/kernel/expression.h"

namespace instantgp {

// Parses an expression over the given columns and returns it bound and canonical. The grammar:
//
//   sum     := product { "+" product }
//   product := factor { "*" factor }
//   factor  := "(" sum ")" | symbol [ "(" argument { "," argument } ")" ]
//   argument:= column, at most one and first; or parameter "=" number: PER(month, period=12), SE(lengthscale=2)
//   symbol  := SE | LIN | PER | MAT52 | MAT12 | WIE | IOU | BIAS or an alias (RBF, Linear, Periodic, Matern52, M52,
//              Matern12, M12, Exponential, Wiener, RandomWalk, DampedTrend, Constant), any case
//   column  := a column's name, a quoted name ("..." or '...' with \\ \" \' \n \r \t), or a 1-based index
//
//   parameter := variance | lengthscale | period | offset, those that the symbol has
//
// A bare column is looked up as a name first, then as an index, then as x<k>; a quoted one only as a name. A parameter
// given a number, positive and in the user's units, is fixed there.
//
// BIAS needs no column, for it is the same on all. Without columns named anywhere the expression is a shorthand: the
// product over all columns of itself on each. A mixture of symbols with and without a column is an error unless there
// is only one column. Throws Error(kBadInput) with the text, a caret under the position, and a suggestion;
// Error(kLimit) for more than 4096 symbols (counted on every column), 200 nested parentheses or 1 MiB of text.
Expression ParseKernel(std::string_view text, const std::vector<std::string>& column_names);

}  // namespace instantgp
