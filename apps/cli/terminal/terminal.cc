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
  // A message in one piece, and without asking for memory, which may be what it is about.
  char line[1024];
  if (text.size() < sizeof line) {
    std::memcpy(line, text.data(), text.size());
    line[text.size()] = '\n';
    text = {line, text.size() + 1};
  }
  WriteAll(STDERR_FILENO, text);  // nowhere to complain about stderr
  if (text.data() != line) WriteAll(STDERR_FILENO, "\n");
}

std::string Heading(const std::string& text) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool plain = (no_color && *no_color) || (term && std::strcmp(term, "dumb") == 0) || !::isatty(STDOUT_FILENO);
  return plain ? text : "\033[1m" + text + "\033[0m";
}

}  // namespace instantgp::cli
