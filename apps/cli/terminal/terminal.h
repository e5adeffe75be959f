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

// A bar that redraws itself on a terminal, plain lines otherwise; nothing when quiet. Removed when it goes out of
// scope.
class Progress {
 public:
  Progress(std::string unit, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void Update(int done, int of);

 private:
  std::string unit_;
  bool quiet_;
  bool terminal_;
  bool drawn_ = false;
  int last_tenth_ = 0;
};

}  // namespace instantgp::cli
