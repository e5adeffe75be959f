// The JSON header of a safetensors file, read strictly. Neither reading nor writing builds a JSON tree, whose library
// does not survive memory that runs out while it builds or destroys one.
//
//   {"__metadata__": {key: text, ...}, name: {"dtype": text, "shape": [n, ...], "data_offsets": [begin, end]}, ...}
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace instantgp {

inline constexpr std::string_view kMetadataName = "__metadata__";

struct TensorEntry {
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;  // of its bytes, from the first byte after the header
  std::uint64_t end = 0;
};

struct TensorHeader {
  std::map<std::string, std::string> metadata;
  std::map<std::string, TensorEntry> tensors;
};

// Anything but the form above (another key, a key twice, a missing key, a deeper nesting, a number that is not a whole
// one) is refused: returns false and says why in `problem`. Memory and time are linear in the text.
bool ParseTensorHeader(std::string_view text, TensorHeader& header, std::string& problem);

// Behind what `text` holds, names in order. Error(kBadInput) where a name or an entry is not UTF-8.
void AppendTensorHeader(const TensorHeader& header, std::string& text);

}  // namespace instantgp
