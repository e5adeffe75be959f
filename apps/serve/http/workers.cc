#include "apps/serve/http/workers.h"

#include <algorithm>
#include <utility>

namespace instantgp::serve {

Workers::Workers(int threads, int most) : most_(most) {
  for (int k = 0; k < std::max(1, threads); ++k) threads_.emplace_back([this] { Work(); });
}

Workers::~Workers() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool Workers::Submit(std::function<void()> job) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (running_ + static_cast<int>(waiting_.size()) >= most_) return false;
    waiting_.push_back(std::move(job));
  }
  changed_.notify_one();
  return true;
}

int Workers::busy() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return running_ + static_cast<int>(waiting_.size());
}

void Workers::Work() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return closing_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    std::function<void()> job = std::move(waiting_.front());
    waiting_.pop_front();
    ++running_;
    lock.unlock();
    job();
    job = nullptr;
    lock.lock();
    --running_;
  }
}

}  // namespace instantgp::serve
