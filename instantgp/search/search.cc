#include "instantgp/search/search.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "instantgp/base/error.h"
#include "instantgp/base/stopwatch.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/network/config.h"
#include "instantgp/search/describe.h"
#include "instantgp/search/moves.h"
#include "instantgp/search/scorer.h"

namespace instantgp {
namespace {

// Structures are decoded in groups, which are the work items of the threads. Groups and chunks depend on the order of
// the search alone, so that neither threads nor the clock can change a bit of a result.
constexpr int kGroup = 4;
constexpr int kPolishedBeams = 2;         // so many times the beam is polished before its best are expanded
constexpr int kChunk = 24;                // structures between two looks at the clock
constexpr double kIndistinguishable = 2;  // nats of evidence
constexpr double kSearchShare = 0.72;     // of the budget; the rest is for refinement

class Searcher {
 public:
  Searcher(Session& session, const Encoding& encoding, const SearchOptions& options, const Stopwatch& clock)
      : session_(session),
        encoding_(encoding),
        network_(session.network()),
        options_(options),
        pool_(session.pool()),
        clock_(clock),
        scorer_(encoding, network_, session.stop()),
        workspaces_(static_cast<std::size_t>(pool_.threads())) {
    moves_.columns = encoding.columns();
    const std::vector<std::string>& known = network_.config().symbols;
    for (const BaseSymbol symbol : kAllBaseSymbols) {
      if (std::find(known.begin(), known.end(), Name(symbol)) != known.end()) moves_.alphabet.push_back(symbol);
    }
    moves_.max_addends = options.max_addends;
  }

  void Run() {
    const auto origin = std::make_shared<Parent>();
    LookForPeriods({origin.get()});
    std::vector<Trial> trials;
    for (Structure& structure : Beginnings(moves_)) trials.push_back({std::move(structure), origin});
    Evaluate(trials);
    while (rounds_ < options_.depth && !out_of_time_) {
      trials = Frontier();
      if (trials.empty()) return;
      ++rounds_;
      Evaluate(trials);
    }
  }

  void RefineTop() {
    Sort();
    const int count = std::min(options_.refine_top, static_cast<int>(candidates_.size()));
    std::vector<char> late(static_cast<std::size_t>(count), 0);
    std::atomic<double> longest = 0;  // milliseconds of a refinement
    pool_.Run(count, [&](int k, int) {
      late[k] = k > 0 && TimeIsUp(1.0, longest);  // the first is refined whatever the clock says
      if (late[k]) return;
      const Stopwatch own;
      scorer_.Refine(candidates_[k]);
      longest = std::max<double>(longest, own.Milliseconds());
    });
    out_of_time_ = out_of_time_ || std::count(late.begin(), late.end(), 1) > 0;
    Sort();
    PutLikeliestFirst();
  }

  std::vector<Candidate>& candidates() { return candidates_; }
  int evaluated() const { return static_cast<int>(seen_.size()); }
  int failed() const { return failed_; }
  int rounds() const { return rounds_; }
  bool out_of_time() const { return out_of_time_; }

 private:
  using Key = std::pair<std::vector<int>, std::vector<std::vector<BaseSymbol>>>;
  static Key KeyOf(const Structure& structure) { return {structure.columns, structure.symbols}; }

  // Whether the share of the budget is used up, or would be after `more` milliseconds.
  bool TimeIsUp(double share, double more = 0) const {
    return options_.budget > 0 && clock_.Milliseconds() + more > 1000 * share * options_.budget;
  }

  // Before every piece of work of a thread: with hundreds of rows a chunk of them takes seconds.
  void StopIfAsked() const { session_.StopIfAsked("searching"); }

  // Refined ones first, each kind by score; equal scores by text.
  void Sort() {
    std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
      if (a.refined != b.refined) return a.refined;
      return a.score != b.score ? a.score < b.score : a.kernel < b.kernel;
    });
  }

  // Refined candidates whose evidence is that of the best to within what Laplace's approximation can tell, by
  // likelihood.
  void PutLikeliestFirst() {
    const auto rows = static_cast<double>(std::min<Index>(encoding_.y.size(), kSearchRows));
    const auto end = std::find_if(candidates_.begin(), candidates_.end(), [&](const Candidate& c) {
      return !c.refined || (c.score - candidates_.front().score) * rows > kIndistinguishable;
    });
    std::stable_sort(candidates_.begin(), end, [](const Candidate& a, const Candidate& b) { return a.nlml < b.nlml; });
  }

