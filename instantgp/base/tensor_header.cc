#include "instantgp/base/tensor_header.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "instantgp/base/error.h"

namespace instantgp {

namespace {

using Json = nlohmann::json;

// Characters that stand for themselves in a string.
bool IsPlain(char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; }

// Written by hand, because files of weights have hundreds of tensors: this takes a fraction of the time of a parser for
// all of JSON. Strings that are more than ASCII with simple escapes are left to that one.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, TensorHeader& header) : text_(text), header_(header) {}

  bool Parse() {
    ++at_;  // the brace
    const bool good = Members(name_, [&] { return Entry(); });
    return good && ((Peek() == '\0' && at_ == text_.size()) || Invalid());
  }
  const std::string& problem() const { return problem_; }

 private:
  bool Fail(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }
  bool Invalid() { return Fail("is not valid JSON at its byte " + std::to_string(at_ + 1)); }
  // What begins here is not what belongs here.
  bool Misplaced() {
    const char c = Peek();
    if (c == '{') return Fail("is nested too deeply");
    if (c == '\0' || std::string_view("[\"-0123456789tfn").find(c) == std::string_view::npos) return Invalid();
    return Fail("has a value of the wrong kind at '" + name_ + "'");
  }

  // The next character that is not white space; 0 at the end.
  char Peek() {
    while (at_ < text_.size() && std::string_view(" \t\n\r").find(text_[at_]) != std::string_view::npos) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool Take(char c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }

  // Of an object whose brace is taken; `member` reads the value of `key`.
  template <typename Member>
  bool Members(std::string& key, const Member& member) {
    if (Take('}')) return true;
    do {
      if (Peek() != '"') return Invalid();
      if (!String(key)) return false;
      if (!Take(':')) return Invalid();
      if (!member()) return false;
    } while (Take(','));
    return Take('}') || Invalid();
  }

  bool Entry() {
    if (name_ == kMetadataName) {
      if (std::exchange(metadata_seen_, true)) return Fail("names '" + name_ + "' twice");
      return Take('{') ? Members(key_, [&] { return Metadatum(); }) : Misplaced();
    }
    const auto [at, fresh] = header_.tensors.try_emplace(name_);
    if (!fresh) return Fail("names '" + name_ + "' twice");
    if (!Take('{')) return Misplaced();
    TensorEntry& tensor = at->second;
    std::array<bool, 3> seen = {};
    if (!Members(key_, [&] { return Property(tensor, seen); })) return false;
    return (seen[0] && seen[1] && seen[2]) || Fail("does not give type, shape and offsets of tensor '" + name_ + "'");
  }

  bool Metadatum() {
    const auto [at, fresh] = header_.metadata.try_emplace(key_);
    if (!fresh) return Fail("has the metadata entry '" + key_ + "' twice");
    return Peek() == '"' ? String(at->second) : Misplaced();
  }

  bool Property(TensorEntry& tensor, std::array<bool, 3>& seen) {
    constexpr std::array<std::string_view, 3> keys = {"dtype", "shape", "data_offsets"};
    const auto which = static_cast<std::size_t>(std::find(keys.begin(), keys.end(), key_) - keys.begin());
    if (which == keys.size()) return Fail("has the unknown key '" + key_ + "'");
    if (std::exchange(seen[which], true)) return Fail("has the key '" + key_ + "' of '" + name_ + "' twice");
    if (which == 0) return Peek() == '"' ? String(tensor.dtype) : Misplaced();
    if (which == 1) return Numbers(tensor.shape);
    std::vector<std::int64_t> offsets;
    if (!Numbers(offsets)) return false;
    if (offsets.size() != 2) return Fail("does not give two offsets for '" + name_ + "'");
    tensor.begin = static_cast<std::uint64_t>(offsets[0]);
    tensor.end = static_cast<std::uint64_t>(offsets[1]);
    return true;
  }

  bool Numbers(std::vector<std::int64_t>& numbers) {
    if (!Take('[')) return Misplaced();
    if (Take(']')) return true;
    do {
      const char first = Peek();
      if (first == '-') return Fail("has a negative number");
      if (first < '0' || first > '9') return Misplaced();
      const char* const begin = text_.data() + at_;
      std::int64_t value = 0;
      const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
      if (error != std::errc()) return Fail("has a number too large to be a size in '" + name_ + "'");
      at_ += static_cast<std::size_t>(end - begin);
      if (first == '0' && end - begin > 1) return Invalid();
      if (at_ < text_.size() && std::string_view(".eE").find(text_[at_]) != std::string_view::npos) {
        return Fail("has a number that is not an integer");
      }
      numbers.push_back(value);
    } while (Take(','));
    return Take(']') || Invalid();
  }

  // At its quote.
  bool String(std::string& value) {
    const std::size_t begin = at_++;
    bool simple = true;
    value.clear();
    while (at_ < text_.size()) {
      const std::size_t run = at_;
      while (at_ < text_.size() && IsPlain(text_[at_])) ++at_;
      value.append(text_.substr(run, at_ - run));
      if (at_ == text_.size()) break;
      const char c = text_[at_++];
      if (c == '"') return simple || ReadByLibrary(text_.substr(begin, at_ - begin), value);
      if (c == '\\') {
        constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
        const std::size_t which = at_ < text_.size() ? letters.find(text_[at_++]) : std::string_view::npos;
        simple = simple && which != std::string_view::npos;
        if (simple) value += meanings[which];
      } else {
        simple = false;
      }
    }
    return Invalid();
  }

  bool ReadByLibrary(std::string_view text, std::string& value) {
    const Json parsed = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!parsed.is_string()) return Invalid();
    value = parsed.get_ref<const std::string&>();
    return true;
  }

