#include "instantgp/forecast/learn_priors.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "instantgp/base/error.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/forecast/score.h"
#include "instantgp/forecast/series_choices.h"

namespace instantgp {
namespace {

constexpr int kRounds = 3;
// How many series the library's priors count for.
constexpr double kOwnCount = 20;
// Narrower ones would hold a parameter where the sample had it.
constexpr double kLeastStd = 0.3;
// Of the score of what is held out: less is chance (on the yearly series of M3 a gain of 0.003 there was a loss in the
// end).
constexpr double kLeastGain = 0.005;

// Values of a series: fewer decide nothing.
constexpr int kLeastHeldOut = 6;

// A series without its last values, and these.
struct HeldOut {
  SeriesToLearnFrom before;
  std::vector<double> after;
};
using NamedPriors = std::map<std::string, LogNormalPrior>;

// None of a series that cannot be forecast.
std::optional<HeldOut> HoldOut(const SeriesToLearnFrom& from, ForecastOptions options) {
  const auto n = static_cast<std::ptrdiff_t>(from.values.size());
  const std::ptrdiff_t count = std::min<std::ptrdiff_t>(std::max(options.horizon, kLeastHeldOut), n / 4);
  if (count < 1) return std::nullopt;
  HeldOut part{{{from.values.begin(), from.values.end() - count}, from.seasons},
               {from.values.end() - count, from.values.end()}};
  options.seasons = from.seasons;
  if (!ChooseFor(part.before.values, options).fit()) return std::nullopt;
  return part;
}

// Sums over the fits of series.
struct Found {
  double count = 0, mean = 0, square = 0;  // of the logarithm; the square with the uncertainty of the answer
  LogNormalPrior prior;                    // of the fits
};
using FoundByName = std::map<std::string, Found>;

FoundByName FindIn(const SeriesToLearnFrom& from, ForecastOptions options, const std::stop_token& stop) {
  options.seasons = from.seasons;
  const SeriesChoices choices = ChooseFor(from.values, options);
  FoundByName found;
  for (const ParameterAnswer& answer :
       FitParameters(choices.series, choices.transforms, choices.seasons, options, stop)) {
    Found& sum = found[answer.name];
    sum.prior = answer.prior;
    sum.count += 1;
    sum.mean += answer.log_value;
    sum.square += answer.log_value * answer.log_value + answer.variance;
  }
  for (auto& [name, sum] : found) {  // a series counts once, however many transforms it was fitted under
    sum.mean /= sum.count;
    sum.square /= sum.count;
    sum.count = 1;
  }
  return found;
}

// A round of learning: fits with the last priors, and what they say. The first finds the library's own.
NamedPriors FindPriors(const std::vector<HeldOut>& parts, ForecastOptions options, ThreadPool& pool,
                       const NamedPriors& last, NamedPriors& library, const std::stop_token& stop) {
  for (const auto& [name, prior] : last) options.priors.Set(name, prior);
  std::vector<FoundByName> found(parts.size());
  pool.Run(static_cast<int>(parts.size()), [&](int k, int) {
    const auto place = static_cast<std::size_t>(k);
    found[place] = FindIn(parts[place].before, options, stop);
  });
  if (stop.stop_requested()) throw Error(ErrorCode::kInterrupted, "interrupted while learning priors");
  // One after the other, so that sums do not depend on threads.
  FoundByName sums;
  for (const FoundByName& one : found) {
    for (const auto& [name, answer] : one) {
      Found& sum = sums[name];
      sum.prior = answer.prior;
      sum.count += 1;
      sum.mean += answer.mean;
      sum.square += answer.square;
    }
  }
  NamedPriors next;
  for (const auto& [name, sum] : sums) {
    const LogNormalPrior& prior = library.emplace(name, sum.prior).first->second;
    const double all = sum.count + kOwnCount, mean = (sum.mean + kOwnCount * prior.mean) / all;
    const double square = (sum.square + kOwnCount * (prior.mean * prior.mean + prior.std * prior.std)) / all;
    next[name] = {mean, std::max(kLeastStd, std::sqrt(std::max(0.0, square - mean * mean)))};
  }
  return next;
}

ForecastPriors Between(const NamedPriors& library, const NamedPriors& learned, double share) {
  ForecastPriors between;
  for (const auto& [name, to] : learned) {
    const auto found = library.find(name);
    const LogNormalPrior& from = found == library.end() ? to : found->second;
    between.Set(name, {from.mean + share * (to.mean - from.mean), from.std + share * (to.std - from.std)});
  }
  return between;
}

// CRPS of what is held out, in units of each series' naive error.
double MeanScore(const std::vector<HeldOut>& parts, ForecastOptions options, const ForecastPriors& priors,
                 ThreadPool& pool, const std::stop_token& stop) {
  options.priors = priors;
  std::vector<double> scores(parts.size());
  pool.Run(static_cast<int>(parts.size()), [&](int k, int) {
    const auto place = static_cast<std::size_t>(k);
    ForecastOptions each = options;
    each.seasons = parts[place].before.seasons;
    each.horizon = static_cast<int>(parts[place].after.size());
    const Forecasted forecast = Forecast(parts[place].before.values, each, stop);
    if (forecast.ok) scores[place] = ScoreForecast(parts[place].before.values, 1, forecast, parts[place].after).scrps;
  });
  double sum = 0;
  for (const double score : scores) sum += score;
  return sum / static_cast<double>(parts.size());
}

}  // namespace

ForecastPriors LearnPriors(const std::vector<SeriesToLearnFrom>& series, const ForecastOptions& options, int threads,
                           const std::stop_token& stop) {
  ForecastOptions own = options;
  own.priors = {};
  own.components = own.anomalies = false;
  std::vector<HeldOut> parts;
  for (const SeriesToLearnFrom& one : series) {
    if (std::optional<HeldOut> part = HoldOut(one, own)) parts.push_back(std::move(*part));
  }
  ForecastPriors::Learning learning;
  learning.series = static_cast<int>(parts.size());
  ForecastPriors chosen;
  if (!parts.empty()) {
    ThreadPool pool(ResolveThreads(threads));
    NamedPriors library, learned;
    for (int round = 0; round < kRounds; ++round) learned = FindPriors(parts, own, pool, learned, library, stop);
    const double before = MeanScore(parts, own, {}, pool, stop);
    double best = 1 - kLeastGain;
    for (const double share : {0.5, 1.0}) {
      const ForecastPriors some = Between(library, learned, share);
      const double score = MeanScore(parts, own, some, pool, stop) / before;
      if (!(score < best)) continue;
      learning.share = share;
      learning.score = best = score;
      chosen = some;
    }
  }
  chosen.set_learning(learning);
  return chosen;
}

std::vector<std::size_t> SampleOfSeries(std::size_t size,
                                        const std::function<const std::vector<std::string>&(std::size_t)>& key,
                                        std::size_t count, std::uint64_t seed) {
  // FNV-1a over the key's parts, its bits mixed at the end: the same on every machine.
  const auto rank = [&](std::size_t place) {
    std::uint64_t hash = 0xcbf29ce484222325ULL ^ (seed * 0x9e3779b97f4a7c15ULL);
    for (const std::string& part : key(place)) {
      for (const char c : part) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
      hash = (hash ^ 0x1f) * 0x100000001b3ULL;
    }
    hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccdULL;
    return hash ^ (hash >> 33);
  };
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  order.reserve(size);
  for (std::size_t k = 0; k < size; ++k) order.emplace_back(rank(k), k);
  const auto before = [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : key(a.second) < key(b.second);
  };
  const std::size_t taken = std::min(count, size);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(taken), order.end(), before);
  std::vector<std::size_t> places;
  places.reserve(taken);
  for (std::size_t k = 0; k < taken; ++k) places.push_back(order[k].second);
  return places;
}

}  // namespace instantgp
