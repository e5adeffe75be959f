#include "instantgp/base/mapped_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "instantgp/base/error.h"
#include "instantgp/base/file.h"

namespace instantgp {
namespace {

TEST(MappedFile, HoldsTheBytesAlsoWhenTheFileIsReplaced) {
  char name[] = "/tmp/mapped_file_XXXXXX";
  const int fd = ::mkstemp(name);
  ASSERT_GE(fd, 0);
  ::close(fd);
  EXPECT_EQ(MappedFile(name).bytes(), "");
  const std::string bytes(100000, 'x');
  WriteFileAtomically(name, bytes);
  const MappedFile file(name);
  EXPECT_EQ(file.bytes(), bytes);
  WriteFileAtomically(name, "other");
  EXPECT_EQ(file.bytes(), bytes);
  EXPECT_EQ(MappedFile(name).bytes(), "other");
  ::unlink(name);
  EXPECT_THROW(MappedFile{name}, Error);
  EXPECT_THROW(MappedFile{"/tmp"}, Error);
}

}  // namespace
}  // namespace instantgp