  std::string_view text_;
  TensorHeader& header_;
  std::size_t at_ = 0;
  std::string name_;  // of the tensor, or __metadata__
  std::string key_;   // inside it
  bool metadata_seen_ = false;
  std::string problem_;
};

void AppendString(std::string_view value, std::string& text) {
  if (std::all_of(value.begin(), value.end(), IsPlain)) {
    text.append(1, '"').append(value).append(1, '"');
    return;
  }
  try {
    text += Json(value).dump();
  } catch (const Json::exception&) {
    throw Error(ErrorCode::kBadInput, "a tensor name or metadata entry is not UTF-8 text; rename it");
  }
}

void AppendMetadata(const std::map<std::string, std::string>& metadata, std::string& text) {
  AppendString(kMetadataName, text);
  char before = '{';
  text += ':';
  for (const auto& [key, value] : metadata) {
    text += std::exchange(before, ',');
    AppendString(key, text);
    text += ':';
    AppendString(value, text);
  }
  text += metadata.empty() ? "{}" : "}";
}

void AppendTensor(const std::string& name, const TensorEntry& tensor, std::string& text) {
  AppendString(name, text);
  text += ":{\"data_offsets\":[" + std::to_string(tensor.begin) + "," + std::to_string(tensor.end) + "],\"dtype\":";
  AppendString(tensor.dtype, text);
  text += ",\"shape\":[";
  for (std::size_t k = 0; k < tensor.shape.size(); ++k) text += (k == 0 ? "" : ",") + std::to_string(tensor.shape[k]);
  text += "]}";
}

}  // namespace

void AppendTensorHeader(const TensorHeader& header, std::string& text) {
  text += '{';
  const auto after_metadata = header.tensors.lower_bound(std::string(kMetadataName));
  for (auto at = header.tensors.begin(); at != after_metadata; ++at) {
    AppendTensor(at->first, at->second, text);
    text += ',';
  }
  AppendMetadata(header.metadata, text);
  for (auto at = after_metadata; at != header.tensors.end(); ++at) {
    text += ',';
    AppendTensor(at->first, at->second, text);
  }
  text += '}';
}

bool ParseTensorHeader(std::string_view text, TensorHeader& header, std::string& problem) {
  // As the format demands; also keeps a byte-order mark, which some writers put there, out.
  if (text.empty() || text.front() != '{') {
    problem = "does not begin with '{'";
    return false;
  }
  HeaderParser parser(text, header);
  const bool valid = parser.Parse();
  problem = parser.problem();
  return valid;
}

}  // namespace instantgp