  // The unseen neighbours of the best `beam` that have not been expanded yet. More are polished before the
  // choice: a new structure must not lose to an old one for want of polish, and children start from the polished
  // parameters of their parents.
  std::vector<Trial> Frontier() {
    Sort();
    std::vector<Candidate*> rough;
    int open = 0;
    for (Candidate& candidate : candidates_) {
      if (expanded_.contains(KeyOf(candidate.structure))) continue;
      if (++open > kPolishedBeams * options_.beam) break;
      if (polished_.insert(KeyOf(candidate.structure)).second) rough.push_back(&candidate);
    }
    pool_.Run(static_cast<int>(rough.size()), [&](int k, int worker) {
      StopIfAsked();
      scorer_.Polish(*rough[k], workspaces_[static_cast<std::size_t>(worker)]);
    });
    Sort();
    std::vector<std::shared_ptr<Parent>> parents;
    std::vector<Parent*> plain;
    for (const Candidate& candidate : candidates_) {
      if (static_cast<int>(parents.size()) == options_.beam) break;
      if (!expanded_.insert(KeyOf(candidate.structure)).second) continue;
      parents.push_back(std::make_shared<Parent>(Parent{candidate, {}}));
      plain.push_back(parents.back().get());
    }
    LookForPeriods(plain);
    std::vector<Trial> next;
    std::set<Key> listed;
    std::map<Key, std::vector<const Parent*>> again;
    for (const std::shared_ptr<Parent>& parent : parents) {
      for (Structure& neighbour : Neighbours(parent->candidate.structure, moves_)) {
        Key key = KeyOf(neighbour);
        if (seen_.contains(key)) {
          if (!polished_.contains(key)) again[std::move(key)].push_back(parent.get());
        } else if (listed.insert(std::move(key)).second) {
          next.push_back({std::move(neighbour), parent});
        }
      }
    }
    Reconsider(again);
    return next;
  }

  void Reconsider(const std::map<Key, std::vector<const Parent*>>& parents) {
    std::vector<std::pair<Candidate*, const std::vector<const Parent*>*>> work;
    for (Candidate& candidate : candidates_) {
      const auto found = parents.find(KeyOf(candidate.structure));
      if (found != parents.end()) work.emplace_back(&candidate, &found->second);
    }
    pool_.Run(static_cast<int>(work.size()), [&](int k, int worker) {
      StopIfAsked();
      for (const Parent* parent : *work[k].second) {
        scorer_.Reconsider(*work[k].first, parent->candidate, workspaces_[static_cast<std::size_t>(worker)]);
      }
    });
  }

  void LookForPeriods(const std::vector<Parent*>& parents) {
    for (Parent* parent : parents) parent->periods.resize(static_cast<std::size_t>(moves_.columns));
    pool_.Run(static_cast<int>(parents.size()) * moves_.columns, [&](int k, int) {
      StopIfAsked();
      Parent& parent = *parents[static_cast<std::size_t>(k / moves_.columns)];
      const int column = k % moves_.columns;
      parent.periods[static_cast<std::size_t>(column)] = scorer_.Periods(parent.candidate, column);
    });
  }

  void Evaluate(const std::vector<Trial>& trials) {
    const int total = static_cast<int>(trials.size());
    for (int first = 0; first < total; first += kChunk) {
      out_of_time_ = !candidates_.empty() && TimeIsUp(options_.refine_top > 0 ? kSearchShare : 1.0);
      if (out_of_time_) return;
      EvaluateChunk(std::span(trials).subspan(first, std::min(kChunk, total - first)));
      if (options_.progress) options_.progress(evaluated(), rounds_);
    }
  }

  void EvaluateChunk(std::span<const Trial> trials) {
    std::vector<std::optional<Candidate>> found(trials.size());
    const int groups = (static_cast<int>(trials.size()) + kGroup - 1) / kGroup;
    pool_.Run(groups, [&](int group, int worker) {
      const std::size_t first = static_cast<std::size_t>(group) * kGroup;
      const auto part = trials.subspan(first, std::min<std::size_t>(kGroup, trials.size() - first));
      std::vector<Structure> structures;
      for (const Trial& trial : part) structures.push_back(trial.structure);
      const std::vector<Matrix> thetas = network_.Decode(encoding_, structures);
      for (std::size_t i = 0; i < part.size(); ++i) {
        StopIfAsked();
        found[first + i] = scorer_.Score(part[i], thetas[i], workspaces_[static_cast<std::size_t>(worker)]);
      }
    });
    for (std::size_t k = 0; k < trials.size(); ++k) {
      seen_.insert(KeyOf(trials[k].structure));
      if (found[k]) {
        found[k]->round = rounds_;
        candidates_.push_back(*std::move(found[k]));
      } else {
        ++failed_;
      }
    }
  }

