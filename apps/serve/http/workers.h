// The threads that work on requests, and the queue in front of them.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace instantgp::serve {

class Workers {
 public:
  // `most`: jobs that run or wait at once.
  Workers(int threads, int most);
  ~Workers();  // when the jobs that were taken are done
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int threads() const { return static_cast<int>(threads_.size()); }
  // False when there are too many already.
  bool Submit(std::function<void()> job);
  int busy() const;  // running and waiting

 private:
  void Work();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  int running_ = 0;
  int most_;
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace instantgp::serve
