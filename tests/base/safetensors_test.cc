#include "instantgp/base/safetensors.h"

#define XXH_INLINE_ALL
#include <gtest/gtest.h>
#include <xxhash.h>

#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "instantgp/base/error.h"
#include "instantgp/base/rng.h"
#include "instantgp/base/tensor_header.h"

namespace instantgp {
namespace {

constexpr double kDoubles[] = {1.5, -0.0, 1e300, 5e-324, std::numeric_limits<double>::quiet_NaN(), 3};
constexpr float kFloats[] = {0.5f, -2};

TensorFile SmallFile() {
  TensorFile file;
  file.metadata = {{"kind", "test"}, {"text", "quote \" and \"checksum\":\" and é"}};
  file.tensors["a"] = MakeTensor(kDoubles, {2, 3});
  file.tensors["w.1"] = MakeTensor(kFloats, {2});
  file.tensors["scalar"] = MakeTensor(kDoubles, {});
  file.tensors["empty"] = MakeTensor(kFloats, {0, 7});
  file.tensors["bytes"] = {TensorType::kU8, {3}, "abc"};
  file.tensors["whole"] = {TensorType::kI64, {1}, std::string(8, '\1')};
  return file;
}

// A file with any header text and data, and a right checksum wherever the text has a place for it.
std::string Assemble(std::string header, const std::string& data) {
  const std::uint64_t length = header.size();
  std::string bytes(reinterpret_cast<const char*>(&length), 8);
  bytes += header + data;
  const std::string key = "\"checksum\":\"";
  const std::size_t at = bytes.find(key);
  if (at != std::string::npos && at + key.size() + 16 <= bytes.size()) {
    char digits[17];
    std::snprintf(digits, sizeof(digits), "%016llx",
                  static_cast<unsigned long long>(XXH3_64bits(bytes.data(), bytes.size())));
    bytes.replace(at + key.size(), 16, digits, 16);
  }
  return bytes;
}
const std::string kMeta = R"("__metadata__":{"checksum":"0000000000000000"})";

std::string Refusal(const std::string& bytes) {
  try {
    ParseTensors(bytes, "f.bin");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadInput);
    EXPECT_NE(std::string(error.what()).find("f.bin"), std::string::npos);
    return error.what();
  }
  return "";
}

void ExpectSame(const TensorFile& a, const TensorFile& b) {
  EXPECT_EQ(a.metadata, b.metadata);
  ASSERT_EQ(a.tensors.size(), b.tensors.size());
  for (const auto& [name, tensor] : a.tensors) {
    ASSERT_TRUE(b.tensors.contains(name)) << name;
    EXPECT_EQ(tensor.type, b.tensors.at(name).type);
    EXPECT_EQ(tensor.shape, b.tensors.at(name).shape);
    EXPECT_EQ(tensor.bytes, b.tensors.at(name).bytes);
  }
}

TEST(Safetensors, RoundTripsBitForBit) {
  const TensorFile file = SmallFile();
  const std::string bytes = SerializeTensors(file);
  EXPECT_EQ(bytes, SerializeTensors(file));
  const TensorFile back = ParseTensors(bytes, "f.bin");
  ExpectSame(file, back);
  const TensorViews views = ViewTensors(bytes, "f.bin");
  const std::vector<double> values = TensorAsDoubles(views, "a");
  ASSERT_EQ(values.size(), 6u);
  EXPECT_EQ(std::memcmp(values.data(), kDoubles, sizeof(kDoubles)), 0);
  EXPECT_EQ(TensorAsFloats(views, "w.1"), (std::vector<float>{0.5f, -2}));
  EXPECT_TRUE(TensorAsFloats(views, "empty").empty());
  EXPECT_EQ(back.tensors.at("scalar").elements(), 1);
}

// Names before and behind "__metadata__", and what must be escaped in one.
TEST(Safetensors, TheHeaderIsCompactJsonInOrder) {
  TensorFile file = SmallFile();
  file.tensors["A"] = file.tensors["_"] = file.tensors["__metadata__x"] = MakeTensor(kFloats, {1, 2});
  file.tensors["\"\\\n\x7f\x1f é"] = MakeTensor(kDoubles, {1});
  file.metadata["\t"] = "";
  for (const TensorFile& written : {file, TensorFile{}}) {
    const std::string bytes = SerializeTensors(written);
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), 8);
    std::string header = nlohmann::json::parse(bytes.substr(8, length)).dump();
    header.resize(length, ' ');
    EXPECT_EQ(bytes.substr(8, length), header);
  }
}

