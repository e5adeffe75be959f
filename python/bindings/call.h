// How Python enters the library: without the interpreter's lock, interruptible, and with OpenBLAS left as it was found.
#pragma once

#include <functional>
#include <stop_token>

namespace instantgp::python {

// Python's error indicator is set already: nothing is left to translate (module.cc).
struct PythonError {};

// Once, when the module is loaded.
void PrepareForForks();

// The library works with one BLAS thread (threads are shared out above it) and tells OpenBLAS so. NumPy may use the
// same OpenBLAS: its number of threads is put back when the last call of the library ends.
class BlasScope {
 public:
  BlasScope();
  ~BlasScope();
  BlasScope(const BlasScope&) = delete;
  BlasScope& operator=(const BlasScope&) = delete;
};

// Runs `work` without the interpreter's lock. For calls of milliseconds.
void RunUnlocked(const std::function<void()>& work);

// The same on a thread of its own, while this one looks for signals: Ctrl-C requests a stop, which the work notices at
// its next likelihood, and KeyboardInterrupt (or whatever the handler raises) follows. Only Python's main thread can
// receive signals; on others this only waits.
void RunInterruptible(const std::function<void(const std::stop_token& stop)>& work);

}  // namespace instantgp::python
