#include "instantgp/model/fit.h"

#include <algorithm>
#include <utility>

#include "instantgp/base/thread_pool.h"

namespace instantgp {
namespace {

// Columns, hypotheses and halves of a matrix are what one fit can share out, and threads take a tenth of a millisecond
// each to start.
constexpr int kMostUsefulThreads = 8;

}  // namespace

Model Fit(const Dataset& data, std::string_view kernel, const FitOptions& options, const SessionOptions& session) {
  SessionOptions own = session;
  own.Validate();
  if (options.method != Method::kMultiStart) own.threads = std::min(ResolveThreads(own.threads), kMostUsefulThreads);
  return Session(std::move(own)).Fit(data, kernel, options);
}

}  // namespace instantgp
