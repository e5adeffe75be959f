// The bytes of a file without a copy in memory of our own.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace instantgp {

// Maps a regular file; anything else ("-", a pipe) is read. Not copyable. The file must not be made shorter meanwhile;
// ours never are, since files are replaced by renaming.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);  // Error(kBadInput) naming the path and the reason
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return mapped_ != nullptr ? std::string_view(mapped_, size_) : read_; }

 private:
  const char* mapped_ = nullptr;
  std::size_t size_ = 0;
  std::string read_;
};

}  // namespace instantgp
