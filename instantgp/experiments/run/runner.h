// Runs the tasks of an experiment, in parallel, with what was done before left alone.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "instantgp/experiments/run/record.h"

namespace instantgp {

// One training and test set with one structure. All methods of a task run one after the other on one thread, so that
// their times are taken under the same conditions and may be divided by each other.
struct Task {
  std::string dataset;
  int split = 0;
  std::string structure;
  double cost = 1;                   // relative to other tasks, for the time left
  std::vector<std::string> methods;  // the only ones this task is for; empty: all
  // Fills everything but the four names. Throws for a fit that fails. May be called from any thread.
  std::function<Record(const std::string& method)> run;
};

struct RunnerOptions {
  int threads = 0;  // 0: as the machine has
  std::stop_token stop;
  // Called after every task, one call at a time: tasks done, of how many, and a guess of what is left.
  std::function<void(int done, int of, double seconds_left)> progress;
  // Called after every task with all records so far in the order of the tasks; one call at a time.
  std::function<void(const std::vector<Record>& records)> save;
};

// The records of all tasks and their methods, ordered by task, then method. Those in `done` with the same dataset,
// split, structure and method are kept and not run again; the others of `done` follow at the end. A method that throws
// Error (or runs out of memory) is a record with the reason as its status, and the run goes on. When a stop is
// requested, what is complete is returned.
std::vector<Record> RunTasks(const std::vector<Task>& tasks, const std::vector<std::string>& methods,
                             const std::vector<Record>& done, const RunnerOptions& options);

}  // namespace instantgp
