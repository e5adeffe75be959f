#include "instantgp/search/search.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
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
#include "instantgp/inference/oneshot.h"
#include "instantgp/kernel/structure_list.h"
#include "instantgp/model/spoken_columns.h"
#include "instantgp/network/config.h"
#include "instantgp/search/describe.h"
#include "instantgp/search/moves.h"
#include "instantgp/search/scorer.h"

namespace instantgp {
namespace {

// Structures are decoded in groups, which are the work items of the threads. Groups and chunks depend on the order of
// the search alone, so that neither threads nor the clock can change a bit of a result.
constexpr int kGroup = 4;   // a decoding shares its set-up among them; more would leave threads idle at a chunk's end
constexpr int kChunk = 24;  // structures between two reports of progress: six groups, work for as many threads
// So many times the beam is polished before its best are expanded: twice lets a structure of the second half overtake.
// Not measured by itself.
constexpr int kPolishedBeams = 2;
// Nats of evidence that Laplace's approximation cannot tell apart; the likelihood decides within them. At 200 rows it
// is 0.01 a point, what search_bench counts as equal. One of four changes that together took its 150 tables from 74 to
// 81 percent found; other values were not measured.
constexpr double kIndistinguishable = 2;
// Of the budget; the rest is for refinement. Raised from 0.6, which left refinement time over: two seconds
// then found what four had (search_bench).
constexpr double kSearchShare = 0.72;

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
    for (int k = 0; encoding.scaler.recipe != nullptr && k < moves_.columns; ++k) {
      moves_.levels.push_back(IsLevel(encoding.scaler.recipe.get(), k));
    }
  }

