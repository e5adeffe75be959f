// Forecasts of finished series on disk while a run goes on.
//
// A run writes to FILE.partial, the further processes of a run over several to FILE.partial.1, .2, ... At the end the
// rows are put into the order of the table and the file gets its name. A run that is resumed first joins what is there,
// whatever number of processes left it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "instantgp/forecast/series_table.h"

namespace instantgp::cli {

class PartialOutput {
 public:
  // Without a path nothing is written. `horizon` tells complete series from those a stop cut off.
  PartialOutput(std::string path, std::string header, const SeriesTable& table, int horizon);

  // In one process, before the others go on: keeps the complete series of an interrupted run, or removes what it left.
  // Error(kBadInput) when that was written with other options; `learned`: with priors learned from the table.
  void Prepare(bool resume, bool learned);
  // In that process: the priors of the run that is resumed, which those of one more or one less series would not be;
  // empty where there are none.
  std::string KeptPriors() const;
  void KeepPriors(const std::string& text) const;
  // In every process: learns which series are done; when all have, opens a file of its own.
  void Recover();
  void Open(int rank);

  bool Done(std::size_t series) const { return !done_.empty() && done_[series]; }
  std::size_t recovered() const { return recovered_; }
  void Add(const std::string& rows);

  // All series are there, those of `processes` files.
  void Close();
  void Finish(int processes);

  const std::string& partial() const { return partial_; }

 private:
  // Where the rows of a complete series are.
  struct Segment {
    int file = -1;
    std::uint64_t begin = 0, end = 0;
  };

  std::string NameOf(int rank) const;
  std::string PriorsName() const { return partial_ + ".priors"; }
  std::vector<Segment> Find(const std::vector<std::string>& files) const;
  void Join(const std::vector<std::string>& files, const std::vector<Segment>& found, const std::string& to) const;
  void CheckStream();

  std::string path_, partial_, header_;
  const SeriesTable& table_;
  std::size_t horizon_;
  std::ofstream stream_;
  std::vector<bool> done_;
  std::size_t recovered_ = 0;
};

}  // namespace instantgp::cli
