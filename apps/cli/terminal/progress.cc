#include "apps/cli/terminal/progress.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <utility>

#include "apps/cli/terminal/terminal.h"

namespace instantgp::cli {

StatusLine::StatusLine(bool quiet) : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) != 0) {}

StatusLine::~StatusLine() { Clear(); }

void StatusLine::Clear() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

void StatusLine::Show(const std::string& text) {
  if (quiet_) return;
  if (!terminal_) return Message(text);
  std::fprintf(stderr, "\r\033[K%s", text.c_str());
  drawn_ = true;
}

void StatusLine::Say(const std::string& text) {
  if (quiet_) return;
  Clear();
  Message(text);
}

Progress::Progress(std::string unit, bool quiet) : unit_(std::move(unit)), line_(quiet) {}

void Progress::Update(int done, int of, std::optional<double> seconds_left, const std::string& more) {
  if (line_.quiet() || of <= 0) return;
  std::string text = std::to_string(done) + "/" + std::to_string(of) + " " + unit_;
  if (seconds_left) text += ", " + Duration(*seconds_left) + " left";
  if (!more.empty()) text += ", " + more;
  if (line_.terminal()) {
    constexpr int kWidth = 30;
    const int filled = static_cast<int>(static_cast<long>(kWidth) * done / of);
    return line_.Show("[" + std::string(filled, '#') + std::string(kWidth - filled, '.') + "] " + text);
  }
  const int tenth = static_cast<int>(10L * done / of);  // at most ten lines in a log
  if (tenth == last_tenth_) return;
  last_tenth_ = tenth;
  line_.Show(text);
}

std::string Duration(double seconds) {
  char text[32];
  const long whole = std::lround(seconds);
  if (whole < 3600) {
    std::snprintf(text, sizeof text, "%ld:%02ld", whole / 60, whole % 60);
  } else {
    std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
  }
  return text;
}

}  // namespace instantgp::cli