  // The default fit first, whatever the clock says: SE on every column, one shot. What comes out of the search must be
  // better than that. `encoding` is that of a fit; of a larger table, only the rows that are searched on are fitted.
  // Its parameters stand against those every other structure gets.
  void Begin(Encoding encoding) {
    const BaseSymbol se = moves_.alphabet.front();
    const Trial trial{SpreadOverColumns({se}, moves_.columns), origin_};
    default_ = KeyOf(trial.structure);
    EvaluateChunk({&trial, 1});
    encoding.X = scorer_.rows().X;
    encoding.y = scorer_.rows().y;
    std::optional<ScoredStructure> fitted;
    try {
      const OneShot found = InferOneShot(network_, encoding, trial.structure, {.pool = &pool_});
      fitted = scorer_.At(trial.structure, found.posterior.theta(), workspaces_.front());
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kNumerical) throw;
    }
    if (!fitted) return;
    if (candidates_.empty()) {
      candidates_.push_back(*std::move(fitted));
      --failed_;
    } else if (fitted->score < candidates_.front().score) {
      candidates_.front() = *std::move(fitted);
    }
  }

  void Run() {
    std::vector<Trial> trials;
    for (Structure& structure : Beginnings(moves_)) {
      if (!seen_.contains(KeyOf(structure))) trials.push_back({std::move(structure), origin_});
    }
    Evaluate(std::move(trials));
    while (rounds_ < options_.depth && !out_of_time_) {
      trials = Frontier();
      if (trials.empty()) return;
      ++rounds_;
      Evaluate(std::move(trials));
    }
  }

  void RefineTop() {
    Sort();
    std::vector<ScoredStructure*> chosen;
    const std::size_t count = std::min(static_cast<std::size_t>(options_.refine_top), candidates_.size());
    for (std::size_t k = 0; k < count; ++k) chosen.push_back(&candidates_[k]);
    Refine(chosen);
    Sort();
    // The default fit joins them where nothing refined is better than it is without.
    ScoredStructure* const fit = DefaultFit();
    if (fit != nullptr && !fit->refined && candidates_.front().refined && candidates_.front().bic > fit->score) {
      Refine({fit});
      Sort();
    }
    PutLikeliestFirst();
    PutUnrefinedInPlace();
  }

  std::vector<ScoredStructure>& candidates() { return candidates_; }
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

  // Whether the search must leave the rest of the budget to the refinement. Never before there is something to show.
  bool SearchIsOver() const { return !candidates_.empty() && TimeIsUp(options_.refine_top > 0 ? kSearchShare : 1.0); }

  // Before every piece of work of a thread: with hundreds of rows a chunk of them takes seconds.
  void StopIfAsked() const { session_.StopIfAsked("searching"); }

  // Refined ones first, each kind by score; equal scores by text.
  void Sort() {
    std::sort(candidates_.begin(), candidates_.end(), [](const ScoredStructure& a, const ScoredStructure& b) {
      if (a.refined != b.refined) return a.refined;
      return a.score != b.score ? a.score < b.score : a.kernel < b.kernel;
    });
  }

  // Null when it could not be evaluated.
  ScoredStructure* DefaultFit() {
    const auto found = std::find_if(candidates_.begin(), candidates_.end(),
                                    [&](const ScoredStructure& c) { return KeyOf(c.structure) == default_; });
    return found != candidates_.end() ? &*found : nullptr;
  }

  // Refinements that would end late are not begun: cut short they would depend on the clock.
  void Refine(const std::vector<ScoredStructure*>& chosen) {
    std::atomic<bool> late = false;
    pool_.Run(static_cast<int>(chosen.size()), [&](int k, int worker) {
      const auto would_be_late = [&] {
        return TimeIsUp(1.0, scorer_.RefinementMs(*chosen[k], workspaces_[static_cast<std::size_t>(worker)]));
      };
      if (TimeIsUp(1.0) || (options_.budget > 0 && would_be_late())) {
        late = true;
      } else {
        chosen[k]->bic = chosen[k]->score;
        scorer_.Refine(*chosen[k]);
      }
    });
    out_of_time_ = out_of_time_ || late;
  }

  // Refined candidates whose evidence is that of the best to within what Laplace's approximation can tell, by
  // likelihood; without those whose evidence is less than the default fit's.
  void PutLikeliestFirst() {
    const ScoredStructure* const fit = DefaultFit();
    const double least = fit != nullptr && fit->refined ? fit->score : std::numeric_limits<double>::infinity();
    const auto rows = static_cast<double>(scorer_.rows().y.size());
    const auto end = std::find_if(candidates_.begin(), candidates_.end(), [&](const ScoredStructure& c) {
      return !c.refined || c.score > least || (c.score - candidates_.front().score) * rows > kIndistinguishable;
    });
    std::stable_sort(candidates_.begin(), end,
                     [](const ScoredStructure& a, const ScoredStructure& b) { return a.nlml < b.nlml; });
  }

  // Refined ones stand first, but a refinement that failed or would have ended late must not put a better candidate
  // behind a worse one. By BIC, that of refined ones being from before (the priors cost them some nats of likelihood):
  // what is better than every refined candidate goes before these; the default fit, and what is as good without
  // refinement, before those it is better than.
  void PutUnrefinedInPlace() {
    double best = std::numeric_limits<double>::infinity();
    for (const ScoredStructure& c : candidates_) best = c.refined ? std::min(best, c.bic) : best;
    const ScoredStructure* const fit = DefaultFit();
    const double limit = fit != nullptr && !fit->refined ? fit->score : std::numeric_limits<double>::infinity();
    const auto place = [&](const ScoredStructure& c) {
      if (c.refined) return c.bic <= limit ? 1 : 3;
      return c.score < best ? 0 : c.score <= limit ? 2 : 4;
    };
    std::stable_sort(candidates_.begin(), candidates_.end(),
                     [&](const ScoredStructure& a, const ScoredStructure& b) { return place(a) < place(b); });
  }

  // The unseen neighbours of the best `beam` that have not been expanded yet. More are polished before the
  // choice: a new structure must not lose to an old one for want of polish, and children start from the polished
  // parameters of their parents.
  std::vector<Trial> Frontier() {
    Sort();
    std::vector<ScoredStructure*> rough;
    int open = 0;
    for (ScoredStructure& candidate : candidates_) {
      if (expanded_.contains(KeyOf(candidate.structure))) continue;
      if (++open > kPolishedBeams * options_.beam) break;
      if (polished_.insert(KeyOf(candidate.structure)).second) rough.push_back(&candidate);
    }
    pool_.Run(static_cast<int>(rough.size()), [&](int k, int worker) {
      StopIfAsked();
      if (SearchIsOver()) return;
      scorer_.Polish(*rough[k], workspaces_[static_cast<std::size_t>(worker)]);
    });
    Sort();
    std::vector<std::shared_ptr<Parent>> parents;
    for (const ScoredStructure& candidate : candidates_) {
      if (static_cast<int>(parents.size()) == options_.beam) break;
      if (!expanded_.insert(KeyOf(candidate.structure)).second) continue;
      parents.push_back(std::make_shared<Parent>(Parent{candidate, {}}));
    }
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
    std::vector<std::pair<ScoredStructure*, const std::vector<const Parent*>*>> work;
    for (ScoredStructure& candidate : candidates_) {
      const auto found = parents.find(KeyOf(candidate.structure));
      if (found != parents.end()) work.emplace_back(&candidate, &found->second);
    }
    pool_.Run(static_cast<int>(work.size()), [&](int k, int worker) {
      StopIfAsked();
      if (SearchIsOver()) return;
      for (const Parent* parent : *work[k].second) {
        scorer_.Reconsider(*work[k].first, parent->candidate, workspaces_[static_cast<std::size_t>(worker)]);
      }
    });
  }

  // The periods of the parents of `trials`. Cut short only where the search is over, so that no structure is scored
  // with fewer of them than it would have without a budget.
  void LookForPeriods(std::span<const Trial> trials) {
    std::vector<Parent*> parents;
    for (const Trial& trial : trials) {
      if (!trial.parent->periods.empty()) continue;
      trial.parent->periods.resize(static_cast<std::size_t>(moves_.columns));
      parents.push_back(trial.parent.get());
    }
    if (parents.empty() || SearchIsOver()) return;
    if (rounds_ == 0) scorer_.FitContext();
    pool_.Run(static_cast<int>(parents.size()) * moves_.columns, [&](int k, int) {
      StopIfAsked();
      Parent& parent = *parents[static_cast<std::size_t>(k / moves_.columns)];
      const int column = k % moves_.columns;
      parent.periods[static_cast<std::size_t>(column)] =
          scorer_.Periods(parent.candidate, column, [&] { return SearchIsOver(); });
    });
  }

  // Structures with new periods come last: with many columns, looking for these takes longer than all the others.
  void Evaluate(std::vector<Trial> trials) {
    const auto waiting =
        std::stable_partition(trials.begin(), trials.end(), [](const Trial& t) { return !HasNewPeriods(t); });
    EvaluateInChunks({trials.begin(), waiting});
    LookForPeriods({waiting, trials.end()});
    EvaluateInChunks({waiting, trials.end()});
  }

  void EvaluateInChunks(std::span<const Trial> trials) {
    const std::size_t total = trials.size();
    for (std::size_t first = 0; first < total && !out_of_time_; first += kChunk) {
      EvaluateChunk(trials.subspan(first, std::min<std::size_t>(kChunk, total - first)));
      if (options_.progress) options_.progress(evaluated(), rounds_);
    }
  }

  // Leaves out what the clock does not allow, down to the single structure: one on thirty columns takes as long as a
  // hundred on one.
  void EvaluateChunk(std::span<const Trial> trials) {
    std::vector<std::optional<ScoredStructure>> found(trials.size());
    std::vector<char> scored(trials.size(), 0);
    const int groups = (static_cast<int>(trials.size()) + kGroup - 1) / kGroup;
    pool_.Run(groups, [&](int group, int worker) {
      const std::size_t first = static_cast<std::size_t>(group) * kGroup;
      const auto part = trials.subspan(first, std::min<std::size_t>(kGroup, trials.size() - first));
      if (SearchIsOver()) return;
      std::vector<Structure> structures;
      for (const Trial& trial : part) structures.push_back(trial.structure);
      const std::vector<Matrix> thetas = network_.Decode(encoding_, structures);
      for (std::size_t i = 0; i < part.size(); ++i) {
        StopIfAsked();
        if (SearchIsOver()) return;
        scored[first + i] = 1;
        found[first + i] = scorer_.Score(part[i], thetas[i], workspaces_[static_cast<std::size_t>(worker)]);
      }
    });
    for (std::size_t k = 0; k < trials.size(); ++k) {
      if (scored[k] == 0) {
        out_of_time_ = true;
        continue;
      }
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
  const std::shared_ptr<Parent> origin_ = std::make_shared<Parent>();  // of the beginnings
  Key default_;
  std::vector<ScoredStructure> candidates_;
  std::set<Key> seen_, polished_, expanded_;
  int failed_ = 0;
  int rounds_ = 0;
  bool out_of_time_ = false;
};

// The model of the first candidate, on all rows; candidates that cannot be factorised there leave the list. Completes
// the times, whose total began with `total`.
Model FirstThatFactorises(std::vector<ScoredStructure>& candidates, const Encoding& encoding, FitSummary summary,
                          const std::vector<std::string>& warnings, const Stopwatch& total) {
  const Stopwatch clock;
  for (;;) {
    const ScoredStructure& best = candidates.front();
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
  if (data.rows() > session.MostExactRows()) {
    throw Error(
        ErrorCode::kLimit,
        "the model of a search is exact, and the memory limit allows " + std::to_string(session.MostExactRows()) +
            " rows; the table has " + std::to_string(data.rows()) +
            ". Search a random subset of the rows, and fit the kernel it finds to all of them by the method svgp.");
  }
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
  searcher.Begin(session.Encode(data));
  searcher.Run();
  times.decode = clock.Milliseconds();
  std::vector<ScoredStructure>& candidates = searcher.candidates();
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
  for (ScoredStructure& candidate : candidates) {
    candidate.kernel_short =
        PrintShortOver(ToExpression(candidate.structure), encoding.column_names, encoding.scaler.recipe.get());
    candidate.words = Describe(candidate.structure, candidate.theta, encoding.scaler, encoding.column_names);
  }
  FitSummary summary;
  summary.evaluations = searcher.evaluated();
  summary.stop_reason = "best of " + std::to_string(searcher.evaluated()) + " structures";
  summary.time_ms = times;
  Model model = FirstThatFactorises(candidates, encoding, summary, warnings, total);
  return {{candidates.begin(), candidates.end()},
          std::move(model),
          searcher.evaluated(),
          searcher.failed(),
          searcher.rounds(),
          searcher.out_of_time(),
          std::move(warnings)};
}

}  // namespace instantgp
