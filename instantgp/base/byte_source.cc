#include "instantgp/base/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "instantgp/base/error.h"
#include "instantgp/base/large_pages.h"

namespace instantgp {
namespace {

constexpr unsigned kBuffer = 1u << 18;

[[noreturn]] void FailOpening(const std::string& path, int error) {
  throw Error(ErrorCode::kBadInput, "cannot read '" + path + "': " + std::generic_category().message(error) +
                                        "; check the path and its permissions");
}

}  // namespace

struct ByteSource::State {
  std::string path;
  gzFile file = nullptr;  // reads what is not compressed as it is
  bool ended = false;
};

ByteSource::ByteSource(const std::string& path) : state_(std::make_unique<State>()) {
  state_->path = path == "-" ? "standard input" : path;
  int fd = -1;
  do {
    fd = path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) FailOpening(path, errno);
  struct stat about = {};
  if (::fstat(fd, &about) == 0 && S_ISDIR(about.st_mode)) {
    ::close(fd);
    FailOpening(path, EISDIR);
  }
  state_->file = ::gzdopen(fd, "rb");
  if (state_->file == nullptr) {
    ::close(fd);
    FailOpening(path, ENOMEM);
  }
  ::gzbuffer(state_->file, kBuffer);
}

ByteSource::~ByteSource() {
  if (state_->file != nullptr) ::gzclose_r(state_->file);
}

std::size_t ByteSource::Read(char* into, std::size_t size) {
  std::size_t done = 0;
  while (done < size && !state_->ended) {
    const auto want = static_cast<unsigned>(std::min<std::size_t>(size - done, 1u << 30));
    const int got = ::gzread(state_->file, into + done, want);
    int status = Z_OK;
    const char* reason = ::gzerror(state_->file, &status);
    if (got < 0 || status == Z_BUF_ERROR) {  // the latter: it ends in the middle
      if (status == Z_ERRNO) FailOpening(state_->path, errno);
      throw Error(ErrorCode::kBadInput,
                  "cannot unpack '" + state_->path + "': the gzip file is " +
                      (status == Z_BUF_ERROR ? "cut off" : "damaged (" + std::string(reason) + ")") +
                      ". Use an intact copy.");
    }
    done += static_cast<std::size_t>(got);
    if (static_cast<unsigned>(got) < want) state_->ended = true;
  }
  return done;
}

std::string ReadText(const std::string& path, std::size_t most) {
  ByteSource source(path);
  std::string text;
  std::size_t size = std::size_t{1} << 16;
  struct stat about = {};
  if (path != "-" && ::stat(path.c_str(), &about) == 0 && about.st_size > 0) {
    size = static_cast<std::size_t>(about.st_size) + 1;  // one more: to see that it ends there
  }
  for (std::size_t length = 0;;) {
    text.reserve(size);
    AskForLargePages(text.data() + text.size(), size - text.size());
    text.resize(size);
    length += source.Read(text.data() + length, size - length);
    if (length < size) {
      text.resize(length);
      return text;
    }
    if (size > most) {
      throw Error(ErrorCode::kLimit,
                  "'" + path + "' unpacks to more than " + std::to_string(most >> 20) + " MiB. Split the table.");
    }
    size += std::max<std::size_t>(size / 2, kBuffer);
  }
}

}  // namespace instantgp
