#include "instantgp/data/table_text.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "instantgp/base/byte_source.h"
#include "instantgp/base/error.h"

namespace instantgp {

struct TableText::File {
  File(int fd, std::uint64_t bytes, std::string name) : descriptor(fd), size(bytes), path(std::move(name)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { ::close(descriptor); }

  int descriptor;
  std::uint64_t size;
  std::string path;
};

TableText TableText::Of(std::string text) {
  TableText table;
  table.text_ = std::make_shared<const std::string>(std::move(text));
  return table;
}

TableText TableText::Open(const std::string& path) {
  struct stat status {};
  const bool regular = path != "-" && ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
  const int descriptor = regular ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC) : -1;
  if (descriptor < 0) return Of(ReadText(path));  // which says why not, where it cannot be read
  auto file = std::make_shared<const File>(descriptor, static_cast<std::uint64_t>(status.st_size), path);
  constexpr std::array<unsigned char, 2> kGzip = {0x1f, 0x8b};
  std::array<unsigned char, 2> first{};
  if (::pread(descriptor, first.data(), first.size(), 0) == 2 && first == kGzip) return Of(ReadText(path));
  TableText table;
  table.file_ = std::move(file);
  return table;
}

std::uint64_t TableText::size() const { return file_ ? file_->size : text_->size(); }

std::size_t TableText::ReadInto(char* into, std::uint64_t begin, std::uint64_t count) const {
  begin = std::min(begin, size());
  count = std::min(count, size() - begin);
  if (!file_) return text_->copy(into, count, begin);
  for (std::uint64_t done = 0; done < count;) {
    const ssize_t got = ::pread(file_->descriptor, into + done, count - done, static_cast<off_t>(begin + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(ErrorCode::kBadInput, "cannot read " + file_->path + ": " + std::strerror(errno));
    if (got == 0) {
      throw Error(ErrorCode::kBadInput,
                  file_->path + " became shorter while it was read; run again when it is complete");
    }
    done += static_cast<std::uint64_t>(got);
  }
  return count;
}

std::string TableText::Read(std::uint64_t begin, std::uint64_t count) const {
  begin = std::min(begin, size());
  std::string bytes(std::min(count, size() - begin), '\0');
  ReadInto(bytes.data(), begin, bytes.size());
  return bytes;
}

RecordReader::RecordReader(const TableText& text, char separator, std::uint64_t begin, std::size_t block)
    : separator_(separator),
      offset_(begin),
      begin_(begin),
      end_(begin),
      blocks_(
          [&text, at = begin](char* into, std::size_t size) mutable {
            const std::size_t got = text.ReadInto(into, at, size);
            at += got;
            return got;
          },
          block, separator),
      lexer_({}, separator) {}

bool RecordReader::Next(std::vector<CsvCell>& cells) {
  while (!lexer_.Next(cells)) {
    if (!lexer_.problem().empty() || !blocks_.Next()) return false;
    lexer_ = CsvLexer(blocks_.text(), separator_, blocks_.line());
  }
  begin_ = end_;
  end_ = offset_ + blocks_.begin() + lexer_.position();
  return true;
}

}  // namespace instantgp
