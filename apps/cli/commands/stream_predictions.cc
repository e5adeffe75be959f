#include "apps/cli/commands/stream_predictions.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "apps/cli/options/common.h"
#include "apps/cli/options/table_input.h"
#include "apps/cli/report/predictions.h"
#include "apps/cli/terminal/interrupt.h"
#include "apps/cli/terminal/terminal.h"
#include "instantgp/base/diagnosis.h"
#include "instantgp/base/error.h"
#include "instantgp/base/file.h"
#include "instantgp/data/csv_blocks.h"
#include "instantgp/data/csv_reader.h"
#include "instantgp/data/new_rows.h"
#include "instantgp/gp/neighbour_posterior.h"
#include "instantgp/model/scores.h"

namespace instantgp::cli {
namespace {

// Of a model from neighbours predictions are dear: those that were made are scored, not made again.
std::optional<Scores> ScoreOf(const Model& model, const NewRows& rows, const PredictionOutput& made, bool latent) {
  if (model.neighbours() == nullptr || latent || !rows.y || !rows.y->allFinite()) return ScoreRows(model, rows);
  const Scaler& scaler = model.scaler();
  const bool transformed = !scaler.transform.none();
  const Vector& mean = transformed ? made.transformed_mean : made.mean;
  const Vector& std = transformed ? made.transformed_std : made.std;
  return ScoreInUnits(scaler, *rows.y, ((mean.array() - scaler.y_mean) / scaler.y_std).matrix(), std / scaler.y_std);
}

std::optional<Scores> ScoreOf(const Ensemble& ensemble, const NewRows& rows, const PredictionOutput&, bool) {
  return ScoreRows(ensemble, rows);
}

// Scores of pieces, as those of the whole.
class ScoreSums {
 public:
  void Add(const Scores& scores, double count) {
    count_ += count;
    sums_.rmse += count * scores.rmse * scores.rmse;
    sums_.rmse_standardized += count * scores.rmse_standardized * scores.rmse_standardized;
    sums_.nll += count * scores.nll;
    sums_.nll_standardized += count * scores.nll_standardized;
    sums_.coverage95 += count * scores.coverage95;
  }
  std::optional<Scores> Mean() const {
    if (count_ == 0) return std::nullopt;
    return Scores{std::sqrt(sums_.rmse / count_), sums_.nll / count_, std::sqrt(sums_.rmse_standardized / count_),
                  sums_.nll_standardized / count_, sums_.coverage95 / count_};
  }

 private:
  double count_ = 0;
  Scores sums_;
};

// The rows of a block. What is wrong with one is said with the line it has in the file.
NewRows RowsOf(const std::string& text, const CsvBlocks& blocks, const std::string& origin, const TableShape& shape,
               const NewRowsOptions& options) {
  try {
    return ParseNewRows(text, origin, shape, options);
  } catch (const Error&) {
    return ParseNewRows(blocks.WithLinesOfTheFile(text), origin, shape, options);
  }
}

template <typename Fitted>
void Stream(const Fitted& fitted, const StreamRequest& request) {
  const std::string origin = request.rows == "-" ? "standard input" : request.rows;
  const bool to_stdout = request.output.empty() || request.output == "-";
  CsvBlocks blocks(request.rows);
  const TableShape shape{fitted.column_names(), fitted.target_name(), fitted.recipe()};
  std::optional<AtomicFile> file;
  ScoreSums sums;
  std::set<std::string> notes;
  std::string text;
  bool first = true;
  // Without any block the empty text says that there is no table.
  while (blocks.Next(text) || first) {
    if (StopToken().stop_requested()) throw Error(ErrorCode::kInterrupted, "interrupted while predicting");
    if (first) {
      const auto header = shape.recipe == nullptr ? CsvReader::Header::kAnyText : CsvReader::Header::kNotDates;
      blocks.SetHasHeader(CsvReader(text, origin, header).has_header());
    }
    const NewRows rows = RowsOf(text, blocks, origin, shape, {MissingPolicy::kError, request.unseen});
    const PredictionOutput made = ComputePredictions(
        fitted, rows.X, {.noise = request.latent ? Noise::kLatent : Noise::kObserved, .threads = request.threads});
    if (const std::optional<Scores> scores = ScoreOf(fitted, rows, made, request.latent)) {
      sums.Add(*scores, static_cast<double>(rows.y->array().isFinite().count()));
    }
    for (const std::string& note : NotesOn(rows)) notes.insert(note);
    const std::string csv = PredictionsToCsv(made);
    const std::string_view piece = first ? std::string_view(csv) : std::string_view(csv).substr(csv.find('\n') + 1);
    if (to_stdout) {
      WriteStdout(piece);
    } else {
      if (!file) file.emplace(request.output);
      file->Write(piece);
    }
    first = false;
  }
  if (!request.quiet) {
    for (const std::string& note : notes) Message("warning: " + note);
    if (const auto scores = sums.Mean()) Message(ScoresToText(*scores, OneLine(fitted.target_name())));
  }
  if (file) {
    const std::lock_guard<std::mutex> lock(WriteMutex());
    file->Commit();
    if (!request.quiet) Message("wrote " + request.output);
  }
}

}  // namespace

void StreamPredictions(const Model& model, const StreamRequest& request) { Stream(model, request); }
void StreamPredictions(const Ensemble& ensemble, const StreamRequest& request) { Stream(ensemble, request); }

}  // namespace instantgp::cli
