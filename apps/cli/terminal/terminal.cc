#include "apps/cli/terminal/terminal.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "instantgp/base/error.h"

namespace instantgp::cli {
namespace {

// True when all was written or the reader is gone.
bool WriteAll(int descriptor, std::string_view data) {
  while (!data.empty()) {
    const ssize_t written = ::write(descriptor, data.data(), data.size());
    if (written >= 0) {
      data.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      return errno == EPIPE;
    }
  }
  return true;
}

}  // namespace

void WriteStdout(std::string_view data) {
  if (!WriteAll(STDOUT_FILENO, data)) {
    throw Error(ErrorCode::kFailure, std::string("cannot write to standard output: ") + std::strerror(errno));
  }
}

void Message(std::string_view text) {
  std::string line(text);
  line += '\n';
  WriteAll(STDERR_FILENO, line);  // nowhere to complain about stderr
}

std::string Heading(const std::string& text) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool plain = (no_color && *no_color) || (term && std::strcmp(term, "dumb") == 0) || !::isatty(STDOUT_FILENO);
  return plain ? text : "\033[1m" + text + "\033[0m";
}

Progress::Progress(std::string unit, bool quiet)
    : unit_(std::move(unit)), quiet_(quiet), terminal_(::isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  if (drawn_) WriteAll(STDERR_FILENO, "\r\033[K");
}

void Progress::Update(int done, int of) {
  if (quiet_ || of <= 0) return;
  const std::string count = std::to_string(done) + "/" + std::to_string(of) + " " + unit_;
  if (terminal_) {
    constexpr int kWidth = 30;
    const int filled = static_cast<int>(static_cast<long>(kWidth) * done / of);
    WriteAll(STDERR_FILENO, "\r[" + std::string(filled, '#') + std::string(kWidth - filled, '.') + "] " + count);
    drawn_ = true;
    return;
  }
  const int tenth = static_cast<int>(10L * done / of);  // at most ten lines in a log
  if (tenth == last_tenth_) return;
  last_tenth_ = tenth;
  Message(count);
}

}  // namespace instantgp::cli
