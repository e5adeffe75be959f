#include "instantgp/base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sched.h>
#endif

#include "instantgp/base/check.h"

namespace instantgp {

namespace {

int MachineCores() {
#ifdef __linux__
  // The cores this process may run on: a container or taskset may leave fewer than the machine has.
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
#endif
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// Loops often follow each other within microseconds, where sleeping and waking would cost more than the work: a thread
// looks out for the next loop, or the end of this one, for a while before it sleeps. It reads the clock between looks
// instead of pausing: hypervisors take a processor away from a guest that runs too many pause instructions.
constexpr std::chrono::microseconds kLookOut{150};

template <typename Condition>
void LookOut(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + kLookOut;
  while (!condition() && std::chrono::steady_clock::now() < end) {
  }
}

}  // namespace

int ResolveThreads(int requested) {
  if (requested > 0) return requested;
  if (const char* variable = std::getenv("OMP_NUM_THREADS")) {
    // OpenMP allows a list, one number per nesting level; the outermost is ours.
    std::string_view text = variable;
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    int threads = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), threads);
    const bool whole = end == text.data() + text.size() || *end == ',' || *end == ' ';
    if (status == std::errc() && whole && threads > 0) return threads;
  }
  return MachineCores();
}

struct ThreadPool::State {
  explicit State(int thread_count) : threads(thread_count) {}

  // Takes indices until none is left. Indices are handed out in ascending order and after a failure no more are, so
  // every index below a failed one runs to its end: the failure of the smallest index is the one a single thread meets.
  void Work(int worker) {
    for (;;) {
      const std::int64_t index = next.fetch_add(1, std::memory_order_relaxed);
      if (index >= count) return;
      try {
        (*body)(static_cast<int>(index), worker);
      } catch (...) {
        next.store(count, std::memory_order_relaxed);
        const std::lock_guard lock(mutex);
        if (!failure || index < failed_index) {
          failure = std::current_exception();
          failed_index = index;
        }
      }
    }
  }

  void WorkerLoop(const std::stop_token& stop, int worker) {
    std::uint64_t seen = 0;
    for (;;) {
      if (seen > 0) LookOut([&] { return generation.load() != seen || stop.stop_requested(); });
      {
        std::unique_lock lock(mutex);
        if (!start.wait(lock, stop, [&] { return generation != seen; })) return;
        seen = generation;
      }
      Work(worker);
      const std::lock_guard lock(mutex);
      if (--busy == 0) done.notify_one();
    }
  }

  const int threads;
  std::atomic<bool> running = false;
  std::mutex mutex;
  std::condition_variable_any start;
  std::condition_variable done;
  std::atomic<std::uint64_t> generation = 0;  // number of loops started
  std::atomic<int> busy = 0;                  // started threads still in the current loop
  const std::function<void(int, int)>* body = nullptr;
  std::int64_t count = 0;
  std::atomic<std::int64_t> next = 0;
  std::exception_ptr failure;
  std::int64_t failed_index = 0;
  std::vector<std::jthread> workers;  // last: joined before what they use is gone
};

ThreadPool::ThreadPool(int threads) {
  INSTANTGP_CHECK(threads >= 1);
  state_ = std::make_unique<State>(threads);
  State* state = state_.get();
  // The caller of Run is worker 0.
  for (int worker = 1; worker < threads; ++worker) {
    state->workers.emplace_back([state, worker](const std::stop_token& stop) { state->WorkerLoop(stop, worker); });
  }
}

ThreadPool::~ThreadPool() = default;

int ThreadPool::threads() const { return state_->threads; }

void ThreadPool::Run(int count, const std::function<void(int index, int worker)>& body) {
  INSTANTGP_CHECK(count >= 0);
  State& state = *state_;
  INSTANTGP_CHECK(!state.running.exchange(true));  // a body must not call Run of its own pool
  struct Release {
    std::atomic<bool>& running;
    ~Release() { running = false; }
  } release{state.running};

  if (state.threads == 1 || count <= 1) {
    for (int index = 0; index < count; ++index) body(index, 0);
    return;
  }
  {
    const std::lock_guard lock(state.mutex);
    state.body = &body;
    state.count = count;
    state.next = 0;
    state.failure = nullptr;
    state.busy = state.threads - 1;
    ++state.generation;
  }
  state.start.notify_all();
  state.Work(0);
  LookOut([&] { return state.busy.load() == 0; });
  std::exception_ptr failure;
  {
    std::unique_lock lock(state.mutex);
    state.done.wait(lock, [&] { return state.busy == 0; });
    state.body = nullptr;
    failure = std::exchange(state.failure, nullptr);
  }
  if (failure) std::rethrow_exception(failure);
}

void RunOn(ThreadPool* pool, int count, const std::function<void(int index, int worker)>& body) {
  if (pool != nullptr) return pool->Run(count, body);
  for (int k = 0; k < count; ++k) body(k, 0);
}

}  // namespace instantgp
