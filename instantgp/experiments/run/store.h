// The folder an experiment writes to and goes on from.
#pragma once

#include <string>
#include <vector>

#include "instantgp/experiments/run/record.h"

namespace instantgp {

// The settings that name the weights of the network and of the AHGP baseline. Only records of methods that ask one of
// them depend on it.
inline constexpr char kWeightsKey[] = "weights";
inline constexpr char kAhgpWeightsKey[] = "ahgp_weights";
// The setting that names every table of a folder with its fingerprint. Records depend on the entry of their table only.
inline constexpr char kTablesKey[] = "tables";
// The key of the weights a method depends on; empty for methods without a network.
std::string NetworkOf(const std::string& method);

// records.csv grows as tasks finish, always whole. run.json says which run the records belong to.
class ResultFolder {
 public:
  // Creates the folder. `settings` is a JSON object of everything the records depend on apart from their own names. If
  // the folder holds records of other settings, throws Error(kUsage) saying which differ; with `fresh` they are
  // replaced. Where only the weights differ, the records of methods that use them are dropped and the others kept;
  // likewise those of a table that has changed or gone.
  ResultFolder(std::string path, const std::string& settings, bool fresh);

  const std::string& path() const { return path_; }
  const std::vector<Record>& previous() const { return previous_; }

  void SaveRecords(const std::vector<Record>& records) const;
  void WriteFile(const std::string& name, const std::string& bytes) const;

 private:
  std::string path_;
  std::vector<Record> previous_;
};

}  // namespace instantgp
