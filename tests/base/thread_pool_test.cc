#include "instantgp/base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace instantgp {
namespace {

TEST(ThreadPool, RunsEveryIndexOnceWithAWorkerInRange) {
  for (int threads = 1; threads <= 9; ++threads) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (const int count : {0, 1, 2, 3, 7, 8, 9, 100, 1000}) {
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(count));
      std::atomic<bool> worker_in_range = true;
      pool.Run(count, [&](int index, int worker) {
        ++runs[static_cast<std::size_t>(index)];
        if (worker < 0 || worker >= threads) worker_in_range = false;
      });
      for (const auto& n : runs) ASSERT_EQ(n, 1);
      EXPECT_TRUE(worker_in_range);
    }
  }
}

TEST(ThreadPool, GivesEachWorkerItsOwnScratch) {
  // No two bodies with one worker number overlap: plain counters per worker lose nothing.
  ThreadPool pool(4);
  std::vector<long> scratch(4 * 16, 0);
  for (int repeat = 0; repeat < 200; ++repeat) {
    pool.Run(64, [&](int, int worker) { ++scratch[static_cast<std::size_t>(worker) * 16]; });
  }
  EXPECT_EQ(scratch[0] + scratch[16] + scratch[32] + scratch[48], 200 * 64);
}

TEST(ThreadPool, OneThreadRunsInOrderOnTheCaller) {
  ThreadPool pool(1);
  std::vector<int> order;
  const std::thread::id caller = std::this_thread::get_id();
  pool.Run(5, [&](int index, int worker) {
    EXPECT_EQ(worker, 0);
    order.push_back(index);
    EXPECT_EQ(std::this_thread::get_id(), caller);
  });
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(ThreadPool, UsesItsThreads) {
  // Two bodies that wait for each other can only end if they run at the same time.
  ThreadPool pool(2);
  std::atomic<int> arrived = 0;
  pool.Run(2, [&](int, int) {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
  });
  EXPECT_EQ(arrived, 2);
}

TEST(ThreadPool, RethrowsTheFailureASingleThreadWouldMeet) {
  for (int threads = 1; threads <= 5; ++threads) {
    ThreadPool pool(threads);
    for (int repeat = 0; repeat < 100; ++repeat) {
      std::string message;
      try {
        pool.Run(100, [](int index, int) {
          if (index % 7 == 6) throw std::runtime_error(std::to_string(index));
        });
      } catch (const std::runtime_error& error) {
        message = error.what();
      }
      EXPECT_EQ(message, "6");
    }
    // and the pool works on
    std::atomic<int> sum = 0;
    pool.Run(10, [&](int index, int) { sum += index; });
    EXPECT_EQ(sum, 45);
  }
}

TEST(ThreadPool, RefusesToBeEnteredFromItsOwnBody) {
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    EXPECT_THROW(pool.Run(4, [&](int, int) { pool.Run(1, [](int, int) {}); }), std::logic_error);
    int runs = 0;
    pool.Run(1, [&](int, int) { ++runs; });
    EXPECT_EQ(runs, 1);
  }
}

TEST(ThreadPool, ResultsDoNotDependOnTheThreads) {
  const auto compute = [](int threads) {
    ThreadPool pool(threads);
    std::vector<double> results(500);
    pool.Run(500, [&](int index, int) { results[static_cast<std::size_t>(index)] = 1.0 / (1 + index); });
    return results;
  };
  EXPECT_EQ(compute(1), compute(6));
}

TEST(ThreadPool, RefusesNoThreads) { EXPECT_THROW(ThreadPool(0), std::logic_error); }

class ResolveThreadsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* value = std::getenv("OMP_NUM_THREADS")) before_ = value;
  }
  void TearDown() override {
    if (before_.empty()) {
      unsetenv("OMP_NUM_THREADS");
    } else {
      setenv("OMP_NUM_THREADS", before_.c_str(), 1);
    }
  }

 private:
  std::string before_;
};

TEST_F(ResolveThreadsTest, TakesTheRequestThenTheEnvironmentThenTheMachine) {
  setenv("OMP_NUM_THREADS", "3", 1);
  EXPECT_EQ(ResolveThreads(5), 5);
  EXPECT_EQ(ResolveThreads(0), 3);
  setenv("OMP_NUM_THREADS", "7,2", 1);
  EXPECT_EQ(ResolveThreads(0), 7);
  unsetenv("OMP_NUM_THREADS");
  const int machine = ResolveThreads(0);
  EXPECT_GE(machine, 1);
  for (const char* nonsense : {"", "0", "-2", "four", "99999999999999", "3x"}) {
    setenv("OMP_NUM_THREADS", nonsense, 1);
    EXPECT_EQ(ResolveThreads(0), machine) << nonsense;
  }
}

}  // namespace
}  // namespace instantgp
