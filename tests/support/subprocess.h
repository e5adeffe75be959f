// Runs a program as a user's shell would and keeps what it says.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace instantgp::testing {

struct ProcessResult {
  int code = 0;  // exit code; 128 + signal when killed
  std::string out;
  std::string err;
  double peak_bytes = 0;  // of memory it held at once
};

// argv[0] is the program. `input` is its standard input. `interrupt_after_ms` > 0 sends SIGINT then.
ProcessResult RunProcess(const std::vector<std::string>& argv, const std::string& input = "",
                         int interrupt_after_ms = 0);

// A folder that goes away with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  // Writes the file and returns its path.
  std::string Write(const std::string& name, const std::string& bytes) const;
  bool Exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }
  std::string Read(const std::string& name) const;
  // Names of all files in it, sorted.
  std::vector<std::string> Files() const;

 private:
  std::filesystem::path folder_;
};

}  // namespace instantgp::testing
