#include "apps/cli/report/partial_output.h"

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "instantgp/base/error.h"
#include "instantgp/base/file.h"
#include "instantgp/data/csv_lexer.h"
#include "instantgp/data/table_text.h"

namespace instantgp::cli {
namespace {

std::string KeyLine(const std::vector<std::string>& key) {
  std::string text;
  for (const std::string& part : key) text += part + '\x1f';
  return text;
}

void Rename(const std::string& from, const std::string& to) {
  std::error_code error;
  std::filesystem::rename(from, to, error);
  if (error) throw Error(ErrorCode::kFailure, "cannot rename " + from + " to " + to + ": " + error.message());
}

}  // namespace

PartialOutput::PartialOutput(std::string path, std::string header, const SeriesTable& table, int horizon)
    : path_(std::move(path)),
      partial_(path_ + ".partial"),
      header_(std::move(header)),
      table_(table),
      horizon_(static_cast<std::size_t>(horizon)) {}

std::string PartialOutput::NameOf(int rank) const {
  return rank == 0 ? partial_ : partial_ + "." + std::to_string(rank);
}

std::vector<PartialOutput::Segment> PartialOutput::Find(const std::vector<std::string>& files) const {
  const std::size_t keys = table_.by_names().size();
  std::unordered_map<std::string, std::size_t> place;
  for (std::size_t k = 0; k < table_.size(); ++k) place.emplace(KeyLine(table_.Key(k)), k);
  std::vector<Segment> found(table_.size());
  for (std::size_t f = 0; f < files.size(); ++f) {
    const TableText text = TableText::Open(files[f]);
    const auto fail = [&](const std::string& what) {
      throw Error(ErrorCode::kBadInput, files[f] + " was written with other options or for another table: " + what +
                                            ". Remove it, or use those it was written with.");
    };
    if (text.Read(0, header_.size()) != header_) {
      if (header_.starts_with(text.Read(0, header_.size()))) continue;  // cut off before the first row
      fail("its header differs");
    }
    RecordReader reader(text, ',', header_.size());
    std::vector<CsvCell> cells;
    std::vector<std::string> key(keys), last;
    std::size_t count = 0;
    Segment segment;
    bool reason = false;
    const auto finish = [&](bool followed) {
      if (count == 0) return;
      const bool complete = reason ? count == 1 : count == horizon_;
      if (!complete && (followed || count > horizon_)) fail("a series has " + std::to_string(count) + " rows");
      const auto known = place.find(KeyLine(last));
      if (known == place.end()) fail("the table has no such series");
      if (complete) found[known->second] = segment;
    };
    while (reader.Next(cells)) {
      // The end of a line that was cut off.
      if (reader.end() == text.size() && text.Read(text.size() - 1, 1) != "\n") break;
      if (cells.size() <= keys) fail("a row is too short");
      for (std::size_t k = 0; k < keys; ++k) key[k] = cells[k].text();
      if (count == 0 || key != last) {
        finish(true);
        last = key;
        count = 0;
        segment = {static_cast<int>(f), reader.begin(), reader.end()};
      }
      reason = cells[keys].raw.empty();  // no time
      segment.end = reader.end();
      ++count;
    }
    finish(false);
  }
  return found;
}

void PartialOutput::Join(const std::vector<std::string>& files, const std::vector<Segment>& found,
                         const std::string& to) const {
  std::vector<TableText> texts;
  texts.reserve(files.size());
  for (const std::string& file : files) texts.push_back(TableText::Open(file));
  AtomicFile out(to);  // which may be one of the files
  out.Write(header_);
  for (const Segment& segment : found) {
    if (segment.file < 0) continue;
    out.Write(texts[static_cast<std::size_t>(segment.file)].Read(segment.begin, segment.end - segment.begin));
  }
  out.Commit();
}

void PartialOutput::Prepare(bool resume, bool learned) {
  if (path_.empty()) return;
  std::vector<std::string> files;
  for (int rank = 0; rank == 0 || std::filesystem::exists(NameOf(rank)); ++rank) {
    if (std::filesystem::exists(NameOf(rank))) files.push_back(NameOf(rank));
  }
  if (resume && !files.empty()) {
    if (learned != std::filesystem::exists(PriorsName())) {
      throw Error(ErrorCode::kBadInput, partial_ + " was written " + (learned ? "without" : "with") +
                                            " --learn-priors. Remove it, or use the options it was written with.");
    }
    Join(files, Find(files), partial_);
  } else {
    std::filesystem::remove(partial_);
    std::filesystem::remove(PriorsName());
  }
  for (const std::string& file : files) {
    if (file != partial_) std::filesystem::remove(file);
  }
}

std::string PartialOutput::KeptPriors() const {
  return !path_.empty() && std::filesystem::exists(PriorsName()) ? ReadFile(PriorsName()) : "";
}

void PartialOutput::KeepPriors(const std::string& text) const {
  if (!path_.empty()) WriteFileAtomically(PriorsName(), text);
}

void PartialOutput::Recover() {
  if (path_.empty() || !std::filesystem::exists(partial_)) return;
  const std::vector<Segment> found = Find({partial_});
  done_.resize(found.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    done_[k] = found[k].file >= 0;
    recovered_ += done_[k] ? 1 : 0;
  }
}

void PartialOutput::Open(int rank) {
  if (path_.empty()) return;
  const bool go_on = rank == 0 && recovered_ > 0;
  do {
    stream_.clear();
    stream_.open(NameOf(rank), std::ios::binary | (go_on ? std::ios::app : std::ios::trunc));
  } while (!stream_ && errno == EINTR);
  if (!go_on) stream_ << header_;
  stream_.flush();
  CheckStream();
}

void PartialOutput::Add(const std::string& rows) {
  if (path_.empty()) return;
  stream_ << rows;
  stream_.flush();
  CheckStream();
}

void PartialOutput::CheckStream() {
  if (!stream_) throw Error(ErrorCode::kFailure, "cannot write " + partial_);
}

void PartialOutput::Close() {
  if (path_.empty()) return;
  stream_.close();
  CheckStream();
}

void PartialOutput::Finish(int processes) {
  if (path_.empty()) return;
  if (processes > 1 || recovered_ > 0) {
    std::vector<std::string> files;
    files.reserve(static_cast<std::size_t>(processes));
    for (int rank = 0; rank < processes; ++rank) files.push_back(NameOf(rank));
    Join(files, Find(files), path_);
    for (const std::string& file : files) std::filesystem::remove(file);
  } else {
    Rename(partial_, path_);
  }
  std::filesystem::remove(PriorsName());
}

}  // namespace instantgp::cli
