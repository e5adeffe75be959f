// What an error about a piece of text shows: the text with a caret, and the nearest thing that exists.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace instantgp {

// Valid UTF-8 on one line: control characters become blanks, broken bytes question marks.
std::string OneLine(std::string_view text);

// Two indented lines: the text, and a caret under the byte `position` (which may be the end). The caret counts what a
// terminal shows: accents take no cell and East Asian characters two. A long text is cut to a window around the caret.
std::string TextWithCaret(std::string_view text, std::size_t position);

// Levenshtein distance over bytes, ASCII letters compared without case.
int EditDistance(std::string_view a, std::string_view b);

// The candidate nearest to the word, or empty when none is near: more than a third of the letters differ, at least one
// difference is always allowed.
std::string Nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace instantgp
