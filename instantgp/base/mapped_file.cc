#include "instantgp/base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "instantgp/base/file.h"

namespace instantgp {

MappedFile::MappedFile(const std::string& path) {
  struct stat about = {};
  if (path != "-" && ::stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
      size_ = static_cast<std::size_t>(about.st_size);
      void* const place = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
      if (place != MAP_FAILED) mapped_ = static_cast<const char*>(place);
      ::close(fd);
    }
  }
  if (mapped_ == nullptr) read_ = ReadFile(path);  // says what is wrong with a path that cannot be read
}

MappedFile::~MappedFile() {
  if (mapped_ != nullptr) ::munmap(const_cast<char*>(mapped_), size_);
}

}  // namespace instantgp
