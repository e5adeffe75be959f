// What is going on, on stderr.
#pragma once

#include <optional>
#include <string>

namespace instantgp::cli {

// One line that redraws itself on a terminal and is removed when it goes out of scope; ordinary lines elsewhere;
// nothing when quiet.
class StatusLine {
 public:
  explicit StatusLine(bool quiet);
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  bool quiet() const { return quiet_; }
  bool terminal() const { return terminal_; }
  void Show(const std::string& text);
  void Say(const std::string& text);  // a line that stays

 private:
  void Clear();

  bool quiet_;
  bool terminal_;
  bool drawn_ = false;
};

// A bar on a terminal, a line at every tenth elsewhere.
class Progress {
 public:
  Progress(std::string unit, bool quiet);
  // `more` follows the time left: "230 a second".
  void Update(int done, int of, std::optional<double> seconds_left = {}, const std::string& more = "");

 private:
  std::string unit_;
  StatusLine line_;
  int last_tenth_ = 0;
};

// "3:07", "1:02:45"
std::string Duration(double seconds);

}  // namespace instantgp::cli
