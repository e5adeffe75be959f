#include "instantgp/base/tensor_header.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace instantgp {

namespace {

using Json = nlohmann::json;

// Events of the JSON parser. The form has three levels, so nothing deeper is ever entered: nesting costs no stack.
class HeaderHandler : public nlohmann::json_sax<Json> {
 public:
  explicit HeaderHandler(TensorHeader& header) : header_(header) {}

  const std::string& problem() const { return problem_; }

  bool start_object(std::size_t) override {
    if (level_ == Level::kOutside) {
      level_ = Level::kRoot;
    } else if (level_ == Level::kRoot) {
      level_ = name_ == kMetadataName ? Level::kMetadata : Level::kTensor;
      tensor_keys_.clear();
    } else {
      return Fail("is nested too deeply");
    }
    return true;
  }

  bool end_object() override {
    if (level_ == Level::kTensor && tensor_keys_.size() != 3) {
      return Fail("does not give type, shape and offsets of tensor '" + name_ + "'");
    }
    level_ = level_ == Level::kRoot ? Level::kOutside : Level::kRoot;
    return true;
  }

  bool key(string_t& value) override {
    if (level_ == Level::kRoot) {
      name_ = value;
      if (name_ == kMetadataName ? !std::exchange(metadata_seen_, true) : header_.tensors.try_emplace(name_).second) {
        return true;
      }
      return Fail("names '" + name_ + "' twice");
    }
    key_ = value;
    if (level_ == Level::kMetadata) {
      return header_.metadata.try_emplace(key_).second || Fail("has the metadata entry '" + key_ + "' twice");
    }
    if (key_ != "dtype" && key_ != "shape" && key_ != "data_offsets") return Fail("has the unknown key '" + key_ + "'");
    return tensor_keys_.insert(key_).second || Fail("has the key '" + key_ + "' of '" + name_ + "' twice");
  }

  bool string(string_t& value) override {
    if (level_ == Level::kMetadata) {
      header_.metadata[key_] = value;
      return true;
    }
    if (level_ == Level::kTensor && key_ == "dtype") {
      header_.tensors[name_].dtype = value;
      return true;
    }
    return Misplaced();
  }

  bool start_array(std::size_t) override {
    if (level_ != Level::kTensor || key_ == "dtype") return Misplaced();
    level_ = Level::kArray;
    numbers_.clear();
    return true;
  }

  bool end_array() override {
    level_ = Level::kTensor;
    TensorEntry& entry = header_.tensors[name_];
    if (key_ == "shape") {
      entry.shape = numbers_;
      return true;
    }
    if (numbers_.size() != 2) return Fail("does not give two offsets for '" + name_ + "'");
    entry.begin = static_cast<std::uint64_t>(numbers_[0]);
    entry.end = static_cast<std::uint64_t>(numbers_[1]);
    return true;
  }

  bool number_unsigned(number_unsigned_t value) override {
    if (level_ != Level::kArray) return Misplaced();
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return Fail("has a number too large to be a size in '" + name_ + "'");
    }
    numbers_.push_back(static_cast<std::int64_t>(value));
    return true;
  }

  bool number_integer(number_integer_t) override { return Fail("has a negative number"); }
  bool number_float(number_float_t, const string_t&) override { return Fail("has a number that is not an integer"); }
  bool null() override { return Misplaced(); }
  bool boolean(bool) override { return Misplaced(); }
  bool binary(binary_t&) override { return Misplaced(); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    return Fail("is not valid JSON at its byte " + std::to_string(position));
  }

 private:
  enum class Level { kOutside, kRoot, kMetadata, kTensor, kArray };

  bool Fail(const std::string& problem) {
    if (problem_.empty()) problem_ = problem;
    return false;
  }
  bool Misplaced() { return Fail("has a value of the wrong kind at '" + name_ + "'"); }

  TensorHeader& header_;
  Level level_ = Level::kOutside;
  std::string name_;  // of the tensor, or __metadata__
  std::string key_;   // inside it
  bool metadata_seen_ = false;
  std::set<std::string> tensor_keys_;
  std::vector<std::int64_t> numbers_;
  std::string problem_;
};

}  // namespace

bool ParseTensorHeader(std::string_view text, TensorHeader& header, std::string& problem) {
  // As the format demands; also keeps a byte-order mark, which the JSON parser would skip, out.
  if (text.empty() || text.front() != '{') {
    problem = "does not begin with '{'";
    return false;
  }
  HeaderHandler handler(header);
  const bool valid = Json::sax_parse(text.begin(), text.end(), &handler);
  problem = valid ? "" : handler.problem();
  return valid;
}

}  // namespace instantgp