TEST(Safetensors, RoundTripsRandomContents) {
  for (int seed = 0; seed < 200; ++seed) {
    RandomStream random(seed);
    TensorFile file;
    const int count = random.UniformInt(0, 5);
    for (int t = 0; t < count; ++t) {
      std::vector<std::int64_t> shape;
      for (int i = random.UniformInt(0, 3); i > 0; --i) shape.push_back(random.UniformInt(0, 4));
      std::vector<double> values(64);
      for (double& value : values) value = random.Normal();
      const std::vector<float> floats(values.begin(), values.end());
      file.tensors["t" + std::to_string(random.UniformInt(0, 9))] =
          random.Bernoulli(0.5) ? MakeTensor(values.data(), shape) : MakeTensor(floats.data(), shape);
      file.metadata["m" + std::to_string(t)] = std::string(static_cast<std::size_t>(random.UniformInt(0, 9)), '"');
    }
    ExpectSame(file, ParseTensors(SerializeTensors(file), "f.bin"));
  }
}

TEST(Safetensors, IsReadableAsPlainSafetensors) {
  // An independent reading of the layout: length, JSON, aligned contiguous data.
  const std::string bytes = SerializeTensors(SmallFile());
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  EXPECT_EQ(length % 8, 0u);
  const auto header = nlohmann::json::parse(bytes.substr(8, length));
  EXPECT_EQ(header["a"]["dtype"], "F64");
  EXPECT_EQ(header["a"]["shape"], (nlohmann::json{2, 3}));
  const std::size_t begin = header["a"]["data_offsets"][0];
  EXPECT_EQ(begin % 8, 0u);
  EXPECT_EQ(std::memcmp(bytes.data() + 8 + length + begin, kDoubles, sizeof(kDoubles)), 0);
}

TEST(Safetensors, RefusesEveryTruncationAndAnyExtraByte) {
  const std::string bytes = SerializeTensors(SmallFile());
  for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_NE(Refusal(bytes.substr(0, size)), "") << size;
  EXPECT_NE(Refusal(bytes + '\0'), "");
}

TEST(Safetensors, RefusesEverySingleFlippedBit) {
  const std::string bytes = SerializeTensors(SmallFile());
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string altered = bytes;
      altered[at] = static_cast<char>(altered[at] ^ (1 << bit));
      EXPECT_NE(Refusal(altered), "") << "byte " << at << " bit " << bit;
    }
  }
}

TEST(Safetensors, SurvivesRandomMutations) {
  const std::string bytes = SerializeTensors(SmallFile());
  for (int seed = 0; seed < 5000; ++seed) {
    RandomStream random(seed);
    std::string altered = bytes;
    for (int edits = random.UniformInt(1, 6); edits > 0; --edits) {
      const int at = random.UniformInt(0, static_cast<int>(altered.size()) - 1);
      if (random.Bernoulli(0.5)) {
        altered[static_cast<std::size_t>(at)] = static_cast<char>(random.Bits());
      } else if (random.Bernoulli(0.5)) {
        altered.erase(static_cast<std::size_t>(at), 1);
      } else {
        altered.insert(static_cast<std::size_t>(at), 1, "{}[]\",:0"[random.UniformInt(0, 7)]);
      }
    }
    if (altered == bytes) continue;
    EXPECT_NE(Refusal(altered), "") << seed;
  }
}

