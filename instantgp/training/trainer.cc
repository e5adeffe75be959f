#include "instantgp/training/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "instantgp/base/error.h"
#include "instantgp/base/file.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/network/network.h"
#include "instantgp/network/weights.h"
#include "instantgp/training/batch.h"
#include "instantgp/training/curriculum.h"
#include "instantgp/training/optimizer.h"
#include "instantgp/training/schedule.h"
#include "instantgp/training/start.h"
#include "instantgp/training/validation.h"

namespace instantgp {
namespace {

using Clock = std::chrono::steady_clock;

// Weights updated per task.
constexpr std::size_t kUpdateChunk = 1 << 15;
// Steps in a row without a single usable dataset after which the run is given up.
constexpr int kHopelessSteps = 50;

double SecondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

class Run {
 public:
  Run(const TrainingConfig& config, const TrainingOptions& options, Communicator& communicator)
      : config_(Prepared(config)),
        options_(options),
        communicator_(communicator),
        network_(config_.network),
        pool_(ResolveThreads(options.threads)),
        writes_(communicator.rank() == 0 && !options.folder.empty()) {
    PrepareState();
    validation_.emplace(config_, pool_, communicator_);
    if (config_.Find(ComponentKind::kTables)) {
      tables_.emplace(config_, pool_, communicator_, ComponentKind::kTables);
    }
    engine_.emplace(config_, network_, pool_, communicator_);
  }

  TrainingSummary Execute() {
    if (writes_) {
      WriteFileAtomically(options_.folder + "/config.json", ToJson(config_));
      log_.emplace(options_.folder, state_.csv_bytes, state_.jsonl_bytes);
      if (!log_->records().empty()) last_record_ = log_->records().back();
      if (state_.step == 0) Save();  // an unwritable folder shows before any work is done
    }
    if (config_.validation.type2) {
      Tell("fitting type-2 maximum likelihood on the validation set");
      validation_->FitType2(options_.folder.empty() ? "" : options_.folder + "/type2.json", options_.stop);
    }
    Loop();
    const bool finished = ProgressOf(config_, state_) >= 1;
    if (finished && state_.validated_datasets != state_.datasets) Validate();
    if (writes_) {
      if (finished) WriteWeights("last.safetensors", last_record_);
      Save();
    }
    TrainingSummary summary;
    summary.interrupted = !finished;
    summary.state = std::move(state_);
    if (log_) summary.records = log_->records();
    return summary;
  }

 private:
  // The trained range is what the run draws, whatever the preset says.
  static TrainingConfig Prepared(TrainingConfig config) {
    config.network.trained_max_n = config.LargestN();
    config.network.trained_max_d = config.LargestD();
    config.Validate();
    return config;
  }

  // Rank 0 alone reads files; the others get their state from it.
  void PrepareState() {
    if (communicator_.rank() == 0) {
      state_ =
          options_.resume ? ResumedState(config_, options_.folder) : FirstState(config_, network_, options_.folder);
    }
    if (communicator_.size() > 1) {
      const std::string bytes = communicator_.rank() == 0 ? SerializeCheckpoint(config_, state_) : std::string();
      state_ = ParseCheckpoint(BroadcastText(communicator_, bytes), "the state sent by rank 0").state;
    }
  }

  // After an extension the curriculum stays at its end.
  BatchSource SourceAt(std::int64_t datasets, double progress) const {
    return {static_cast<std::uint64_t>(datasets), StageAt(config_, state_.legs > 0 ? 1.0 : progress)};
  }
  // The curriculum limits the paper's component alone.
  int MostColumns(const CurriculumStage& stage) const {
    const MixtureComponent* tables = config_.Find(ComponentKind::kTables);
    return tables ? std::max(stage.max_d, tables->tables.max_d) : stage.max_d;
  }
  double ProgressAfter(std::int64_t more_datasets) const {
    TrainingState later;
    later.datasets = state_.datasets + more_datasets;
    later.seconds = state_.seconds;
    later.leg_datasets = state_.leg_datasets;
    later.leg_seconds = state_.leg_seconds;
    return ProgressOf(config_, later);
  }

