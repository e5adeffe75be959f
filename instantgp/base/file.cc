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

}  // namespace file_parts

namespace {

using file_parts::Descriptor;
using file_parts::Temporary;

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

struct AtomicFile::State {
  std::string path, target, name;  // as asked for; behind links; of the temporary, empty where there is none
  std::unique_ptr<file_parts::Descriptor> file;
  std::unique_ptr<file_parts::Temporary> temporary;
};

AtomicFile::AtomicFile(const std::string& path) : state_(std::make_unique<State>()) {
  state_->path = path;
  state_->target = ResolveLinks(path);
  struct stat old {};
  const bool exists = ::stat(state_->target.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) FailWrite(path, EISDIR);
  if (exists && !S_ISREG(old.st_mode)) {
    // A pipe or a device such as /dev/stdout cannot be renamed onto.
    state_->file = std::make_unique<Descriptor>(OpenRetrying(state_->target.c_str(), O_WRONLY));
    if (state_->file->get() < 0) FailWrite(path, errno);
    return;
  }
  int fd = -1;
  do {  // a name left by a crashed process of the same id is passed over
    state_->name = TemporaryName(state_->target);
    fd = OpenRetrying(state_->name.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666);
  } while (fd < 0 && errno == EEXIST);
  if (fd < 0) FailWrite(path, errno);
  state_->file = std::make_unique<Descriptor>(fd);
  state_->temporary = std::make_unique<Temporary>(state_->name);
  if (exists && ::fchmod(fd, old.st_mode & 07777) != 0) FailWrite(path, errno);
}

AtomicFile::~AtomicFile() = default;

void AtomicFile::Write(std::string_view bytes) {
  if (!WriteAll(state_->file->get(), bytes)) FailWrite(state_->path, errno);
}

void AtomicFile::Commit() {
  State& s = *state_;
  if (s.temporary == nullptr) {
    if (s.file->Close() != 0) FailWrite(s.path, errno);
    return;
  }
  if (::fsync(s.file->get()) != 0 || s.file->Close() != 0) FailWrite(s.path, errno);
  if (::rename(s.name.c_str(), s.target.c_str()) != 0) FailWrite(s.path, errno);
  s.temporary->Keep();
  FlushFolderOf(s.target);
}

void WriteFileAtomically(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.Write(bytes);
  file.Commit();
}

}  // namespace instantgp
