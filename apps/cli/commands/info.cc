// `instantgp info`: the program, the machine, or what a file holds.
#include <memory>

#include "apps/cli/options/common.h"
#include "apps/cli/report/ensemble_report.h"
#include "apps/cli/report/fit_report.h"
#include "apps/cli/report/weights_info.h"
#include "apps/cli/terminal/terminal.h"
#include "instantgp/base/blas_kernels.h"
#include "instantgp/base/cpu.h"
#include "instantgp/base/diagnosis.h"
#include "instantgp/base/error.h"
#include "instantgp/base/file.h"
#include "instantgp/base/safetensors.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/base/version.h"
#include "instantgp/inference/embedded_weights.h"
#include "instantgp/inference/trained_network.h"

namespace instantgp::cli {
namespace {

constexpr char kInfoHelp[] = "Show version, build and CPU features, or what a file holds.";

constexpr char kInfoExamples[] = R"(Examples:
  instantgp info
  instantgp info price.gp
  instantgp info price.gp --json
  instantgp info models/base.safetensors)";

struct InfoArguments {
  CommonOptions common;
  std::string file;
};

std::vector<std::string> FeatureNames(CpuFeatures features) {
  std::vector<std::string> names;
  for (int bit = 0; CpuFeatureName(bit); ++bit) {
    if (features >> bit & 1) names.emplace_back(CpuFeatureName(bit));
  }
  return names;
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text.empty() ? "none known" : text;
}

Json ProgramJson() {
  Json j;
  j["version"] = kVersion;
  j["build"] = kBuildType;
  j["compiler"] = __VERSION__;
  j["instruction_set"] = kBuildArch;
  j["build_cpu_features"] = FeatureNames(kBuildCpuFeatures);
  j["cpu_features"] = FeatureNames(MachineCpuFeatures());
  j["blas_kernels"] = BlasKernels();
  j["threads"] = ResolveThreads(0);
  j["weights"] = WeightsJson(EmbeddedWeights(), "the embedded weights");
  return j;
}

std::string ProgramText() {
  return Heading("InstantGP " + std::string(kVersion)) + "\n" +
         FormatTable({{"build", std::string(kBuildType) + ", instruction set " + kBuildArch},
                      {"compiler", __VERSION__},
                      {"built for", Joined(FeatureNames(kBuildCpuFeatures))},
                      {"this CPU has", Joined(FeatureNames(MachineCpuFeatures()))},
                      {"BLAS kernels", BlasKernels()},
                      {"threads", std::to_string(ResolveThreads(0))}},
                     2) +
         "\n" + Heading("Embedded weights") + "\n" + WeightsText(EmbeddedWeights(), "the embedded weights");
}

void RunInfo(const InfoArguments& options) {
  Json document;
  document["schema"] = "instantgp/info/1";
  if (options.file.empty()) {
    document.update(ProgramJson());
    document["warnings"] = Json::array();
    return WriteStdout(options.common.json ? JsonText(std::move(document)) : ProgramText());
  }
  const std::string bytes = ReadFile(options.file);
  const TensorViews file = ViewTensors(bytes, options.file);
  const auto format = file.metadata.find("format");
  if (format == file.metadata.end()) {
    throw Error(ErrorCode::kBadInput, options.file + ": a safetensors file, but not one that InstantGP wrote");
  }
  document["file"] = options.file;
  document["format"] = format->second;
  const auto version = file.metadata.find("version");
  document["format_version"] = version == file.metadata.end() ? "" : version->second;
  document["bytes"] = bytes.size();
  if (format->second == "instantgp/model") {
    const Model model = ParseModel(bytes, options.file);
    if (!options.common.json) {
      return WriteStdout(Heading("Fitted model " + OneLine(options.file)) + "\n" +
                         ModelSummaryText(model, std::to_string(bytes.size()) + " bytes") +
                         ColumnsText(model.recipe()) + "\n" + Heading("Parameters") + "\n" + ParameterTableText(model));
    }
    FitReport report;
    report.model = &model;
    report.source = options.file;
    report.warnings = model.warnings();
    document["model"] = ReportJson(report);
    document["warnings"] = model.warnings();
  } else if (format->second == kEnsembleFormat) {
    const Ensemble ensemble = ParseEnsemble(bytes, options.file);
    EnsembleReport report;
    report.ensemble = &ensemble;
    report.source = OneLine(options.file);
    report.verbose = options.common.verbose;
    report.warnings = ensemble.warnings();
    if (!options.common.json) return WriteStdout(ReportText(report));
    document["ensemble"] = ReportJson(report);
    document["warnings"] = ensemble.warnings();
  } else if (format->second == "instantgp-weights") {
    if (!options.common.json) {
      return WriteStdout(Heading("Weights " + OneLine(options.file)) + "\n" + WeightsText(bytes, options.file));
    }
    document.update(WeightsJson(bytes, options.file));
    document["warnings"] = Json::array();
  } else {
    throw Error(ErrorCode::kBadInput, options.file + ": this command does not read the format '" +
                                          OneLine(format->second) + "', only models, ensembles and weights");
  }
  WriteStdout(JsonText(std::move(document)));
}

}  // namespace

void RegisterInfo(CLI::App& app, Selected& selected) {
  auto options = std::make_shared<InfoArguments>();
  CLI::App* command = app.add_subcommand("info", kInfoHelp);
  command->add_option("FILE", options->file, "A saved model or ensemble, or network weights")->type_name("");
  AddCommonOptions(*command, options->common);
  command->footer(kInfoExamples);
  command->callback([options, &selected] { selected.run = [options] { RunInfo(*options); }; });
}

}  // namespace instantgp::cli
