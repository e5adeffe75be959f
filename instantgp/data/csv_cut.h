// Where a CSV text can be cut: between records.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace instantgp {

// The end of the last record that is certainly complete; 0: there is none. A text that ends in a line end may go on
// with the other half of it, or within a quote, so that the last record is complete only where something follows it. A
// malformed quote is complete: what follows it cannot be read anyway.
std::size_t EndOfRecords(std::string_view text, char separator);

// Ends of pieces of whole lines, each at least `bytes` long but for the last one; the last end is that of the text.
std::vector<std::size_t> CutAtRecords(std::string_view text, char separator, std::size_t bytes);

// A fast guess at the same: cuts at line feeds with an even number of quotes before them. Right where quotes are only
// about cells; those within plain cells and comments lead it astray. Empty where such a line feed is not found for
// long.
std::vector<std::size_t> CutAtEvenQuotes(std::string_view text, std::size_t bytes);

}  // namespace instantgp
