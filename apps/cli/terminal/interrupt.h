// Ctrl-C: the running computation is asked to stop; one that does not within its patience (a second) is left.
#pragma once

#include <mutex>
#include <stop_token>

namespace instantgp::cli {

// Call once in main before any thread starts. SIGINT and SIGTERM are then taken by a thread of their own, which
// requests a stop, and after its patience (or at the next signal) ends the process with code 130. SIGPIPE is ignored.
void InstallSignalHandling();

std::stop_token StopToken();

// How long a command may go on after the first signal; training finishes its step and writes a checkpoint first.
void SetPatience(int seconds);

// Held while files are written, so that the process does not end between a temporary file and its renaming.
std::mutex& WriteMutex();

}  // namespace instantgp::cli