TEST(Safetensors, AcceptsWhatTheRefusalsBelowStartFrom) {
  EXPECT_EQ(Refusal(Assemble("{" + kMeta + "}", "")), "");
  EXPECT_EQ(Refusal(Assemble("{" + kMeta + R"(,"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", "xy")), "");
}

struct BadHeader {
  const char* entries;  // after the metadata
  const char* data;
  const char* reason;
};

TEST(Safetensors, RefusesEachBrokenLayoutWithItsReason) {
  const BadHeader cases[] = {
      {R"(,"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]})",
       "xyz", "overlaps"},
      {R"(,"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"U8","shape":[1],"data_offsets":[2,3]})",
       "xyz", "hole"},
      {R"(,"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]})", "xy", "hole"},
      {R"(,"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]})", "xy", "left over"},
      {"", "x", "left over"},
      {R"(,"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]})", "xy", "outside"},
      {R"(,"a":{"dtype":"U8","shape":[1],"data_offsets":[2,0]})", "xy", "hole"},
      {R"(,"a":{"dtype":"U8","shape":[3],"data_offsets":[0,2]})", "xy", "does not match its shape"},
      {R"(,"a":{"dtype":"F64","shape":[1],"data_offsets":[0,2]})", "xy", "does not match its shape"},
      {R"(,"a":{"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0]})", "", "does not match its shape"},
      {R"(,"a":{"dtype":"F64","shape":[2305843009213693952],"data_offsets":[0,0]})", "", "does not match its shape"},
      {R"(,"a":{"dtype":"F16","shape":[1],"data_offsets":[0,2]})", "xy", "unknown type 'F16'"},
      {R"(,"a":{"dtype":"U8","shape":[-2],"data_offsets":[0,2]})", "xy", "negative"},
      {R"(,"a":{"dtype":"U8","shape":[2.0],"data_offsets":[0,2]})", "xy", "not an integer"},
      {R"(,"a":{"dtype":"U8","shape":[9223372036854775808],"data_offsets":[0,2]})", "xy", "too large"},
      {R"(,"a":{"dtype":"U8","shape":[2],"data_offsets":[0,1,2]})", "xy", "two offsets"},
      {R"(,"a":{"dtype":"U8","shape":[2]})", "xy", "does not give"},
      {R"(,"a":{"dtype":"U8","shape":2,"data_offsets":[0,2]})", "xy", "wrong kind"},
      {R"(,"a":{"dtype":7,"shape":[2],"data_offsets":[0,2]})", "xy", "wrong kind"},
      {R"(,"a":{"dtype":"U8","shape":[[2]],"data_offsets":[0,2]})", "xy", "wrong kind"},
      {R"(,"a":{"dtype":"U8","shape":[{}],"data_offsets":[0,2]})", "xy", "too deep"},
      {R"(,"a":{"dtype":"U8","dtype":"U8","shape":[2],"data_offsets":[0,2]})", "xy", "twice"},
      {R"(,"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2],"more":"x"})", "xy", "unknown key 'more'"},
      {R"(,"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]})",
       "xy", "'a' twice"},
      {R"(,"__metadata__":{})", "", "twice"},
      {R"(,"a":null)", "", "wrong kind"},
      {R"(,"a":true)", "", "wrong kind"},
      {R"(,"a":"text")", "", "wrong kind"},
  };
  for (const BadHeader& bad : cases) {
    const std::string message = Refusal(Assemble("{" + kMeta + bad.entries + "}", bad.data));
    EXPECT_NE(message.find(bad.reason), std::string::npos) << bad.entries << "\n" << message;
  }
}

TEST(Safetensors, RefusesBadMetadataAndChecksums) {
  const std::pair<const char*, const char*> cases[] = {
      {"{}", "no checksum"},
      {R"({"__metadata__":{"kind":"x"}})", "no checksum"},
      {R"({"__metadata__":{"checksum":"1234"}})", "not 16"},
      {R"({"__metadata__":{"checksum": "0000000000000000"}})", "not 16"},
      {R"({"__metadata__":{"checksum":"0000000000000000","checksum":"0000000000000000"}})", "twice"},
      {R"({"__metadata__":{"checksum":"0000000000000000","deep":{}}})", "too deep"},
      {R"({"__metadata__":{"checksum":"0000000000000000","number":1}})", "wrong kind"},
      {R"({"__metadata__":{"checksum":"0000000000000000"}} x)", "not valid JSON"},
      {R"( {"__metadata__":{"checksum":"0000000000000000"}})", "does not begin"},
      {R"({"__metadata__":{"checksum":"0000000000000000")", "not valid JSON"},
      {"{\"__metadata__\":{\"checksum\":\"0000000000000000\",\"x\":\"\xff\"}}", "not valid JSON"},
      {"[]", "does not begin"},
      {"", "does not begin"},
  };
  for (const auto& [header, reason] : cases) {
    const std::string message = Refusal(Assemble(header, ""));
    EXPECT_NE(message.find(reason), std::string::npos) << header << "\n" << message;
  }
}