  const Session& session_;
  const Encoding& encoding_;
  const TrainedNetwork& network_;
  const SearchOptions& options_;
  ThreadPool& pool_;
  const Stopwatch& clock_;
  Scorer scorer_;
  std::vector<NlmlWorkspace> workspaces_;  // of each thread
  MoveOptions moves_;
  std::vector<Candidate> candidates_;
  std::set<Key> seen_, polished_, expanded_;
  int failed_ = 0;
  int rounds_ = 0;
  bool out_of_time_ = false;
};

// The model of the first candidate, on all rows; candidates that cannot be factorised there leave the list. Completes
// the times, whose total began with `total`.
Model FirstThatFactorises(std::vector<Candidate>& candidates, const Encoding& encoding, FitSummary summary,
                          const std::vector<std::string>& warnings, const Stopwatch& total) {
  const Stopwatch clock;
  for (;;) {
    const Candidate& best = candidates.front();
    try {
      Posterior posterior(ToExpression(best.structure), encoding.X, encoding.y, best.theta);
      summary.method = best.refined ? "refine" : "oneshot";
      summary.nlml = summary.nlml_start = posterior.nlml();
      summary.time_ms.factorize = clock.Milliseconds();
      summary.time_ms.total = total.Milliseconds();
      return Model(std::move(posterior), encoding.scaler, encoding.column_names, encoding.target_name, summary,
                   warnings);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kNumerical || candidates.size() == 1) throw;
      candidates.erase(candidates.begin());
    }
  }
}

}  // namespace

void SearchOptions::Validate() const {
  const auto require = [](bool ok, const char* what) {
    if (!ok) throw Error(ErrorCode::kUsage, what);
  };
  require(beam >= 1, "the beam must be at least 1");
  require(depth >= 0, "the depth must not be negative");
  require(budget >= 0 && std::isfinite(budget), "the budget must be a number of seconds, or 0 for none");
  require(refine_top >= 0, "the number of structures to refine must not be negative");
  require(max_addends >= 1, "there must be at least one addend per column");
}

SearchResult SearchStructures(const Dataset& data, const SearchOptions& options, const SessionOptions& session) {
  Session own(session);
  return SearchStructures(own, data, options);
}

SearchResult SearchStructures(Session& session, const Dataset& data, const SearchOptions& options) {
  options.Validate();
  const Stopwatch total;
  session.CheckMemory(data.rows(), {});
  // One reading serves hundreds of structures: it may take its time.
  const Encoding encoding = session.Encode(data, {}, kSearchRows);
  std::vector<std::string> warnings = encoding.warnings;
  if (data.rows() > kSearchRows) {
    warnings.push_back("structures were compared on " + std::to_string(kSearchRows) + " of " +
                       std::to_string(data.rows()) + " rows, spread over the data; the model is fitted to all");
  }
  Searcher searcher(session, encoding, options, total);
  TimeSplit times;
  times.scale = encoding.scale_ms;
  times.encode = encoding.encode_ms;
  Stopwatch clock;
  searcher.Run();
  times.decode = clock.Milliseconds();
  std::vector<Candidate>& candidates = searcher.candidates();
  if (candidates.empty()) {
    throw Error(ErrorCode::kNumerical, "no structure could be factorised. Look for duplicate rows or extreme values.");
  }
  clock = Stopwatch();
  searcher.RefineTop();
  times.optimize = clock.Milliseconds();
  session.StopIfAsked("searching");
  if (searcher.out_of_time()) {
    warnings.push_back("the time budget stopped the search after " + std::to_string(searcher.evaluated()) +
                       " structures; a larger time budget may find better ones");
  }
  for (Candidate& candidate : candidates) {
    candidate.words = Describe(candidate.structure, candidate.theta, encoding.scaler, encoding.column_names);
  }
  FitSummary summary;
  summary.evaluations = searcher.evaluated();
  summary.stop_reason = "best of " + std::to_string(searcher.evaluated()) + " structures";
  summary.time_ms = times;
  Model model = FirstThatFactorises(candidates, encoding, summary, warnings, total);
  return {std::move(candidates), std::move(model),       searcher.evaluated(), searcher.failed(),
          searcher.rounds(),     searcher.out_of_time(), std::move(warnings)};
}

}  // namespace instantgp
