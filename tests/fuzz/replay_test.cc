// Every file of the corpora through its door: inputs that failed once, and those that reach furthest.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "instantgp/base/file.h"
#include "instantgp/base/safetensors.h"
#include "instantgp/model/model.h"
#include "tests/fuzz/byte_feed.h"
#include "tests/fuzz/door.h"
#include "tests/fuzz/mend.h"

namespace instantgp::fuzz {
namespace {

constexpr char kCorpus[] = INSTANTGP_SOURCE_DIR "/tests/fuzz/corpus";

std::vector<std::string> FilesOf(const std::string& door) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(kCorpus) + "/" + door)) {
    files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class FuzzReplay : public ::testing::TestWithParam<std::string> {};

TEST_P(FuzzReplay, EveryFileOfTheCorpus) {
  const auto& doors = AllDoors();
  const auto found = std::find_if(doors.begin(), doors.end(), [](const NamedDoor& d) { return d.name == GetParam(); });
  ASSERT_NE(found, doors.end()) << "there is a corpus, but no door";
  const std::vector<std::string> files = FilesOf(GetParam());
  ASSERT_FALSE(files.empty());
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    // What failed once goes through every check, for the one it failed may be another one's turn today.
    const bool failed = file.find("/failed-") != std::string::npos;
    for (TurnShift() = 0; TurnShift() < (failed ? kMostTurns : 1); ++TurnShift()) {
      EXPECT_NO_THROW(found->door(ReadFile(file))) << "turn " << TurnShift();
    }
    TurnShift() = 0;
  }
}

std::vector<std::string> Corpora() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kCorpus)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Doors, FuzzReplay, ::testing::ValuesIn(Corpora()),
                         [](const auto& door) { return door.param; });

TEST(Fuzz, EveryDoorHasACorpus) {
  std::vector<std::string> doors;
  for (const NamedDoor& door : AllDoors()) doors.push_back(door.name);
  std::sort(doors.begin(), doors.end());
  EXPECT_EQ(doors, Corpora());
}

// Otherwise the fuzzers of files would only ever meet the checksum.
TEST(Fuzz, WhatIsMendedComesBehindTheChecksum) {
  std::string bytes;
  for (const std::string& file : FilesOf("model")) {
    if (file.find("seed-") != std::string::npos) bytes = ReadFile(file);
  }
  ASSERT_FALSE(bytes.empty());
  EXPECT_EQ(Mended(bytes), bytes) << "of an intact file nothing is to be mended";
  std::string altered = bytes;
  altered[altered.size() - 8] = static_cast<char>(altered[altered.size() - 8] ^ 1);  // the last number's last digits
  EXPECT_THROW(ParseModel(altered, "altered"), Error);
  EXPECT_NO_THROW(ParseModel(Mended(altered), "mended"));
  EXPECT_EQ(Mended("short"), "short");
}

// A door must be able to fail.
TEST(Fuzz, WhatIsNoErrorIsAFailure) {
  EXPECT_TRUE(Accepts([] {}));
  EXPECT_FALSE(Accepts([] { throw Error(ErrorCode::kBadInput, "bad"); }));
  EXPECT_THROW(Accepts([] { throw std::bad_alloc(); }), std::bad_alloc);
  EXPECT_THROW(Accepts([] { throw Error(ErrorCode::kBadInput, ""); }), std::logic_error);
  EXPECT_THROW(Require(false, "it fails"), std::logic_error);
}

TEST(Fuzz, BytesThatHaveRunOutChooseTheFirst) {
  ByteFeed feed(std::string_view("\x05\x01", 2));
  EXPECT_EQ(feed.Below(4), 1);
  EXPECT_TRUE(feed.Flag());
  EXPECT_EQ(feed.Below(200), 0);
  EXPECT_FALSE(feed.Rarely(7));
  EXPECT_EQ(feed.AnyDouble(), 0);
}

}  // namespace
}  // namespace instantgp::fuzz