TEST(Safetensors, DeepNestingCostsNoStack) {
  for (const std::string opening : {"{\"a\":", "["}) {
    std::string header = "{\"a\":";
    for (int i = 0; i < 2000000; ++i) header += opening;
    EXPECT_NE(Refusal(Assemble(header, "")), "");
  }
}

// Headers as the JSON library reads them: what it refuses is refused, and what is accepted holds what it finds.
TEST(Safetensors, HeadersAreReadAsTheJsonLibraryReadsThem) {
  const std::string entry =
      R"( "a\u00e9\ud83d\ude00\n" : { "dtype" : "U8", "shape" : [ 2 , 1 ], "data_offsets" : [0,2] } )";
  const std::string header =
      "{" + kMeta + " ,\t" + entry + R"(,"é\\\"\/":{"shape":[],"data_offsets":[2,3],"dtype":"U8"}})";
  const std::string pieces[] = {"\\",
                                "\"",
                                "\\u12",
                                "\\ud800",
                                "{",
                                "}",
                                "[",
                                "]",
                                ",",
                                ":",
                                "0",
                                "01",
                                "-1",
                                "1e0",
                                "\x80",
                                "é",
                                " ",
                                "\x01",
                                "null",
                                "\\x",
                                std::string(1, '\0'),
                                "99999999999999999999"};
  int accepted = 0;
  for (int seed = 0; seed < 20000; ++seed) {
    RandomStream random(seed);
    std::string altered = header;
    for (int edits = seed == 0 ? 0 : random.UniformInt(1, 3); edits > 0; --edits) {
      const auto at = static_cast<std::size_t>(random.UniformInt(1, static_cast<int>(altered.size()) - 1));
      const auto which = static_cast<std::size_t>(random.UniformInt(0, static_cast<int>(std::size(pieces)) - 1));
      altered.replace(at, static_cast<std::size_t>(random.UniformInt(0, 2)), pieces[which]);
    }
    TensorHeader read;
    std::string problem;
    if (!ParseTensorHeader(altered, read, problem)) {
      EXPECT_NE(problem, "");
      continue;
    }
    ++accepted;
    const auto json = nlohmann::json::parse(altered, nullptr, false);
    ASSERT_TRUE(json.is_object()) << altered;
    const std::size_t metadata = json.count("__metadata__");
    EXPECT_EQ(read.tensors.size(), json.size() - metadata) << altered;
    for (const auto& [name, tensor] : read.tensors) {
      ASSERT_TRUE(json.contains(name)) << altered;
      EXPECT_EQ(json[name]["dtype"], tensor.dtype);
      EXPECT_EQ(json[name]["shape"], tensor.shape);
      EXPECT_EQ(json[name]["data_offsets"], (std::vector<std::uint64_t>{tensor.begin, tensor.end}));
    }
    if (metadata > 0) {
      EXPECT_EQ(json["__metadata__"], read.metadata) << altered;
    }
  }
  EXPECT_GT(accepted, 500);
}

TEST(Safetensors, RefusesAnOversizeHeader) {
  for (const std::uint64_t length : {std::uint64_t{100'000'001}, ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
    std::string bytes(reinterpret_cast<const char*>(&length), 8);
    bytes += "{}";
    EXPECT_NE(Refusal(bytes).find("at most 100000000"), std::string::npos);
  }
}

TEST(Safetensors, RefusesWrongTypesAndNames) {
  const std::string bytes = SerializeTensors(SmallFile());
  const TensorViews file = ViewTensors(bytes, "f.bin");
  EXPECT_THROW(TensorAsDoubles(file, "missing"), Error);
  EXPECT_THROW(TensorAsDoubles(file, "w.1"), Error);
  EXPECT_THROW(TensorAsFloats(file, "a"), Error);
}

TEST(Safetensors, WritingChecksWhatItIsGiven) {
  TensorFile wrong_size;
  wrong_size.tensors["a"] = {TensorType::kF64, {2}, "short"};
  EXPECT_THROW(SerializeTensors(wrong_size), std::logic_error);
  TensorFile reserved;
  reserved.tensors["__metadata__"] = MakeTensor(kFloats, {2});
  EXPECT_THROW(SerializeTensors(reserved), std::logic_error);
  TensorFile not_text;
  not_text.metadata["a"] = "\xff\xfe";
  EXPECT_THROW(SerializeTensors(not_text), Error);
}

}  // namespace
}  // namespace instantgp
