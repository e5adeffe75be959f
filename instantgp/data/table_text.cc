#include "instantgp/data/table_text.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "instantgp/base/error.h"
#include "instantgp/base/file.h"

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
  if (path == "-" || ::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return Of(ReadFile(path));
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return Of(ReadFile(path));  // which says why not
  TableText table;
  table.file_ = std::make_shared<const File>(descriptor, static_cast<std::uint64_t>(status.st_size), path);
  return table;
}

std::uint64_t TableText::size() const { return file_ ? file_->size : text_->size(); }

std::string TableText::Read(std::uint64_t begin, std::uint64_t count) const {
  begin = std::min(begin, size());
  count = std::min(count, size() - begin);
  if (!file_) return text_->substr(begin, count);
  std::string bytes(count, '\0');
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t got =
        ::pread(file_->descriptor, bytes.data() + done, bytes.size() - done, static_cast<off_t>(begin + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(ErrorCode::kBadInput, "cannot read " + file_->path + ": " + std::strerror(errno));
    if (got == 0) {
      throw Error(ErrorCode::kBadInput,
                  file_->path + " became shorter while it was read; run again when it is complete");
    }
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

RecordReader::RecordReader(const TableText& text, char separator, std::uint64_t begin, std::size_t block)
    : text_(text),
      separator_(separator),
      block_size_(std::max<std::size_t>(block, 1)),
      block_(std::make_unique<std::string>()),
      block_begin_(begin),
      begin_(begin),
      end_(begin),
      lexer_(*block_, separator) {
  Fill();
}

// From the end of the last record on.
void RecordReader::Fill() {
  *block_ = text_.Read(end_, block_size_);
  block_begin_ = end_;
  lexer_ = CsvLexer(*block_, separator_, end_line_);
}

bool RecordReader::Next(std::vector<CsvCell>& cells) {
  for (;;) {
    const bool found = lexer_.Next(cells);
    // What reaches the end of a block may go on behind it: a quoted cell, a comment, a line feed after its return.
    if (AtEnd() || (found && lexer_.position() < block_->size())) {
      if (!found) return false;
      begin_ = end_;
      end_ = block_begin_ + lexer_.position();
      end_line_ = lexer_.next_line();
      return true;
    }
    if (!found && !lexer_.problem().empty() && lexer_.position() < block_->size()) return false;
    if (block_begin_ == end_) block_size_ *= 2;  // not one record fits
    Fill();
  }
}

}  // namespace instantgp
