// Any folder of CSV files as the tables of a comparison. Internal to experiments/.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "instantgp/data/dataset.h"

namespace instantgp {

struct FolderTable {
  std::string name;         // of the file, without .csv
  std::string fingerprint;  // of its bytes
  std::shared_ptr<const Dataset> data;
};

struct SkippedFile {
  std::string file;
  std::string reason;
};

struct TableFolder {
  std::vector<FolderTable> tables;  // by name; at least one
  std::vector<SkippedFile> skipped;
};

// With fewer rows there is nothing to fit in one half or nothing to score in the other.
inline constexpr int kFewestTableRows = 4;

// Every *.csv directly in the folder, by name; the target is the last column. A file that cannot be read as a table
// of numbers is skipped with the reason. Error(kBadInput) when there is no such folder, no CSV file in it, or none that
// can be used.
TableFolder ReadTableFolder(const std::string& folder);

// The one table the library carries, for a run without files.
TableFolder AirlineFolder();

}  // namespace instantgp
