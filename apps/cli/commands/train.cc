// instantgp train: trains a network on simulated data, in a folder that can be resumed.
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>

#include "apps/cli/commands/process_group.h"
#include "apps/cli/commands/train_steps.h"
#include "apps/cli/options/common.h"
#include "apps/cli/terminal/interrupt.h"
#include "apps/cli/terminal/progress.h"
#include "apps/cli/terminal/terminal.h"
#include "instantgp/base/error.h"
#include "instantgp/base/file.h"
#include "instantgp/training/trainer.h"

namespace instantgp::cli {
namespace {

constexpr char kTrainExamples[] = R"(Examples:
  instantgp train --out runs/first --minutes 10
  instantgp train --out runs/first --resume
  instantgp train --out runs/tuned --config base.json --datasets 1e6 --set schedule.peak=1e-3 --set network.hypotheses=8
  instantgp train --out runs/noise --phase 2 --minutes 5 --set init_from=runs/first/best.safetensors --set curriculum=[]
  instantgp train --out runs/steps --phase steps --config steps.json --set init_from=runs/noise/best.safetensors
  mpirun -n 4 instantgp train --out runs/wide --threads 1 --minutes 60 --set lanes=8 --set batch=32

The folder holds config.json, log.csv, log.jsonl, curve.svg, best.safetensors (best on the validation set so far),
last.safetensors (at the end) and checkpoints. Ctrl-C writes a checkpoint; --resume continues bit for bit. A finished
run that is resumed with a larger budget warms up and anneals once more.)";

struct TrainArguments {
  CommonOptions common;
  std::string config_path;
  std::string folder;
  bool resume = false;
  double datasets = 0;
  double minutes = 0;
  std::string phase;
  std::string data;
  std::vector<std::string> settings;
  bool seed_given = false;
};

TrainingConfig EffectiveConfig(const TrainArguments& arguments) {
  TrainingConfig config = DefaultTrainingConfig();
  if (arguments.resume) {
    config = ReadCheckpoint(arguments.folder).config;
  } else if (!arguments.config_path.empty()) {
    config = ParseTrainingConfig(ReadFile(arguments.config_path), arguments.config_path);
  }
  if (arguments.seed_given) config.seed = arguments.common.seed;
  if (arguments.phase == "1" || arguments.phase == "2") config.loss.phase = arguments.phase == "1" ? 1 : 2;
  for (const std::string& setting : arguments.settings) config = WithOverride(config, setting);
  if (arguments.datasets > 0) {
    config.datasets = static_cast<std::int64_t>(arguments.datasets);
    config.minutes = 0;
  }
  if (arguments.minutes > 0) {
    config.minutes = arguments.minutes;
    config.datasets = 0;
  }
  if (config.datasets == 0 && config.minutes == 0) {
    throw Error(ErrorCode::kUsage, "no training budget given; add --datasets N or --minutes M");
  }
  config.Validate();
  return config;
}

// A line that redraws itself on a terminal, one line every half minute otherwise.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet) : line_(quiet) {}

  void Show(const TrainingProgress& p) {
    const auto now = std::chrono::steady_clock::now();
    if (std::chrono::duration<double>(now - last_).count() < (line_.terminal() ? 0.2 : 30.0)) return;
    last_ = now;
    char text[160];
    std::snprintf(text, sizeof text, "%5.1f %%  %lld datasets  %.0f/s  %s left  loss %.4f  d <= %d  rate %.2e",
                  100 * p.progress, static_cast<long long>(p.datasets), p.datasets_per_second,
                  Duration(p.seconds_left).c_str(), p.loss, p.max_d, p.learning_rate);
    line_.Show(text);
  }
  void Say(const std::string& text) { line_.Say(text); }

 private:
  StatusLine line_;
  std::chrono::steady_clock::time_point last_ = {};
};

std::string Describe(const LogRecord& r, bool best) {
  const ValidationReport& v = r.validation;
  std::string text = "validation at " + std::to_string(r.datasets) + " datasets: gap to the truth mean " +
                     Short(v.truth.mean) + ", median " + Short(v.truth.median) + ", p90 " + Short(v.truth.p90);
  if (v.type2.count > 0) text += "; to type-2 ML median " + Short(v.type2.median);
  if (r.tables) text += "; on tables mean " + Short(r.tables->truth.mean) + ", median " + Short(r.tables->truth.median);
  return text + (best ? " (best)" : "");
}

Json ToJson(const GapSummary& s) {
  return {{"count", s.count}, {"mean", s.mean}, {"median", s.median}, {"p90", s.p90}};
}

