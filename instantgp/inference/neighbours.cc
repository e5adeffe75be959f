#include "instantgp/inference/neighbours.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "instantgp/base/error.h"
#include "instantgp/base/stopwatch.h"
#include "instantgp/gp/left_out_density.h"
#include "instantgp/inference/content_order.h"
#include "instantgp/inference/neighbour_tuning.h"
#include "instantgp/inference/readings.h"
#include "instantgp/inference/row_sample.h"
#include "instantgp/kernel/parameters.h"

namespace instantgp {
namespace {

constexpr int kRankingLeftOut = 400, kRankingNeighbours = 48;
constexpr int kStarts = 3;  // readings that are tuned
constexpr int kTuningLeftOut = 700, kTuningSteps = 10;
constexpr int kFinalLeftOut = 1500, kFinalSteps = 6;  // of the one that predicts these rows best
constexpr int kRefineLeftOut = 1500, kRefineSteps = 12, kRefineRounds = 2;
constexpr int kChoosingLeftOut = 400;
constexpr int kRefineChoiceLeftOut = 1200;  // densities have heavy tails: a few hundred rows chose wrongly
constexpr int kCalibrationLeftOut = 1500;
constexpr double kWorthMore = 0.006;  // of the score that twice the neighbours must bring
constexpr int kAnchors = 32;
constexpr int kLinearRows = 1000;   // rows of the whole table that tell a regression among the addends its slopes
constexpr double kApproximate = 1;  // eps
constexpr int kRecallRows = 100;

class NeighbourFitter {
 public:
  NeighbourFitter(const TrainedNetwork& network, const Expression& expression, const Structure& structure,
                  const NeighbourOptions& options)
      : network_(network),
        expression_(expression),
        structure_(structure),
        options_(options),
        covariance_(expression),
        three_(Freedom::ThreeNumbers(expression, options.fixed)) {}

  NeighbourFit Fit(Matrix X, Vector y);

 private:
  struct Candidate {
    LogParameters theta;
    int zoom = 1;
    double nll = 0;                 // of the rows it was judged on
    double score = 0;               // that and the logarithm of their root mean squared error; what decides
    Vector stds = {}, errors = {};  // of each row
  };

  void Step(const char* doing) {
    if (options_.stop.stop_requested()) throw Error(ErrorCode::kInterrupted, std::string("interrupted while ") + doing);
    if (options_.progress) options_.progress(++done_, kStarts + 6);
  }

  // The next `count` random rows that nothing has used yet; from the beginning again where there are none left.
  std::vector<int> NextRows(int count) {
    const auto n = static_cast<std::int64_t>(order_.size());
    std::vector<int> rows;
    for (std::int64_t k = 0; k < std::min<std::int64_t>(count, n); ++k) {
      rows.push_back(order_[static_cast<std::size_t>((used_ + k) % n)]);
    }
    used_ += static_cast<std::int64_t>(rows.size());
    return rows;
  }

  // At theta: what rows say about a regression among the addends depends on it.
  NeighbourRule Rule(int count, const LogParameters& theta) const {
    NeighbourRule rule = rule_;
    rule.count = count;
    if (linear_X_.rows() > 0) {
      rule.linear = std::make_shared<const LinearPart>(LinearPart::Learnt(covariance_, linear_X_, linear_y_, theta));
    }
    return rule;
  }

  // The density of some rows at theta, the kernel and noise at the scale these rows ask for.
  std::optional<Candidate> Scaled(const LogParameters& theta, int zoom, const std::vector<int>& rows, int neighbours) {
    const NeighbourRule rule = Rule(neighbours, theta);
    LeftOutDensity density(covariance_, tree_, rows, theta, rule, options_.pool);
    rows_seen_ = std::max(rows_seen_, density.rows_seen());
    if (rows_seen_ > options_.most_rows_seen) rule_.eps = kApproximate;
    double nll = 0;
    ++evaluations_;
    if (!density.Evaluate(theta, &nll, nullptr)) return std::nullopt;
    const double log_scale = LogScaleOf(density.residuals(), false);
    const double mean_square = density.residuals().squaredNorm() / static_cast<double>(rows.size());
    nll += 0.5 * log_scale + 0.5 * mean_square * (std::exp(-log_scale) - 1);
    Candidate candidate{LogParameters(Vector(theta + log_scale * ScaleDirection(expression_))), zoom, nll};
    candidate.score = nll + 0.5 * std::log(density.MeanSquaredError() + 1e-12);
    candidate.stds = density.stds() * std::exp(0.5 * log_scale);
    candidate.errors = density.stds().cwiseProduct(density.residuals());
    return candidate;
  }

  void Rank();
  void TuneBest();
  void Refine();
  int ChooseCount(double* nll);
  void MeasureRecall(int count);

