// The two streams of a command: stdout is data, stderr is messages and progress.
#pragma once

#include <string>
#include <string_view>

namespace instantgp::cli {

// All of stdout's data in one go. A reader that closed the pipe has had enough: quietly ignored. Any other failure is
// an Error(kFailure).
void WriteStdout(std::string_view data);

// One line on stderr, without prefix.
void Message(std::string_view text);

// Bold on a terminal that can show it (NO_COLOR and TERM=dumb say no), else the text itself.
std::string Heading(const std::string& text);

}  // namespace instantgp::cli
