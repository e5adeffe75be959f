// libFuzzer's mutator for containers: metadata, shapes, names and numbers change one at a time, and the header is
// written anew, so that nearly every input comes to the reader behind the container.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "instantgp/base/error.h"
#include "instantgp/base/safetensors.h"
#include "instantgp/network/layout.h"
#include "tests/fuzz/json_mutation.h"
#include "tests/fuzz/mend.h"
#include "tests/fuzz/small_networks.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace instantgp::fuzz {
namespace {

template <typename T>
T OddNumber(Random& random) {
  constexpr T odd[] = {0,
                       -1,
                       1,
                       T(0.5),
                       T(1e-30),
                       T(1e30),
                       T(-1e9),
                       std::numeric_limits<T>::max(),
                       std::numeric_limits<T>::denorm_min(),
                       std::numeric_limits<T>::infinity(),
                       std::numeric_limits<T>::quiet_NaN(),
                       40,
                       -40};
  return odd[random() % std::size(odd)];
}

constexpr std::int64_t SizeOf(TensorType type) {
  return type == TensorType::kU8 ? 1 : type == TensorType::kF32 ? 4 : 8;
}

std::string Mutated(const std::string& container, Random& random, int depth);

void MutateMetadata(TensorFile& file, Random& random) {
  if (file.metadata.empty()) return;
  auto at = file.metadata.begin();
  std::advance(at, static_cast<std::ptrdiff_t>(random() % file.metadata.size()));
  nlohmann::json document = nlohmann::json::parse(at->second, nullptr, /*allow_exceptions=*/false);
  if (document.is_structured() && random() % 8 != 0) {
    MutateJson(document, random);
    at->second = JsonText(document);
  } else if (random() % 16 == 0) {
    file.metadata.erase(at);
  } else {
    at->second = JsonText(MutatedBytes(at->second, at->second.size() + 16, random));  // UTF-8, in quotes
    at->second = at->second.substr(1, at->second.size() - 2);
  }
}

template <typename T>
void SetOneOf(Tensor& tensor, Random& random) {
  const T value = OddNumber<T>(random);
  const std::size_t at = random() % (tensor.bytes.size() / sizeof(T));
  std::memcpy(tensor.bytes.data() + at * sizeof(T), &value, sizeof(T));
}

void MutateValues(Tensor& tensor, Random& random, int depth) {
  if (tensor.type == TensorType::kU8 && depth == 0) {  // a file within
    tensor.bytes = Mutated(tensor.bytes, random, 1);
    tensor.shape = {static_cast<std::int64_t>(tensor.bytes.size())};
    return;
  }
  if (tensor.bytes.empty()) return;
  const std::size_t what = random() % 3;
  if (what == 0 && tensor.type == TensorType::kF64) return SetOneOf<double>(tensor, random);
  if (what == 0 && tensor.type == TensorType::kF32) return SetOneOf<float>(tensor, random);
  const std::size_t size = tensor.bytes.size();
  tensor.bytes = MutatedBytes(tensor.bytes, size, random);
  tensor.bytes.resize(size);
}

void MutateShape(Tensor& tensor, Random& random) {
  if (random() % 6 == 0) {
    tensor.type = static_cast<TensorType>(random() % 4);
    tensor.bytes.resize(static_cast<std::size_t>(tensor.elements() * SizeOf(tensor.type)));
    return;
  }
  if (tensor.shape.empty() || random() % 6 == 0) tensor.shape.push_back(1);
  std::int64_t& side = tensor.shape[random() % tensor.shape.size()];
  const std::int64_t others[] = {side + 1, std::max<std::int64_t>(side - 1, 0), 0, 1, 2 * side};
  side = std::min<std::int64_t>(others[random() % std::size(others)], 4096);
  if (tensor.elements() > 4096) tensor.shape.assign(1, 4);
  tensor.bytes.resize(static_cast<std::size_t>(tensor.elements() * SizeOf(tensor.type)));
}

// The same files come again and again, and what was written last comes next more often than not: reading them each time
// took longer than the readers under test.
class KnownFiles {
 public:
  std::optional<TensorFile> Read(const std::string& container) {
    if (container == last_bytes_) return last_;
    if (files_.size() > 4000) files_.clear();
    const auto [at, fresh] = files_.try_emplace(container);
    if (fresh) {
      try {
        at->second = ParseTensors(Mended(container), "mutator");
      } catch (const Error&) {  // stays empty
      }
    }
    return at->second;
  }
  void Written(const std::string& bytes, TensorFile file) {
    last_bytes_ = bytes;
    last_ = std::move(file);
  }