  const TrainedNetwork& network_;
  const Expression& expression_;
  const Structure& structure_;
  const NeighbourOptions& options_;
  Covariance covariance_;
  Freedom three_;
  RowTree tree_;
  NeighbourRule rule_;
  Matrix linear_X_;  // rows that a regression is learnt from; none: there is none
  Vector linear_y_;
  std::vector<int> order_;
  std::vector<Candidate> candidates_;  // the best first
  std::vector<int> choosing_;          // rows that choose the number of neighbours
  std::int64_t used_ = 0;
  double rows_seen_ = 0, recall_ = 1;
  int evaluations_ = 0, steps_ = 0, done_ = 0, readings_ = 0;
  bool refined_ = false;
};

void NeighbourFitter::Rank() {
  const std::vector<Reading> readings =
      ReadAtSeveralScales(network_, tree_, structure_, order_, options_.pool, options_.stop);
  readings_ = static_cast<int>(readings.size());
  Step("reading the table");
  const std::vector<int> rows = NextRows(kRankingLeftOut);
  for (const Reading& reading : readings) {
    if (options_.stop.stop_requested()) break;
    auto candidate = Scaled(WithinBounds(options_.fixed.Held(reading.theta)), reading.zoom, rows, kRankingNeighbours);
    if (candidate) candidates_.push_back(*std::move(candidate));
  }
  Step("comparing readings");
  if (candidates_.empty()) {
    throw Error(ErrorCode::kNumerical,
                "no reading of the table predicts its rows from their neighbours: the covariances cannot be "
                "factorised. Look for extreme values.");
  }
  std::stable_sort(candidates_.begin(), candidates_.end(),
                   [](const Candidate& a, const Candidate& b) { return a.score < b.score; });
}

void NeighbourFitter::TuneBest() {
  const std::vector<int> rows = NextRows(kTuningLeftOut);
  candidates_.resize(std::min<std::size_t>(candidates_.size(), kStarts));
  for (Candidate& candidate : candidates_) {
    const NeighbourRule rule = Rule(kRankingNeighbours, candidate.theta);
    LeftOutDensity density(covariance_, tree_, rows, candidate.theta, rule, options_.pool);
    const Tuned tuned = Tune(density, WithinBounds(candidate.theta), three_, kTuningSteps, options_.stop);
    Step("tuning");
    evaluations_ += tuned.evaluations;
    steps_ += tuned.steps;
    if (!tuned.ok) continue;
    candidate.theta = tuned.theta;
  }
  const std::vector<int> others = NextRows(kFinalLeftOut);
  std::vector<Candidate> judged;
  for (const Candidate& candidate : candidates_) {
    auto scaled = Scaled(candidate.theta, candidate.zoom, others, kRankingNeighbours);
    if (scaled) judged.push_back(*std::move(scaled));
  }
  if (!judged.empty()) candidates_ = std::move(judged);
  std::stable_sort(candidates_.begin(), candidates_.end(),
                   [](const Candidate& a, const Candidate& b) { return a.score < b.score; });
  Candidate& best = candidates_.front();
  const NeighbourRule rule = Rule(kRankingNeighbours, best.theta);
  LeftOutDensity density(covariance_, tree_, others, best.theta, rule, options_.pool);
  const Tuned tuned = Tune(density, WithinBounds(best.theta), three_, kFinalSteps, options_.stop);
  evaluations_ += tuned.evaluations;
  steps_ += tuned.steps;
  if (tuned.ok) best.theta = tuned.theta;
}

void NeighbourFitter::Refine() {
  Candidate& best = candidates_.front();
  LogParameters theta = best.theta;
  const Freedom all = Freedom::Everything(expression_, options_.fixed);
  const std::vector<int> rows = NextRows(kRefineLeftOut);
  for (int round = 0; round < kRefineRounds; ++round) {
    // Other lengthscales have other neighbours.
    const NeighbourRule rule = Rule(kRankingNeighbours, theta);
    LeftOutDensity density(covariance_, tree_, rows, theta, rule, options_.pool);
    const Tuned tuned = Tune(density, theta, all, kRefineSteps, options_.stop);
    evaluations_ += tuned.evaluations;
    steps_ += tuned.steps;
    if (options_.stop.stop_requested() || !tuned.ok) return;
    theta = tuned.theta;
  }
  const std::vector<int> others = NextRows(kRefineChoiceLeftOut);
  const auto before = Scaled(best.theta, best.zoom, others, kFewNeighbours);
  auto after = Scaled(theta, best.zoom, others, kFewNeighbours);
  if (!after || !before) return;
  // Better by more than its standard error, row by row.
  const double error_scale = before->errors.squaredNorm() / static_cast<double>(before->errors.size()) + 1e-12;
  const auto scores = [&](const Candidate& c) -> Vector {
    return c.stds.array().log() + 0.5 * (c.errors.array() / c.stds.array()).square() +
           0.5 * c.errors.array().square() / error_scale;
  };
  const Vector gain = scores(*before) - scores(*after);
  const double count = static_cast<double>(gain.size());
  const double error = std::sqrt((gain.array() - gain.mean()).square().mean() / count);
  if (gain.mean() > error) {
    best = *std::move(after);
    refined_ = true;
  }
}

// The first count of neighbours whose double brings too little.
int NeighbourFitter::ChooseCount(double* nll) {
  Candidate& best = candidates_.front();
  const int n = tree_.rows();
  int count = options_.neighbours > 0 ? options_.neighbours : kFewNeighbours;
  auto now = Scaled(best.theta, best.zoom, choosing_, count);
  while (options_.neighbours == 0 && now && count < kManyNeighbours && count < n) {
    auto more = Scaled(best.theta, best.zoom, choosing_, 2 * count);
    if (!more || more->score > now->score - kWorthMore) break;
    now = std::move(more);
    count *= 2;
  }
  if (now) *nll = now->nll;
  return std::min(count, n);
}

// Where the search is approximate: which share of the nearest rows it finds.
void NeighbourFitter::MeasureRecall(int count) {
  if (rule_.eps == 0) return;
  const std::vector<int> rows = NextRows(kRecallRows);
  const LogParameters& theta = candidates_.front().theta;
  NeighbourRule rule = Rule(count, theta);
  const LeftOutDensity loose(covariance_, tree_, rows, theta, rule, options_.pool);
  rule.eps = 0;
  const LeftOutDensity exact(covariance_, tree_, rows, theta, rule, options_.pool);
  std::size_t found = 0, all = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    std::vector<int> a = exact.neighbours()[k], b = loose.neighbours()[k], both;
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    found += both.size();
    all += a.size();
  }
  recall_ = static_cast<double>(found) / static_cast<double>(std::max<std::size_t>(1, all));
}

NeighbourFit NeighbourFitter::Fit(Matrix X, Vector y) {
  Stopwatch clock;
  tree_ = RowTree(std::move(X), std::move(y), options_.pool);
  order_ = ContentOrder(tree_.X(), tree_.y(), options_.seed);
  used_ = std::min<std::int64_t>(tree_.rows(), 10000);  // those before are for the readings
  if (ReachesFarBeyondLinear(expression_)) rule_.anchors = NextRows(kAnchors);
  if (!LinearFeaturesOf(expression_).empty()) {
    const std::vector<int> rows(order_.begin(), order_.begin() + std::min(tree_.rows(), kLinearRows));
    linear_X_ = SelectRows(tree_.X(), rows);
    linear_y_ = SelectRows(tree_.y(), rows);
  }
  Step("sorting the rows");
  const double tree_ms = clock.Milliseconds();
  clock = Stopwatch();
  Rank();
  const double nll_start = candidates_.front().nll, read_ms = clock.Milliseconds();
  clock = Stopwatch();
  TuneBest();
  if (options_.refine) Refine();
  choosing_ = NextRows(kChoosingLeftOut);
  Step("refining");
  const double tune_ms = clock.Milliseconds();
  clock = Stopwatch();
  double nll = 0;
  const int count = ChooseCount(&nll);
  rule_.count = count;
  rule_.anchors.resize(std::min(rule_.anchors.size(), static_cast<std::size_t>(count / 4)));
  MeasureRecall(count);
  Step("choosing neighbours");
  LogParameters theta = candidates_.front().theta;
  rule_ = Rule(count, theta);
  LeftOutDensity density(covariance_, tree_, NextRows(kCalibrationLeftOut), theta, rule_, options_.pool);
  double log_scale = 0;
  ++evaluations_;
  if (density.Evaluate(theta, &nll, nullptr)) {
    log_scale = LogScaleOf(density.residuals(), true);
    const double mean_square = density.residuals().squaredNorm() / static_cast<double>(density.residuals().size());
    nll += 0.5 * log_scale + 0.5 * mean_square * (std::exp(-log_scale) - 1);
    theta += log_scale * ScaleDirection(expression_);
    theta = WithinBounds(std::move(theta));
    rule_ = Rule(count, theta);  // the regression's prior has grown with the kernel
  }
  Step("calibrating");
  const int zoom = candidates_.front().zoom;
  return {NeighbourPosterior(expression_, std::move(tree_), std::move(theta), rule_, nll),
          readings_,
          zoom,
          evaluations_,
          steps_,
          refined_,
          nll_start,
          nll,
          std::exp(log_scale),
          recall_,
          tree_ms,
          read_ms,
          tune_ms,
          clock.Milliseconds()};
}

}  // namespace

NeighbourFit FitNeighbours(const TrainedNetwork& network, const Expression& expression, const Structure& structure,
                           Matrix X, Vector y, const NeighbourOptions& options) {
  const LogParameters any = Vector::Zero(NumParameters(expression) + 1);
  if (NearnessOf(expression, any.data()).empty()) {
    throw Error(ErrorCode::kBadInput,
                "predictions from neighbours need a kernel with a range, SE, MAT52 or PER, on at least one column; "
                "without one no row is nearer than another. Use the method svgp.",
                {{"method", "svgp"}});
  }
  return NeighbourFitter(network, expression, structure, options).Fit(std::move(X), std::move(y));
}

}  // namespace instantgp
