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

// Named, because AtomicFile's state holds them.
namespace file_parts {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  void Take(int fd) { fd_ = fd; }  // where there was none
  // Some file systems report a full disk only here. Interrupted or not, the descriptor is closed.
  int Close() {
    const int result = ::close(std::exchange(fd_, -1));
    return result != 0 && errno == EINTR ? 0 : result;
  }

 private:
  int fd_;
};

}  // namespace file_parts

namespace {

using file_parts::Descriptor;

std::string Reason(int error) { return std::generic_category().message(error); }

[[noreturn]] void FailRead(const std::string& path, int error) {
  throw Error(ErrorCode::kBadInput,
              "cannot read '" + path + "': " + Reason(error) + "; check the path and its permissions");
}

[[noreturn]] void FailWrite(const std::string& path, int error) {
  throw Error(ErrorCode::kFailure, "cannot write '" + path + "': " + Reason(error) +
                                       "; check that the folder exists, is writable and not full");
}

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

std::string FolderOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

// A rename is on disk once its folder is. Not every file system can do this, and the data is already safe: no error.
void FlushFolderOf(const std::string& path) {
  const Descriptor fd(OpenRetrying(FolderOf(path).c_str(), O_RDONLY | O_DIRECTORY));
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

struct AtomicFile::State {
  std::string path, target, name;  // as asked for; behind links; of the temporary
  file_parts::Descriptor file{-1};
  bool direct = false;  // a pipe or a device: nothing to be renamed
  bool named = false;   // the temporary has its name

  ~State() {
    if (named) ::unlink(name.c_str());
  }
  // The file has no name until it is whole, so that even a process that is killed leaves no part of it. False where the
  // file system does not know such files, or /proc is missing, by which they get their name.
  bool OpenNameless() {
    const int fd = OpenRetrying(FolderOf(target).c_str(), O_TMPFILE | O_WRONLY, 0666);
    if (fd < 0) return false;
    file.Take(fd);
    name = Self();
    if (::access(name.c_str(), F_OK) == 0) return true;
    file.Close();
    return false;
  }
  std::string Self() const { return "/proc/self/fd/" + std::to_string(file.get()); }
  // A name left by a crashed process of the same id is passed over.
  template <typename Make>
  bool TryNames(const Make& make) {
    do {
      name = TemporaryName(target);
      named = make(name.c_str());
    } while (!named && errno == EEXIST);
    return named;
  }
};

AtomicFile::AtomicFile(const std::string& path) : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.path = path;
  s.target = ResolveLinks(path);
  struct stat old {};
  const bool exists = ::stat(s.target.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) FailWrite(path, EISDIR);
  if (exists && !S_ISREG(old.st_mode)) {
    // A pipe or a device such as /dev/stdout cannot be renamed onto.
    s.direct = true;
    s.file.Take(OpenRetrying(s.target.c_str(), O_WRONLY));
    if (s.file.get() < 0) FailWrite(path, errno);
    return;
  }
  const auto open_named = [&](const char* name) {
    s.file.Take(OpenRetrying(name, O_WRONLY | O_CREAT | O_EXCL, 0666));
    return s.file.get() >= 0;
  };
  if (!s.OpenNameless() && !s.TryNames(open_named)) FailWrite(path, errno);
  if (exists && ::fchmod(s.file.get(), old.st_mode & 07777) != 0) FailWrite(path, errno);
}

AtomicFile::~AtomicFile() = default;

void AtomicFile::Write(std::string_view bytes) {
  if (!WriteAll(state_->file.get(), bytes)) FailWrite(state_->path, errno);
}

void AtomicFile::Commit() {
  State& s = *state_;
  if (s.direct) {
    if (s.file.Close() != 0) FailWrite(s.path, errno);
    return;
  }
  int flushed = -1;
  do {
    flushed = ::fsync(s.file.get());
  } while (flushed != 0 && errno == EINTR);
  if (flushed != 0) FailWrite(s.path, errno);
  const std::string self = s.Self();
  const auto link_named = [&](const char* name) {
    return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
  };
  if (!s.named && !s.TryNames(link_named)) FailWrite(s.path, errno);
  if (s.file.Close() != 0) FailWrite(s.path, errno);
  if (::rename(s.name.c_str(), s.target.c_str()) != 0) FailWrite(s.path, errno);
  s.named = false;
  FlushFolderOf(s.target);
}

void WriteFileAtomically(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.Write(bytes);
  file.Commit();
}

}  // namespace instantgp
