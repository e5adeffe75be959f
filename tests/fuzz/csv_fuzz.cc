// Tables: every reader of CSV must agree with the others on every text, or refuse it.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "instantgp/base/byte_source.h"
#include "instantgp/data/csv.h"
#include "instantgp/data/csv_blocks.h"
#include "instantgp/data/csv_lexer.h"
#include "instantgp/data/labelled_table.h"
#include "instantgp/data/raw_table.h"
#include "instantgp/data/text_check.h"
#include "tests/fuzz/door.h"

namespace instantgp::fuzz {
namespace {

bool SameNumbers(const Matrix& a, const Matrix& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  for (Index i = 0; i < a.size(); ++i) {
    const double x = a.data()[i], y = b.data()[i];
    if (!(x == y || (std::isnan(x) && std::isnan(y)))) return false;
  }
  return true;
}

// The table in blocks of a few bytes, each below the header, as tables larger than memory are read.
void CheckBlocks(std::string_view text, const Table& whole) {
  std::size_t at = 0;
  CsvBlocks blocks(
      [&](char* into, std::size_t size) {
        const std::size_t count = std::min(size, text.size() - at);
        std::memcpy(into, text.data() + at, count);
        at += count;
        return count;
      },
      /*bytes=*/24);
  std::optional<BlockHeader> header;
  Index rows = 0;
  const bool read = Accepts([&] {
    while (blocks.Next()) {
      const std::string block = header ? header->Above(blocks) : std::string(blocks.text());
      const Table part = ParseTable(block, "block");
      // A few bytes may show another separator than the whole does: "3,22;-50" is two numbers or two names.
      if (DetectSeparator(WithoutByteOrderMark(block)) != DetectSeparator(WithoutByteOrderMark(text))) return;
      if (!header) header.emplace(blocks.text(), part.has_header);
      if (part.values.rows() == 0) continue;
      if (part.values.cols() != whole.values.cols()) return;
      Require(rows + part.values.rows() <= whole.values.rows(), "blocks have more rows than the table");
      if (part.names == whole.names) {
        Require(SameNumbers(part.values, whole.values.middleRows(rows, part.values.rows())), "a block reads otherwise");
      }
      rows += part.values.rows();
    }
  });
  (void)read;  // a block alone may be refused where the whole is not: quotes decide about separators
}

void CheckWritten(const Table& table) {
  const Table again = ParseTable(FormatCsv(table.names, table.values), "written");
  Require(again.names == table.names, "names change on the way through a file");
  Require(SameNumbers(again.values, table.values), "numbers change on the way through a file");
}

// Compressed bytes come in by way of a file that has no name.
void CheckCompressed(std::string_view bytes) {
  const int file = ::memfd_create("fuzz", 0);
  if (file < 0) return;
  if (::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size())) {
    Accepts([&] { ReadText("/proc/self/fd/" + std::to_string(file), std::size_t{1} << 22); });
  }
  ::close(file);
}

void CheckLabelled(std::string_view bytes, MissingPolicy missing) {
  CsvOptions options;
  options.missing = missing;
  Accepts([&] {
    const LabelledTable labelled = LabelledTable::Of(ParseRawTable(bytes, "fuzz"), options);
    if (labelled.known.empty()) return;
    const Dataset data = labelled.Learn(labelled.known);
    Require(data.X.allFinite() && data.y.allFinite(), "a dataset with a value that is not finite");
    Require(data.rows() == static_cast<int>(labelled.known.size()), "a dataset of another number of rows");
  });
}

void CsvDoor(std::string_view bytes) {
  if (bytes.starts_with("\x1f\x8b")) return CheckCompressed(bytes);
  const int turn = TurnOf(bytes, 6);
  if (turn == 0) return CheckLabelled(bytes, MissingPolicy::kError);
  if (turn == 1) return CheckLabelled(bytes, MissingPolicy::kImpute);
  Table table;
  if (!Accepts([&] { table = ParseTable(bytes, "fuzz"); })) {
    if (turn == 2) Accepts([&] { ParseTable(bytes, "fuzz", MissingPolicy::kDrop, {{"x", "b"}, "b"}); });
    return;
  }
  Require(table.values.allFinite(), "a number of a table is not finite");
  Require(static_cast<Index>(table.line_of_row.size()) == table.values.rows(), "rows without a line");
  if (turn == 2) {
    const Table dropped = ParseTable(bytes, "fuzz", MissingPolicy::kDrop);
    Require(SameNumbers(table.values, dropped.values), "a table without gaps loses rows");
  } else if (turn == 3) {
    CheckBlocks(bytes, table);
  } else if (turn == 4) {
    if (table.values.rows() > 0) CheckWritten(table);
  } else {
    ParseRawTable(bytes, "fuzz");  // what is a table of numbers is a table
  }
}

}  // namespace

INSTANTGP_DOOR(csv, CsvDoor)

}  // namespace instantgp::fuzz