  void Loop() {
    const double seconds_before = state_.seconds;
    const std::int64_t datasets_before = state_.datasets;
    const Clock::time_point start = Clock::now();
    double last_checkpoint = state_.seconds;
    double running_loss = 0;
    int hopeless = 0;
    bool stop = options_.stop.stop_requested();
    if (communicator_.size() > 1) {
      double any = stop;
      communicator_.AllReduceSum(&any, 1);
      stop = any > 0;
    }
    if (stop || ProgressOf(config_, state_) >= 1) return;
    engine_->Load(SourceAt(state_.datasets, ProgressAfter(0)));
    while (!stop && ProgressOf(config_, state_) < 1) {
      const double progress = ProgressOf(config_, state_);
      const double rate = LearningRate(config_.schedule, state_.step - state_.leg_step + 1, progress);
      // Rank 0's clock and anybody's wish to stop travel with the gradient, so that all ranks decide alike.
      const bool leads = communicator_.rank() == 0;
      double shared[2] = {leads ? seconds_before + SecondsSince(start) : 0.0,
                          options_.stop.stop_requested() ? 1.0 : 0.0};
      const BatchSource next = SourceAt(state_.datasets + config_.batch, ProgressAfter(config_.batch));
      const BatchResult result = engine_->Compute(state_.weights.data(), next, shared);
      state_.seconds = shared[0];
      stop = shared[1] > 0;

      ++state_.step;
      state_.datasets += config_.batch;
      state_.skipped += result.skipped;
      const bool usable = result.used > 0 && std::isfinite(result.norm);
      hopeless = usable ? 0 : hopeless + 1;
      if (hopeless >= kHopelessSteps) {
        throw Error(ErrorCode::kNumerical,
                    "no dataset of the last " + std::to_string(kHopelessSteps) +
                        " steps could be used: the training has diverged; lower 'schedule.peak' and "
                        "resume from the last checkpoint");
      }
      if (usable) Update(result, rate);
      const double loss = usable ? result.loss / result.used : running_loss;
      running_loss = running_loss == 0 ? loss : running_loss + 0.02 * (loss - running_loss);
      if (usable) {
        state_.window_loss += result.loss;
        state_.window_norm += result.norm;
        state_.window_used += result.used;
        state_.window_clipped += result.clipped;
        ++state_.window_steps;
      }
      if (leads && options_.callbacks.on_step) {
        const double spent = SecondsSince(start);
        const double speed = static_cast<double>(state_.datasets - datasets_before) / spent;
        const double left = config_.datasets > 0 ? static_cast<double>(config_.datasets - state_.datasets) / speed
                                                 : config_.minutes * 60 - (seconds_before + spent);
        options_.callbacks.on_step({state_.step, state_.datasets, ProgressOf(config_, state_), running_loss, rate,
                                    speed, std::max(0.0, left), state_.skipped, MostColumns(next.stage)});
      }
      if (ValidationDue()) Validate();
      const bool by_steps = config_.checkpoint_steps > 0 && state_.step % config_.checkpoint_steps == 0;
      if (writes_ && (by_steps || state_.seconds - last_checkpoint >= config_.checkpoint_minutes * 60)) {
        Save();
        last_checkpoint = state_.seconds;
      }
    }
  }

  void Update(const BatchResult& result, double rate) {
    const double clip = ClipFactor(result.norm, config_.optimizer.clip_norm);
    // The averaged weights count their steps from the start of the run, the warm-up from that of the leg.
    const StepCoefficients coefficients =
        CoefficientsOf(config_.optimizer, state_.step, rate, clip / static_cast<double>(result.used));
    const std::size_t size = state_.weights.size();
    pool_.Run(static_cast<int>((size + kUpdateChunk - 1) / kUpdateChunk), [&](int chunk, int) {
      const std::size_t begin = chunk * kUpdateChunk;
      UpdateWeights(coefficients, begin, std::min(size, begin + kUpdateChunk), engine_->gradient().data(),
                    state_.weights.data(), state_.moment1.data(), state_.moment2.data(), state_.average.data());
    });
  }

  bool ValidationDue() const {
    const ValidationConfig& v = config_.validation;
    if (v.every_datasets > 0) return state_.datasets / v.every_datasets > state_.validated_datasets / v.every_datasets;
    return state_.seconds - state_.validated_seconds >= v.every_minutes * 60;
  }

