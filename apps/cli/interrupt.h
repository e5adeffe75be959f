// Ctrl-C: the running computation is asked to stop; one that does not within a second is left.
#pragma once

#include <mutex>
#include <stop_token>

namespace instantgp::cli {

// Call once in main before any thread starts. SIGINT and SIGTERM are then taken by a thread of their own, which
// requests a stop, and after a second (or at the next signal) ends the process with code 130. SIGPIPE is ignored.
void InstallSignalHandling();

std::stop_token StopToken();

// Held while files are written, so that the process does not end between a temporary file and its renaming.
std::mutex& WriteMutex();

}  // namespace instantgp::cli