 private:
  std::unordered_map<std::string, std::optional<TensorFile>> files_;
  std::string last_bytes_;
  std::optional<TensorFile> last_;
};

// Weights of other settings: settings and tensors that fit each other would hardly ever be found one by one.
std::string OtherNetwork(const TensorFile& file, Random& random) {
  constexpr std::size_t kMostWeights = 2000;
  nlohmann::json settings = nlohmann::json::parse(file.metadata.at("config"), nullptr, /*allow_exceptions=*/false);
  if (!settings.is_object()) return {};
  MutateJson(settings, random);
  try {
    const NetworkConfig config = ParseNetworkConfig(JsonText(settings), "mutator");
    if (MakeLayout(config).num_weights > kMostWeights) return {};
    return SerializeWeights(RandomNetwork(config, file.metadata.contains("steps")));
  } catch (const Error&) {
    return {};
  }
}

std::string Mutated(const std::string& container, Random& random, int depth) {
  static KnownFiles known;
  std::optional<TensorFile> parsed = known.Read(container);
  if (!parsed) return MutatedBytes(container, container.size() + 64, random);
  TensorFile& file = *parsed;
  if (file.metadata.contains("config") && random() % 8 == 0) {
    if (std::string other = OtherNetwork(file, random); !other.empty()) return other;
  }
  for (std::size_t k = 1 + random() % 3; k-- > 0;) {
    const std::size_t what = random() % 16;
    auto at = file.tensors.begin();
    if (!file.tensors.empty()) std::advance(at, static_cast<std::ptrdiff_t>(random() % file.tensors.size()));
    if (what < 8 || file.tensors.empty()) {
      MutateMetadata(file, random);
    } else if (what < 13) {
      MutateValues(at->second, random, depth);
    } else if (what == 13) {
      MutateShape(at->second, random);
    } else if (what == 14 && random() % 2 == 0) {
      file.tensors.erase(at);
    } else {
      const Tensor copy = at->second;
      auto other = file.tensors.begin();
      std::advance(other, static_cast<std::ptrdiff_t>(random() % file.tensors.size()));
      file.tensors[random() % 2 == 0 ? other->first : at->first + "x"] = copy;
    }
  }
  try {
    std::string bytes = SerializeTensors(file);
    if (depth == 0) known.Written(bytes, std::move(file));
    return bytes;
  } catch (const Error&) {  // a name that is not UTF-8
    return container;
  }
}

// A number of the data, or a digit of the metadata, changed where it stands: most inputs are made so, for nothing is
// parsed or written anew, and doors mend the checksum. False: the bytes are no container.
bool ChangedInPlace(char* bytes, std::size_t size, Random& random) {
  constexpr std::size_t kLengthBytes = 8;
  std::uint64_t length = 0;
  if (size < kLengthBytes) return false;
  std::memcpy(&length, bytes, kLengthBytes);
  if (length > size - kLengthBytes) return false;
  char* const header = bytes + kLengthBytes;
  char* const data = header + length;
  const std::size_t words = (size - kLengthBytes - length) / 8;
  if (words > 0 && random() % 3 != 0) {
    char* const word = data + 8 * (random() % words);
    const std::size_t what = random() % 4;
    if (what == 0) {
      const double value = OddNumber<double>(random);
      std::memcpy(word, &value, sizeof value);
    } else if (what == 1) {
      const float value = OddNumber<float>(random);
      std::memcpy(word + 4 * (random() % 2), &value, sizeof value);
    } else if (what == 2) {
      std::memmove(word, data + 8 * (random() % words), 8);
    } else {
      char& byte = word[random() % 8];
      byte = static_cast<char>(byte ^ (1 << random() % 8));
    }
    return true;
  }
  const std::string_view text(header, length);
  const std::size_t begin = std::min(text.find("\"__metadata__\""), text.size());
  for (int trial = 0; trial < 40 && begin < length; ++trial) {
    char& c = header[begin + random() % (length - begin)];
    if (c < '0' || c > '9') continue;
    c = static_cast<char>('0' + random() % 10);
    return true;
  }
  return false;
}

}  // namespace
}  // namespace instantgp::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  instantgp::fuzz::Random random(seed);
  random.discard(3);
  if (random() % 8 == 0) return LLVMFuzzerMutate(data, size, max_size);
  if (random() % 2 == 0 && instantgp::fuzz::ChangedInPlace(reinterpret_cast<char*>(data), size, random)) return size;
  const std::string mutated =
      instantgp::fuzz::Mutated(std::string(reinterpret_cast<const char*>(data), size), random, 0);
  if (mutated.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, mutated.data(), mutated.size());
  return mutated.size();
}
