#include "python/bindings/call.h"

#include <Python.h>
#include <pthread.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "instantgp/base/blas_kernels.h"

namespace instantgp::python {
namespace {

// Calls under way, from any Python thread; the one global of the module, as OpenBLAS's setting is one.
struct {
  std::mutex mutex;
  int calls = 0;
  int threads_found = 0;
} blas;

constexpr std::chrono::milliseconds kBetweenLooks(50);  // how long Ctrl-C may go unnoticed

// Gives the interpreter's lock away for as long as it lives.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  ~Unlocked() { PyEval_RestoreThread(state_); }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

  // Lets Python's signal handlers run; true when one raised.
  bool Interrupted() {
    PyEval_RestoreThread(state_);
    const bool raised = PyErr_CheckSignals() != 0;
    state_ = PyEval_SaveThread();
    return raised;
  }

 private:
  PyThreadState* state_;
};

}  // namespace

// A child forked while another thread is inside the library has that thread's count but not the thread.
void PrepareForForks() {
  pthread_atfork([] { blas.mutex.lock(); }, [] { blas.mutex.unlock(); },
                 [] {
                   blas.calls = 0;
                   blas.mutex.unlock();
                 });
}

BlasScope::BlasScope() {
  const std::lock_guard lock(blas.mutex);
  if (blas.calls++ > 0) return;
  blas.threads_found = BlasThreads();
  if (blas.threads_found != 1) SetBlasThreads(1);
}

BlasScope::~BlasScope() {
  const std::lock_guard lock(blas.mutex);
  if (--blas.calls > 0 || blas.threads_found == 1) return;
  SetBlasThreads(blas.threads_found);
}

void RunUnlocked(const std::function<void()>& work) {
  const Unlocked unlocked;
  const BlasScope scope;
  work();
}

void RunInterruptible(const std::function<void(const std::stop_token& stop)>& work) {
  std::stop_source stop;
  std::exception_ptr failure;
  bool raised = false;  // by a signal handler
  {
    Unlocked unlocked;
    const BlasScope scope;
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
    const std::jthread worker([&] {
      try {
        work(stop.get_token());
      } catch (...) {
        failure = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      done = true;
      changed.notify_one();
    });
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, kBetweenLooks, [&] { return done; })) {
      if (raised) continue;
      lock.unlock();
      raised = unlocked.Interrupted();
      if (raised) stop.request_stop();
      lock.lock();
    }
  }  // joined; the lock is held again
  if (raised) throw PythonError();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace instantgp::python
