#include "instantgp/experiments/run/runner.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <tuple>
#include <utility>

#include "instantgp/base/diagnosis.h"
#include "instantgp/base/error.h"
#include "instantgp/base/thread_pool.h"

namespace instantgp {
namespace {

using Key = std::tuple<std::string, int, std::string, std::string>;

Key KeyOf(const Record& r) { return {r.dataset, r.split, r.structure, r.method}; }

bool IsFor(const Task& task, const std::string& method) {
  return task.methods.empty() || std::find(task.methods.begin(), task.methods.end(), method) != task.methods.end();
}

std::string Category(ErrorCode code) {
  switch (code) {
    case ErrorCode::kNumerical:
      return "numerical: ";
    case ErrorCode::kLimit:
      return "limit: ";
    case ErrorCode::kBadInput:
      return "input: ";
    case ErrorCode::kUsage:
      return "usage: ";
    default:
      return "failure: ";
  }
}

// nullopt when the method was interrupted.
std::optional<Record> RunMethod(const Task& task, const std::string& method) {
  Record record;
  try {
    record = task.run(method);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kInterrupted) return std::nullopt;
    record.status = Category(error.code()) + OneLine(error.what());
  } catch (const std::bad_alloc&) {
    record.status = "limit: out of memory";
  } catch (const std::exception& error) {
    record.status = "internal: " + OneLine(error.what());
  }
  record.dataset = task.dataset;
  record.split = task.split;
  record.structure = task.structure;
  record.method = method;
  return record;
}

}  // namespace

std::vector<Record> RunTasks(const std::vector<Task>& tasks, const std::vector<std::string>& methods,
                             const std::vector<Record>& done, const RunnerOptions& options) {
  std::map<Key, const Record*> known;
  for (const Record& record : done) known[KeyOf(record)] = &record;
  const std::size_t per_task = methods.size();
  std::vector<std::optional<Record>> records(tasks.size() * per_task);
  std::vector<int> open;  // tasks with something to do
  double open_cost = 0;
  for (std::size_t c = 0; c < tasks.size(); ++c) {
    bool complete = true;
    for (std::size_t m = 0; m < per_task; ++m) {
      if (!IsFor(tasks[c], methods[m])) continue;
      const auto found = known.find({tasks[c].dataset, tasks[c].split, tasks[c].structure, methods[m]});
      if (found == known.end()) {
        complete = false;
      } else {
        records[c * per_task + m] = *found->second;
        known.erase(found);
      }
    }
    if (complete) continue;
    open.push_back(static_cast<int>(c));
    open_cost += tasks[c].cost;
  }
  std::vector<Record> others;  // of `done`, not asked for now
  for (const Record& record : done) {
    if (known.contains(KeyOf(record))) others.push_back(record);
  }
  const auto complete_records = [&] {
    std::vector<Record> list;
    for (const std::optional<Record>& record : records) {
      if (record) list.push_back(*record);
    }
    list.insert(list.end(), others.begin(), others.end());
    return list;
  };

  const int total = static_cast<int>(tasks.size());
  int finished = total - static_cast<int>(open.size());
  double finished_cost = 0;
  std::mutex mutex;
  const auto start = std::chrono::steady_clock::now();
  ThreadPool pool(ResolveThreads(options.threads));
  pool.Run(static_cast<int>(open.size()), [&](int index, int) {
    const std::size_t c = static_cast<std::size_t>(open[static_cast<std::size_t>(index)]);
    for (std::size_t m = 0; m < per_task; ++m) {
      {
        const std::lock_guard lock(mutex);
        if (records[c * per_task + m] || !IsFor(tasks[c], methods[m])) continue;
      }
      if (options.stop.stop_requested()) return;
      std::optional<Record> record = RunMethod(tasks[c], methods[m]);
      if (!record) return;
      const std::lock_guard lock(mutex);
      records[c * per_task + m] = std::move(record);
    }
    const std::lock_guard lock(mutex);
    ++finished;
    finished_cost += tasks[c].cost;
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (options.save) options.save(complete_records());
    if (options.progress) {
      options.progress(finished, total, elapsed * (open_cost - finished_cost) / finished_cost);
    }
  });
  return complete_records();
}

}  // namespace instantgp
