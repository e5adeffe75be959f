// CPU time of the calling thread. Internal to experiments/.
#pragma once

#include <ctime>

namespace instantgp {

class ThreadTimer {
 public:
  double Seconds() const { return Now() - start_; }

 private:
  static double Now() {
    std::timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }
  double start_ = Now();
};

}  // namespace instantgp
