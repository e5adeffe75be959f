// Whole-file reading and atomic writing.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace instantgp {

// The bytes of a file; "-" is standard input. Throws Error(kBadInput) naming the path and the reason.
std::string ReadFile(const std::string& path);

// Writes a file without a name in the target's folder (where the file system has none, one with a temporary name),
// flushes it to disk, then renames: readers see the old file or the new one, never a part. Throws Error(kFailure)
// naming the path and the reason, and leaves no temporary behind.
void WriteFileAtomically(const std::string& path, std::string_view bytes);

// The same for a file that is written piece by piece: nothing of it is seen under its name before Commit(). Without
// that the old file stays and the temporary is removed. Not copyable.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void Write(std::string_view bytes);
  void Commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace instantgp