void Report(const TrainArguments& arguments, const TrainingConfig& config, const TrainingSummary& summary) {
  const TrainingState& state = summary.state;
  if (arguments.common.json) {
    Json json = {{"schema", "instantgp/train/1"}, {"folder", arguments.folder}, {"finished", !summary.interrupted},
                 {"steps", state.step},           {"datasets", state.datasets}, {"skipped", state.skipped},
                 {"minutes", state.seconds / 60}};
    if (std::isfinite(state.best_score)) json["best_score"] = state.best_score;
    if (!summary.records.empty()) {
      const ValidationReport& v = summary.records.back().validation;
      json["validation"] = {{"gap", ToJson(v.truth)}, {"type2_gap", ToJson(v.type2)}, {"score", v.score}};
      if (const auto& tables = summary.records.back().tables) {
        json["validation"]["tables"] = {{"gap", ToJson(tables->truth)}, {"score", tables->score}};
      }
    }
    json["config"] = Json::parse(instantgp::ToJson(config));
    WriteStdout(JsonText(std::move(json)));
    return;
  }
  std::vector<std::vector<std::string>> rows = {{"datasets", std::to_string(state.datasets)},
                                                {"steps", std::to_string(state.step)},
                                                {"skipped", std::to_string(state.skipped)},
                                                {"time", Duration(state.seconds)}};
  if (!summary.records.empty()) {
    const ValidationReport& v = summary.records.back().validation;
    rows.push_back({"gap to the truth", "mean " + Short(v.truth.mean) + "  median " + Short(v.truth.median) + "  p90 " +
                                            Short(v.truth.p90)});
    if (v.type2.count > 0) {
      rows.push_back({"gap to type-2 ML", "mean " + Short(v.type2.mean) + "  median " + Short(v.type2.median) +
                                              "  p90 " + Short(v.type2.p90)});
    }
  }
  if (!summary.records.empty() && summary.records.back().tables) {
    const GapSummary& gap = summary.records.back().tables->truth;
    rows.push_back({"the same on tables",
                    "mean " + Short(gap.mean) + "  median " + Short(gap.median) + "  p90 " + Short(gap.p90)});
  }
  rows.push_back({"folder", arguments.folder});
  WriteStdout(FormatTable(rows, 2));
}

TrainingSummary TrainTogether(const TrainArguments& arguments, Communicator& group, TrainingConfig* config) {
  // Files are read by rank 0 alone, so that only it needs the folder.
  std::string text = group.rank() == 0 ? instantgp::ToJson(EffectiveConfig(arguments)) : std::string();
  text = BroadcastText(group, std::move(text));
  *config = ParseTrainingConfig(text, "the effective config");

  ProgressLine line(arguments.common.quiet || group.rank() != 0);
  line.Say("effective config:\n" + text);
  TrainingOptions options;
  options.folder = arguments.folder;
  options.resume = arguments.resume;
  options.threads = arguments.common.threads;
  options.stop = StopToken();
  options.callbacks.on_step = [&](const TrainingProgress& progress) { line.Show(progress); };
  options.callbacks.on_validation = [&](const LogRecord& record, bool best) { line.Say(Describe(record, best)); };
  options.callbacks.on_event = [&](const std::string& what) { line.Say(what); };
  return Train(*config, options, group);
}

void RunTrain(const TrainArguments& arguments) {
  if (arguments.phase != "steps" && !arguments.data.empty()) {
    throw Error(ErrorCode::kUsage, "--data is for --phase steps; the network itself learns from simulated data alone");
  }
  if (arguments.phase == "steps") {
    if (arguments.resume || arguments.minutes > 0) {
      throw Error(ErrorCode::kUsage,
                  "the step network is trained in one go and by a number of datasets; give --datasets N "
                  "and leave out --resume and --minutes");
    }
    RunTrainSteps(EffectiveConfig(arguments), arguments.folder, arguments.data, arguments.common);
    return;
  }
  // A step of a large network and a checkpoint take longer than the usual second.
  SetPatience(120);
  const std::unique_ptr<Communicator> group = OpenProcessGroup();
  TrainingConfig config;
  TrainingSummary summary;
  RunTogether(*group, [&] { summary = TrainTogether(arguments, *group, &config); });
  if (group->rank() == 0) Report(arguments, config, summary);
  if (summary.interrupted) {
    throw Error(ErrorCode::kInterrupted, "stopped after " + std::to_string(summary.state.datasets) +
                                             " datasets; continue with 'instantgp train --out " + arguments.folder +
                                             " --resume'");
  }
}

}  // namespace

void RegisterTrain(CLI::App& app, Selected& selected) {
  auto arguments = std::make_shared<TrainArguments>();
  CLI::App* command = app.add_subcommand("train", "Train a network on simulated data");
  command->footer(kTrainExamples);
  command->add_option("--out", arguments->folder, "Folder of the run")->required()->type_name("DIR");
  auto* config =
      command->add_option("--config", arguments->config_path, "Settings (JSON) [those of the shipped network]")
          ->type_name("FILE");
  command->add_flag("--resume", arguments->resume, "Continue from the checkpoint in the folder")->excludes(config);
  auto* datasets = command->add_option("--datasets", arguments->datasets, "Budget: datasets in total")
                       ->type_name("N")
                       ->check(CLI::Range(1.0, 1e15));
  command->add_option("--minutes", arguments->minutes, "Budget: minutes in total")
      ->type_name("M")
      ->check(CLI::PositiveNumber)
      ->excludes(datasets);
  command
      ->add_option("--phase", arguments->phase,
                   "What is learned: 1 by marginal likelihood, 2 noise fine-tuning, steps: the step network [1]")
      ->type_name("1|2|steps")
      ->check(CLI::IsMember({"1", "2", "steps"}));
  command
      ->add_option("--data", arguments->data,
                   "With --phase steps: a folder of CSV files to learn from too, the last column their target")
      ->type_name("DIR");
  command->add_option("--set", arguments->settings, "Override a setting, e.g. schedule.peak=1e-3; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  AddCommonOptions(*command, arguments->common);
  command->callback([command, arguments, &selected] {
    arguments->seed_given = command->count("--seed") > 0;
    selected.run = [arguments] { RunTrain(*arguments); };
  });
}

}  // namespace instantgp::cli
