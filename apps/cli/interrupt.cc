#include "apps/cli/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <ctime>
#include <thread>

#include "apps/cli/terminal.h"
#include "instantgp/base/error.h"

namespace instantgp::cli {
namespace {

// Never destroyed: the signal thread may outlive main.
std::stop_source& Source() {
  static auto* const source = new std::stop_source();
  return *source;
}

}  // namespace

std::stop_token StopToken() { return Source().get_token(); }

std::mutex& WriteMutex() {
  static auto* const mutex = new std::mutex();
  return *mutex;
}

void InstallSignalHandling() {
  ::signal(SIGPIPE, SIG_IGN);
  Source();
  WriteMutex();
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // inherited by every thread started later
  std::thread([signals] {
    int received = 0;
    sigwait(&signals, &received);
    Source().request_stop();
    const timespec patience{1, 0};
    sigtimedwait(&signals, nullptr, &patience);
    const std::lock_guard<std::mutex> lock(WriteMutex());
    Message("instantgp: interrupted");
    ::_exit(static_cast<int>(ErrorCode::kInterrupted));
  }).detach();
}

}  // namespace instantgp::cli