  void Validate() {
    LogRecord record;
    record.validation = validation_->Evaluate(network_, state_.average.data());
    if (tables_) record.tables = tables_->Evaluate(network_, state_.average.data());
    record.selection = SelectionScore(record);
    record.step = state_.step;
    record.datasets = state_.datasets;
    record.minutes = state_.seconds / 60;
    record.progress = ProgressOf(config_, state_);
    const auto used = static_cast<double>(std::max<std::int64_t>(1, state_.window_used));
    record.loss = state_.window_loss / used;
    record.gradient_norm = state_.window_norm / static_cast<double>(std::max<std::int64_t>(1, state_.window_steps));
    record.clipped_share = static_cast<double>(state_.window_clipped) / used;
    record.learning_rate = LearningRate(config_.schedule, state_.step - state_.leg_step, record.progress);
    const double seconds = state_.seconds - state_.validated_seconds;
    record.datasets_per_second =
        seconds > 0 ? static_cast<double>(state_.datasets - state_.validated_datasets) / seconds : 0;
    record.skipped = state_.skipped;
    record.max_d = MostColumns(SourceAt(state_.datasets, record.progress).stage);

    const bool best = record.selection < state_.best_score;
    if (best) state_.best_score = record.selection;
    last_record_ = record;
    state_.validated_datasets = state_.datasets;
    state_.validated_seconds = state_.seconds;
    state_.window_loss = state_.window_norm = 0;
    state_.window_used = state_.window_steps = state_.window_clipped = 0;
    if (writes_) {
      if (best) WriteWeights("best.safetensors", record);
      log_->Append(record);
      WriteFileAtomically(options_.folder + "/curve.svg", LearningCurveSvg(log_->records()));
    }
    if (communicator_.rank() == 0 && options_.callbacks.on_validation) options_.callbacks.on_validation(record, best);
  }

  // Each component counts alike, whatever its share: neither is to be bought with the other.
  double SelectionScore(const LogRecord& record) const {
    double sum = 0;
    for (const MixtureComponent& component : config_.mixture) {
      sum += component.kind == ComponentKind::kTables ? record.tables->score : record.validation.score;
    }
    return sum / static_cast<double>(config_.mixture.size());
  }

  void WriteWeights(const std::string& name, const LogRecord& record) const {
    const ValidationReport& report = record.validation;
    NetworkWeights weights;
    weights.config = config_.network;
    weights.values = state_.average;
    weights.datasets_seen = state_.inherited + state_.datasets;
    weights.validation = {{"gap_mean", report.truth.mean},
                          {"gap_median", report.truth.median},
                          {"gap_p90", report.truth.p90},
                          {"score", report.score}};
    if (report.type2.count > 0) {
      weights.validation["type2_gap_mean"] = report.type2.mean;
      weights.validation["type2_gap_median"] = report.type2.median;
      weights.validation["type2_gap_p90"] = report.type2.p90;
    }
    if (record.tables) {
      weights.validation["tables_gap_mean"] = record.tables->truth.mean;
      weights.validation["tables_gap_median"] = record.tables->truth.median;
      weights.validation["tables_gap_p90"] = record.tables->truth.p90;
      weights.validation["tables_score"] = record.tables->score;
    }
    SaveWeights(options_.folder + "/" + name, weights);
  }

  void Save() {
    state_.csv_bytes = log_->csv_bytes();
    state_.jsonl_bytes = log_->jsonl_bytes();
    WriteCheckpoint(options_.folder, config_, state_);
  }

  void Tell(const std::string& what) const {
    if (communicator_.rank() == 0 && options_.callbacks.on_event) options_.callbacks.on_event(what);
  }

  const TrainingConfig config_;
  const TrainingOptions& options_;
  Communicator& communicator_;
  const Network<float> network_;
  ThreadPool pool_;
  const bool writes_;
  TrainingState state_;
  std::optional<ValidationSet> validation_;
  std::optional<ValidationSet> tables_;
  std::optional<BatchEngine> engine_;
  std::optional<TrainingLog> log_;
  LogRecord last_record_;
};

}  // namespace

TrainingSummary Train(const TrainingConfig& config, const TrainingOptions& options, Communicator& communicator) {
  return Run(config, options, communicator).Execute();
}

}  // namespace instantgp
