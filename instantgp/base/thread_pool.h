// A fixed set of worker threads that share out the indices of a loop.
#pragma once

#include <functional>
#include <memory>

namespace instantgp {

// `requested` > 0 is taken as it is; 0 means OMP_NUM_THREADS if set, else the machine's cores.
int ResolveThreads(int requested);

// Not copyable; one Run at a time. No threads are started for ThreadPool(1). The results of a loop must not depend on
// which worker ran an index; `worker` in [0, threads) only selects scratch memory.
class ThreadPool {
 public:
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const;

  // Calls body(index, worker) once for every index in [0, count), in no fixed order, and returns when all are done.
  // The first exception thrown by a body is rethrown here after the loop has drained.
  void Run(int count, const std::function<void(int index, int worker)>& body);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The same loop on a pool or, where there is none, on the calling thread in order.
void RunOn(ThreadPool* pool, int count, const std::function<void(int index, int worker)>& body);

}  // namespace instantgp
