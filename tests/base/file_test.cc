#include "instantgp/base/file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "instantgp/base/error.h"

namespace instantgp {
namespace {

namespace fs = std::filesystem;

class FileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "instantgp_file_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  int FilesInFolder() const {
    return static_cast<int>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

template <typename F>
Error ErrorOf(F f) {
  try {
    f();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return Error(ErrorCode::kFailure, "");
}

TEST_F(FileTest, GivesBackWhatWasWritten) {
  std::string bytes;
  for (int i = 0; i < 300000; ++i) bytes += static_cast<char>(i * 7);
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{65536}, bytes.size()}) {
    WriteFileAtomically(Path("a"), std::string_view(bytes).substr(0, size));
    EXPECT_EQ(ReadFile(Path("a")), bytes.substr(0, size));
    EXPECT_EQ(FilesInFolder(), 1);
  }
}

TEST_F(FileTest, NamesPathAndReasonWhenItCannotRead) {
  for (const std::string& path : {Path("missing"), folder_.string()}) {
    const Error error = ErrorOf([&] { ReadFile(path); });
    EXPECT_EQ(error.code(), ErrorCode::kBadInput);
    EXPECT_NE(std::string(error.what()).find(path), std::string::npos);
  }
  const std::string reason = ErrorOf([&] { ReadFile(Path("missing")); }).what();
  EXPECT_NE(reason.find("No such file"), std::string::npos);
}

TEST_F(FileTest, NamesPathAndReasonWhenItCannotWrite) {
  for (const std::string& path : {Path("no_folder/a"), folder_.string()}) {
    const Error error = ErrorOf([&] { WriteFileAtomically(path, "x"); });
    EXPECT_EQ(error.code(), ErrorCode::kFailure);
    EXPECT_NE(std::string(error.what()).find(path), std::string::npos);
  }
  EXPECT_EQ(FilesInFolder(), 0);
}

TEST_F(FileTest, AFailedWriteLeavesTheOldFileAndNoTemporary) {
  WriteFileAtomically(Path("a"), "old");
  // A limit on the size of files makes the write fail half way, as a full disk does.
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{100000, before.rlim_max};
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  const Error error = ErrorOf([&] { WriteFileAtomically(Path("a"), std::string(1000000, 'x')); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(error.code(), ErrorCode::kFailure);
  EXPECT_EQ(ReadFile(Path("a")), "old");
  EXPECT_EQ(FilesInFolder(), 1);
}

TEST_F(FileTest, ReadersSeeTheOldOrTheNewFileNeverAPart) {
  const std::string first(200000, 'a');
  const std::string second(300000, 'b');
  WriteFileAtomically(Path("a"), first);
  std::jthread writer([&] {
    for (int i = 0; i < 50; ++i) WriteFileAtomically(Path("a"), i % 2 ? first : second);
  });
  for (int i = 0; i < 200; ++i) {
    const std::string seen = ReadFile(Path("a"));
    ASSERT_TRUE(seen == first || seen == second);
  }
}

TEST_F(FileTest, KeepsTheRightsAndTheLink) {
  WriteFileAtomically(Path("a"), "1");
  fs::permissions(Path("a"), fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink(Path("a"), Path("link"));
  WriteFileAtomically(Path("link"), "2");
  EXPECT_TRUE(fs::is_symlink(Path("link")));
  EXPECT_EQ(ReadFile(Path("a")), "2");
  EXPECT_EQ(fs::status(Path("a")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(FileTest, NewFilesFollowTheUmask) {
  const mode_t before = umask(0027);
  WriteFileAtomically(Path("a"), "1");
  umask(before);
  EXPECT_EQ(static_cast<unsigned>(fs::status(Path("a")).permissions()), 0640u);
}

TEST_F(FileTest, WritesToWhatIsNotAFile) {
  WriteFileAtomically("/dev/null", "gone");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  std::string seen;
  std::jthread reader([&] { seen = ReadFile(Path("pipe")); });
  WriteFileAtomically(Path("pipe"), "through");
  reader.join();
  EXPECT_EQ(seen, "through");
}

TEST_F(FileTest, DashIsStandardInput) {
  std::ofstream(Path("in")) << "from stdin";
  const int saved = dup(STDIN_FILENO);
  ASSERT_NE(freopen(Path("in").c_str(), "r", stdin), nullptr);
  EXPECT_EQ(ReadFile("-"), "from stdin");
  dup2(saved, STDIN_FILENO);
  close(saved);
}

}  // namespace
}  // namespace instantgp
