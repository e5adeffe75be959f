#include "apps/cli/commands/stream_predictions.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include "apps/cli/options/common.h"
#include "apps/cli/options/table_input.h"
#include "apps/cli/report/predictions.h"
#include "apps/cli/terminal/interrupt.h"
#include "apps/cli/terminal/progress.h"
#include "apps/cli/terminal/terminal.h"
#include "instantgp/base/error.h"
#include "instantgp/base/file.h"
#include "instantgp/base/stopwatch.h"
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

// How far it is, where the size of a table is known: of a compressed one or a pipe it is not.
class StreamProgress {
 public:
  StreamProgress(const std::string& path, bool quiet) : progress_("MB of rows", quiet) {
    std::error_code error;
    if (path != "-") bytes_ = std::filesystem::file_size(path, error);
    if (error) bytes_ = 0;
  }
  void Update(std::uint64_t done) {
    constexpr double kMega = 1e6;
    const auto mega = [](double bytes) { return static_cast<int>(std::min(std::ceil(bytes / kMega), 2e9)); };
    if (bytes_ < kWorthSaying || done > bytes_) return;
    const double share = static_cast<double>(done) / static_cast<double>(bytes_);
    progress_.Update(mega(static_cast<double>(done)), mega(static_cast<double>(bytes_)),
                     clock_.Milliseconds() / 1000 * (1 - share) / share);
  }

 private:
  static constexpr std::uint64_t kWorthSaying = 4 * kStreamBytes;
  Progress progress_;
  Stopwatch clock_;
  std::uint64_t bytes_ = 0;
};

// The rows of a block. What is wrong with one is said with the line it has in the file.
NewRows RowsOf(const CsvBlocks& block, const BlockHeader& header, bool first, const std::string& origin,
               const TableShape& shape, const NewRowsOptions& options) {
  if (first) return ParseNewRows(block.text(), origin, shape, options);
  try {
    return ParseNewRows(header.Above(block), origin, shape, options);
  } catch (const Error&) {
    return ParseNewRows(header.Above(block, true), origin, shape, options);
  }
}

template <typename Fitted>
StreamResult Stream(const Fitted& fitted, const StreamRequest& request) {
  const std::string origin = request.rows == "-" ? "standard input" : request.rows;
  const bool to_stdout = request.output.empty() || request.output == "-";
  CsvBlocks blocks(request.rows, kStreamBytes);
  const TableShape shape{fitted.column_names(), fitted.target_name(), fitted.recipe()};
  std::optional<AtomicFile> file;
  std::optional<BlockHeader> header;
  StreamProgress progress(request.rows, request.quiet);
  ScoreSums sums;
  std::set<std::string> notes;
  // Without any block the empty text says that there is no table.
  while (blocks.Next() || !header) {
    if (StopToken().stop_requested()) throw Error(ErrorCode::kInterrupted, "interrupted while predicting");
    const bool first = !header;
    if (first) {
      const auto kind = shape.recipe == nullptr ? CsvReader::Header::kAnyText : CsvReader::Header::kNotDates;
      header.emplace(blocks.text(), CsvReader(blocks.text(), origin, kind).has_header());
    }
    const NewRows rows = RowsOf(blocks, *header, first, origin, shape, {MissingPolicy::kError, request.unseen});
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
    progress.Update(blocks.begin() + blocks.text().size());
  }
  if (file) {
    const std::lock_guard<std::mutex> lock(WriteMutex());
    file->Commit();
  }
  return {sums.Mean(), {notes.begin(), notes.end()}};
}

}  // namespace

StreamResult StreamPredictions(const Model& model, const StreamRequest& request) { return Stream(model, request); }
StreamResult StreamPredictions(const Ensemble& ensemble, const StreamRequest& request) {
  return Stream(ensemble, request);
}

}  // namespace instantgp::cli
