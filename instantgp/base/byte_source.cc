#include "instantgp/base/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include "instantgp/base/error.h"
#include "instantgp/base/large_pages.h"

namespace instantgp {
namespace {

constexpr unsigned kBuffer = 1u << 18;

[[noreturn]] void FailOpening(const std::string& path, int error) {
  throw Error(ErrorCode::kBadInput, "cannot read '" + path + "': " + std::generic_category().message(error) +
                                        "; check the path and its permissions");
}

// Once in a stream of its own, which must not move.
struct Inflater {
  Inflater() {
    if (::inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc();  // 16: gzip
  }
  ~Inflater() { ::inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  z_stream stream = {};
};

}  // namespace

// zlib's own reader of files takes a call that a signal interrupts for a failure, and forgets what it has read before.
struct ByteSource::State {
  std::string path;
  int fd = -1;
  std::vector<char> buffer = std::vector<char>(kBuffer);
  std::size_t begin = 0, end = 0;  // of what is in it
  bool looked = false;             // whether the first bytes were seen
  bool ended = false;
  std::unique_ptr<Inflater> inflater;  // null: the file is not compressed

  ~State() {
    if (fd >= 0) ::close(fd);
  }

  std::size_t ReadSome(char* into, std::size_t size) const {
    for (;;) {
      const ssize_t count = ::read(fd, into, size);
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) FailOpening(path, errno);
    }
  }
  // Until the buffer holds `count` bytes or the file ends; false when it has none left.
  bool Fill(std::size_t count) {
    std::copy(buffer.begin() + static_cast<std::ptrdiff_t>(begin), buffer.begin() + static_cast<std::ptrdiff_t>(end),
              buffer.begin());
    end -= std::exchange(begin, 0);
    while (end < count) {
      const std::size_t got = ReadSome(buffer.data() + end, buffer.size() - end);
      if (got == 0) break;
      end += got;
    }
    return end > begin;
  }
  bool AtGzip() {
    if (end - begin < 2) Fill(2);
    return end - begin >= 2 && buffer[begin] == '\x1f' && buffer[begin + 1] == '\x8b';
  }
  std::size_t ReadPlain(char* into, std::size_t size);
  std::size_t ReadPacked(char* into, std::size_t size);
  [[noreturn]] void FailUnpacking(const std::string& how) const {
    throw Error(ErrorCode::kBadInput,
                "cannot unpack '" + path + "': the gzip file is " + how + ". Use an intact copy.");
  }
};

std::size_t ByteSource::State::ReadPlain(char* into, std::size_t size) {
  if (begin == end) return ReadSome(into, size);
  const std::size_t count = std::min(size, end - begin);
  std::copy_n(buffer.begin() + static_cast<std::ptrdiff_t>(begin), count, into);
  begin += count;
  return count;
}

// 0 at the end of the last member alone.
std::size_t ByteSource::State::ReadPacked(char* into, std::size_t size) {
  z_stream& stream = inflater->stream;
  stream.next_out = reinterpret_cast<Bytef*>(into);
  stream.avail_out = static_cast<uInt>(std::min<std::size_t>(size, 1u << 30));
  const uInt wanted = stream.avail_out;
  while (stream.avail_out == wanted) {
    if (begin == end && !Fill(1)) FailUnpacking("cut off");
    stream.next_in = reinterpret_cast<Bytef*>(buffer.data() + begin);
    stream.avail_in = static_cast<uInt>(end - begin);
    const int status = ::inflate(&stream, Z_NO_FLUSH);
    begin = end - stream.avail_in;
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status == Z_STREAM_END) {
      if (!AtGzip()) {  // what follows the last member counts as nothing, as everywhere
        ended = true;
        break;
      }
      ::inflateReset(&stream);
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      FailUnpacking("damaged (" + std::string(stream.msg != nullptr ? stream.msg : "no such format") + ")");
    }
  }
  return wanted - stream.avail_out;
}

ByteSource::ByteSource(const std::string& path) : state_(std::make_unique<State>()) {
  state_->path = path == "-" ? "standard input" : path;
  do {
    state_->fd = path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  } while (state_->fd < 0 && errno == EINTR);
  if (state_->fd < 0) FailOpening(path, errno);
  struct stat about = {};
  if (::fstat(state_->fd, &about) == 0 && S_ISDIR(about.st_mode)) FailOpening(path, EISDIR);
}

ByteSource::~ByteSource() = default;

std::size_t ByteSource::Read(char* into, std::size_t size) {
  State& s = *state_;
  if (!std::exchange(s.looked, true) && s.AtGzip()) s.inflater = std::make_unique<Inflater>();
  std::size_t done = 0;
  while (done < size && !s.ended) {
    const std::size_t got = s.inflater ? s.ReadPacked(into + done, size - done) : s.ReadPlain(into + done, size - done);
    if (got == 0) s.ended = true;
    done += got;
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
