// The one way into inference: every front end turns its options into these, asks a session, and shows what comes back.
//
//   Session session({.threads = 4});
//   const Encoding table = session.Encode(data);                // read once
//   const Model a = session.Fit(table, "SE + PER");             // asked for any number of kernels
//   const Model b = session.Fit(data, "SE", {.method = Method::kMl});
//
// For a single fit there is Fit() (model/fit.h), which makes a session of its own.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "instantgp/base/export.h"
#include "instantgp/data/dataset.h"
#include "instantgp/inference/encoding.h"
#include "instantgp/model/model.h"
#include "instantgp/model/options.h"

namespace instantgp {

class LogParameters;
class Stopwatch;
class ThreadPool;
class TrainedNetwork;
struct Expression;
struct Structure;
struct Wave;

// A kernel as it came out of a loop over many of them.
struct INSTANTGP_EXPORT FitAttempt {
  std::optional<Model> model;
  std::string failure;  // numerical; all other errors end the loop
};

// Holds what inference needs and resolves it once: network, threads (started when they are first of use and kept),
// memory limit and stop token. One call at a time; results depend on none of these but the network.
class INSTANTGP_EXPORT Session {
 public:
  explicit Session(SessionOptions options = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Scales and reads a table, with warnings about its data, for the methods that ask the network. `columns` empty: all;
  // most_rows 0: as many as one fit is worth.
  Encoding Encode(const Dataset& data, std::vector<int> columns = {}, int most_rows = 0,
                  Method method = Method::kOneShot);

  // Throws Error: kBadInput for the kernel or data (also for a target the transform does not allow and a kernel outside
  // the amortised family with a method that asks the network), kLimit when n is too large (with the number and the
  // alternative), kNumerical when no parameters could be evaluated, kInterrupted when a stop was requested.
  Model Fit(const Dataset& data, std::string_view kernel, const FitOptions& options = {});
  // Methods oneshot, refine and ahgp, from an encoding this session's network made.
  Model Fit(const Encoding& encoding, std::string_view kernel, const FitOptions& options = {});
  // Error(kLimit) with the number and the alternative.
  void CheckMemory(int n, const FitOptions& options) const;
  void CheckMemory(int n, const FitOptions& options, int models) const;  // so many are kept
  // The most rows an exact model may have that keeps so many factors.
  int MostExactRows(int factors = 1) const;
  // Error(kInterrupted) "interrupted while <doing>".
  void StopIfAsked(std::string_view doing) const;

  // For ensembles, updates and search: what follows takes or returns types that are not installed.

  // From an encoding, with hypotheses (p + 1, K) in place of those the network would decode. A canonical kernel.
  Model Fit(const Encoding& encoding, const Expression& kernel, const Matrix& hypotheses, const FitOptions& options);
  // Other methods, and neighbours, from scaled data; `start` null: the method's own.
  Model Fit(ScaledTable table, const Expression& expression, const FitOptions& options,
            const LogParameters* start = nullptr);
  // Many kernels, each on one thread, in the order given. Of `times` (may be null) decode is that of the batch, and the
  // loop over kernels counts as factorize or optimize. `near`, one for every kernel, empty where there is none: the
  // parameters of an answer to nearly the same data, from which it is quicker (inference/oneshot.h).
  std::vector<FitAttempt> FitAll(const Encoding& encoding, std::span<const Expression> kernels,
                                 const FitOptions& options, TimeSplit* times = nullptr,
                                 const std::vector<LogParameters>* near = nullptr);
  std::vector<FitAttempt> FitAll(const Dataset& data, std::span<const Expression> kernels, const FitOptions& options,
                                 TimeSplit* times = nullptr);
  const TrainedNetwork& network(Method method = Method::kOneShot) const;
  ThreadPool& pool();
  const std::stop_token& stop() const { return options_.stop; }

 private:
  ThreadPool* PoolFor(int n);  // null where a second thread is of no use
  Model FitUnder(const TargetTransform& transform, const Dataset& data, std::string_view kernel,
                 const FitOptions& options);
  Model FitDecoded(const Encoding& encoding, const Structure& structure, const Expression* kernel,
                   const Matrix* hypotheses, const FitOptions& options, int draws, ThreadPool* pool,
                   const Stopwatch& total, const std::map<int, std::vector<Wave>>* waves = nullptr,
                   const LogParameters* near = nullptr) const;
  Model FitScaled(ScaledTable table, const Expression& expression, const FitOptions& options,
                  const LogParameters* start, ThreadPool* pool) const;
  Model FitSparse(ScaledTable table, const Expression& expression, const FitOptions& options, ThreadPool* pool) const;
  Model FitNeighbours(ScaledTable table, const Expression& expression, const Structure& structure,
                      const FitOptions& options, bool instead_of_exact, const Stopwatch& total);
  std::vector<FitAttempt> Loop(int count, const FitOptions& options, const std::function<Model(int)>& fit);

  SessionOptions options_;
  std::unique_ptr<ThreadPool> pool_;
};

}  // namespace instantgp
