#include "instantgp/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <utility>

#include "instantgp/base/error.h"

namespace instantgp {

namespace {

std::string Reason(int error) { return std::generic_category().message(error); }

[[noreturn]] void FailRead(const std::string& path, int error) {
  throw Error(ErrorCode::kBadInput,
              "cannot read '" + path + "': " + Reason(error) + "; check the path and its permissions");
}

[[noreturn]] void FailWrite(const std::string& path, int error) {
  throw Error(ErrorCode::kFailure, "cannot write '" + path + "': " + Reason(error) +
                                       "; check that the folder exists, is writable and not full");
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  // Some file systems report a full disk only here.
  int Close() { return ::close(std::exchange(fd_, -1)); }

 private:
  int fd_;
};

// Removes the temporary unless it has become the target.
class Temporary {
 public:
  explicit Temporary(std::string path) : path_(std::move(path)) {}
  ~Temporary() {
    if (!kept_) ::unlink(path_.c_str());
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  void Keep() { kept_ = true; }

 private:
  std::string path_;
  bool kept_ = false;
};

int OpenRetrying(const char* path, int flags, mode_t mode = 0) {
  int fd = -1;
  do {
    fd = ::open(path, flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  return fd;
}

// False with errno set when the descriptor takes no more.
bool WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// A link stays a link: its target is replaced. A path that does not exist yet is its own target.
std::string ResolveLinks(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> resolved(::realpath(path.c_str(), nullptr), std::free);
  return resolved ? std::string(resolved.get()) : path;
}

// A rename is on disk once its folder is. Not every file system can do this, and the data is already safe: no error.
void FlushFolderOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const Descriptor fd(OpenRetrying(folder.c_str(), O_RDONLY | O_DIRECTORY));
  if (fd.get() >= 0) ::fsync(fd.get());
}

std::string TemporaryName(const std::string& target) {
  static std::atomic<unsigned> serial = 0;
  return target + ".tmp" + std::to_string(::getpid()) + "-" + std::to_string(serial++);
}

}  // namespace

std::string ReadFile(const std::string& path) {
  const bool standard_input = path == "-";
  const Descriptor file(standard_input ? ::dup(STDIN_FILENO) : OpenRetrying(path.c_str(), O_RDONLY));
  const std::string shown = standard_input ? "standard input" : path;
  if (file.get() < 0) FailRead(shown, errno);

  std::string bytes;
  struct stat status {};
  if (::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    bytes.reserve(static_cast<std::size_t>(status.st_size) + 1);
  }
  char buffer[1 << 16];
  for (;;) {
    const ssize_t count = ::read(file.get(), buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) FailRead(shown, errno);
    if (count == 0) return bytes;
    bytes.append(buffer, static_cast<std::size_t>(count));
  }
}

void WriteFileAtomically(const std::string& path, std::string_view bytes) {
  const std::string target = ResolveLinks(path);
  struct stat old {};
  const bool exists = ::stat(target.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) FailWrite(path, EISDIR);
  if (exists && !S_ISREG(old.st_mode)) {
    // A pipe or a device such as /dev/stdout cannot be renamed onto.
    Descriptor file(OpenRetrying(target.c_str(), O_WRONLY));
    if (file.get() < 0 || !WriteAll(file.get(), bytes) || file.Close() != 0) FailWrite(path, errno);
    return;
  }

  std::string name;
  int fd = -1;
  do {  // a name left by a crashed process of the same id is passed over
    name = TemporaryName(target);
    fd = OpenRetrying(name.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666);
  } while (fd < 0 && errno == EEXIST);
  if (fd < 0) FailWrite(path, errno);
  Descriptor file(fd);
  Temporary temporary(name);
  if (exists && ::fchmod(file.get(), old.st_mode & 07777) != 0) FailWrite(path, errno);
  if (!WriteAll(file.get(), bytes) || ::fsync(file.get()) != 0 || file.Close() != 0) FailWrite(path, errno);
  if (::rename(name.c_str(), target.c_str()) != 0) FailWrite(path, errno);
  temporary.Keep();
  FlushFolderOf(target);
}

}  // namespace instantgp
