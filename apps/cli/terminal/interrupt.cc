#include "apps/cli/terminal/interrupt.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>
#include <thread>

#include "apps/cli/terminal/terminal.h"
#include "instantgp/base/error.h"

namespace instantgp::cli {
namespace {

std::atomic<int> patience_ms = 1000;

// Signals only write a byte here; a thread reads it. (Blocking the signals instead would miss the threads a BLAS starts
// before main.)
int signal_pipe[2];

extern "C" void OnSignal(int) {
  const int saved = errno;
  const char byte = 1;
  [[maybe_unused]] const ssize_t ignored = ::write(signal_pipe[1], &byte, 1);
  errno = saved;
}

// Never destroyed: the watching thread may outlive main.
std::stop_source& Source() {
  static auto* const source = new std::stop_source();
  return *source;
}

void Watch() {
  char byte;
  while (::read(signal_pipe[0], &byte, 1) < 0 && errno == EINTR) {
  }
  Source().request_stop();
  pollfd next{signal_pipe[0], POLLIN, 0};
  while (::poll(&next, 1, patience_ms) < 0 && errno == EINTR) {
  }
  const std::lock_guard<std::mutex> lock(WriteMutex());
  Message("instantgp: interrupted");
  ::_exit(static_cast<int>(ErrorCode::kInterrupted));
}

}  // namespace

void SetPatience(int seconds) { patience_ms = 1000 * seconds; }

std::stop_token StopToken() { return Source().get_token(); }

std::mutex& WriteMutex() {
  static auto* const mutex = new std::mutex();
  return *mutex;
}

void InstallSignalHandling() {
  Source();
  WriteMutex();
  if (::pipe(signal_pipe) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  ::signal(SIGPIPE, SIG_IGN);
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  std::thread(Watch).detach();
}

}  // namespace instantgp::cli
