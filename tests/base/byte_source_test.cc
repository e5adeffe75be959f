#include "instantgp/base/byte_source.h"

#include <gtest/gtest.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <csignal>
#include <cstdlib>
#include <string>

#include "instantgp/base/error.h"
#include "instantgp/base/file.h"

namespace instantgp {
namespace {

class ByteSourceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/byte_source_XXXXXX";
    const int fd = ::mkstemp(name);
    ASSERT_GE(fd, 0);
    ::close(fd);
    path_ = name;
  }
  void TearDown() override { ::unlink(path_.c_str()); }

  void WritePacked(const std::string& text, const char* mode = "wb") {
    const gzFile file = ::gzopen(path_.c_str(), mode);
    ASSERT_EQ(::gzwrite(file, text.data(), static_cast<unsigned>(text.size())), static_cast<int>(text.size()));
    ASSERT_EQ(::gzclose(file), Z_OK);
  }

  static ErrorCode CodeOf(const std::string& path, std::size_t most = kMostUnpackedBytes) {
    try {
      ReadText(path, most);
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(path), std::string::npos);
      return error.code();
    }
    ADD_FAILURE() << "no error";
    return ErrorCode::kFailure;
  }

  std::string path_;
};

std::string SomeText(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; text.size() < size; ++i) text += std::to_string(i * i % 1000003) + ",";
  return text;
}

TEST_F(ByteSourceTest, PlainAndPackedAreTheSame) {
  for (const std::size_t size : {0u, 1u, 100u, 70000u, 900000u}) {
    const std::string text = size == 0 ? "" : SomeText(size);
    WriteFileAtomically(path_, text);
    EXPECT_EQ(ReadText(path_), text);
    WritePacked(text);
    EXPECT_EQ(ReadText(path_), text);
  }
  WritePacked("one,");
  WritePacked("two", "ab");  // two members in one file
  EXPECT_EQ(ReadText(path_), "one,two");
}

TEST_F(ByteSourceTest, EveryTruncationAndManyAlterationsAreRefused) {
  const std::string text = SomeText(3000);
  WritePacked(text);
  const std::string packed = ReadFile(path_);
  for (std::size_t length = 2; length < packed.size(); length += 7) {
    WriteFileAtomically(path_, packed.substr(0, length));
    EXPECT_EQ(CodeOf(path_), ErrorCode::kBadInput) << length;
  }
  for (std::size_t k = 12; k < packed.size(); k += 11) {
    std::string altered = packed;
    altered[k] = static_cast<char>(altered[k] ^ (1 << (k % 8)));
    WriteFileAtomically(path_, altered);
    EXPECT_EQ(CodeOf(path_), ErrorCode::kBadInput) << k;
  }
}

// A pipe that gives a byte now and then, and a signal that interrupts every wait for the next one.
TEST_F(ByteSourceTest, SignalsAndShortReadsLoseNothing) {
  const std::string text = SomeText(300);
  WritePacked(text);
  for (const std::string& bytes : {text, ReadFile(path_)}) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t writer = ::fork();
    if (writer == 0) {
      for (const char& byte : bytes) {
        if (::write(ends[1], &byte, 1) != 1) ::_exit(1);
        ::usleep(200);
      }
      ::_exit(0);
    }
    ::close(ends[1]);
    struct sigaction interrupting = {}, before = {};
    interrupting.sa_handler = [](int) {};  // and no SA_RESTART
    ::sigaction(SIGALRM, &interrupting, &before);
    const itimerval often = {{0, 700}, {0, 700}}, never = {};
    ::setitimer(ITIMER_REAL, &often, nullptr);
    std::string read;
    EXPECT_NO_THROW(read = ReadText("/proc/self/fd/" + std::to_string(ends[0])));
    ::setitimer(ITIMER_REAL, &never, nullptr);
    ::sigaction(SIGALRM, &before, nullptr);
    EXPECT_EQ(read, text);
    ::close(ends[0]);
    int status = 0;
    ::waitpid(writer, &status, 0);
  }
}

TEST_F(ByteSourceTest, WhatFollowsTheLastMemberCountsAsNothing) {
  WritePacked("one");
  WriteFileAtomically(path_, ReadFile(path_) + "rubbish");
  EXPECT_EQ(ReadText(path_), "one");
}

TEST_F(ByteSourceTest, WhatCannotBeReadSaysWhy) {
  EXPECT_EQ(CodeOf("/nowhere/at/all.csv"), ErrorCode::kBadInput);
  EXPECT_EQ(CodeOf("/tmp"), ErrorCode::kBadInput);
  WritePacked(std::string(5 << 20, 'a'));  // a few kilobytes
  EXPECT_EQ(CodeOf(path_, 1 << 20), ErrorCode::kLimit);
}

}  // namespace
}  // namespace instantgp
