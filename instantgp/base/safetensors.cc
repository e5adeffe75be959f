#include "instantgp/base/safetensors.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "instantgp/base/check.h"
#include "instantgp/base/error.h"
#include "instantgp/base/tensor_header.h"

namespace instantgp {

static_assert(std::endian::native == std::endian::little, "tensors are stored as they lie in memory");

namespace {

constexpr std::size_t kPrefixBytes = 8;
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // as the format's own readers
constexpr std::string_view kChecksumName = "checksum";
constexpr std::string_view kChecksumKey = "\"checksum\":\"";
constexpr std::size_t kChecksumDigits = 16;

struct TypeInfo {
  TensorType type;
  std::string_view name;
  std::int64_t bytes;
};
constexpr std::array<TypeInfo, 4> kTypes = {{{TensorType::kF32, "F32", 4},
                                             {TensorType::kF64, "F64", 8},
                                             {TensorType::kI64, "I64", 8},
                                             {TensorType::kU8, "U8", 1}}};

const TypeInfo& InfoOf(TensorType type) {
  const auto* info = std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeInfo& t) { return t.type == type; });
  INSTANTGP_CHECK(info != kTypes.end());
  return *info;
}

// False on overflow or a negative dimension.
bool CountElements(const std::vector<std::int64_t>& shape, std::int64_t& elements) {
  elements = 1;
  bool fits = true;
  bool empty = false;
  for (const std::int64_t dimension : shape) {
    if (dimension < 0) return false;
    empty |= dimension == 0;
    fits = fits && !__builtin_mul_overflow(elements, dimension, &elements);
  }
  if (empty) elements = 0;
  return fits || empty;
}

template <typename T>
Tensor MakeTensorOf(TensorType type, const T* values, std::vector<std::int64_t> shape) {
  Tensor tensor{type, std::move(shape), {}};
  const std::size_t bytes = static_cast<std::size_t>(tensor.elements()) * sizeof(T);
  if (bytes > 0) tensor.bytes.assign(reinterpret_cast<const char*>(values), bytes);
  return tensor;
}

template <typename T>
TensorView ViewTensorOf(TensorType type, const T* values, std::vector<std::int64_t> shape) {
  std::int64_t elements = 0;
  INSTANTGP_CHECK(CountElements(shape, elements));
  const std::size_t bytes = static_cast<std::size_t>(elements) * sizeof(T);
  return {type, std::move(shape), {reinterpret_cast<const char*>(values), bytes}};
}

template <typename T>
std::vector<T> TensorAs(const TensorViews& file, const std::string& name, TensorType type) {
  const auto found = file.tensors.find(name);
  if (found == file.tensors.end()) {
    throw Error(ErrorCode::kBadInput, "the file holds no tensor '" + name + "'; it was not written by InstantGP");
  }
  const TensorView& tensor = found->second;
  if (tensor.type != type) {
    throw Error(ErrorCode::kBadInput, "tensor '" + name + "' holds " + std::string(InfoOf(tensor.type).name) +
                                          " where " + std::string(InfoOf(type).name) + " is expected");
  }
  std::int64_t elements = 0;
  INSTANTGP_CHECK(CountElements(tensor.shape, elements));
  std::vector<T> values(static_cast<std::size_t>(elements));
  INSTANTGP_CHECK(tensor.bytes.size() == values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

// The digits that stand for the content of a file given in pieces: its XXH3-64, with the digits at `position` of the
// first piece taken as zeros.
std::string Checksum(std::string_view first, std::size_t position, const std::vector<std::string_view>& others) {
  const std::string zeros(kChecksumDigits, '0');
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, first.data(), position);
  XXH3_64bits_update(&state, zeros.data(), zeros.size());
  const std::string_view rest = first.substr(position + kChecksumDigits);
  XXH3_64bits_update(&state, rest.data(), rest.size());
  for (const std::string_view piece : others) XXH3_64bits_update(&state, piece.data(), piece.size());
  const std::uint64_t hash = XXH3_64bits_digest(&state);
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4) digits += "0123456789abcdef"[(hash >> shift) & 15];
  return digits;
}

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& origin) : bytes_(bytes), origin_(origin) {}

  TensorViews Read() {
    const std::string_view header_text = HeaderText();
    TensorHeader header;
    std::string problem;
    if (!ParseTensorHeader(header_text, header, problem)) Fail("its header " + problem);
    VerifyChecksum(header_text, header);
    TensorViews file;
    file.metadata = std::move(header.metadata);
    file.checksum = std::move(file.metadata.extract(std::string(kChecksumName)).mapped());
    ReadTensors(header, bytes_.substr(kPrefixBytes + header_text.size()), file);
    return file;
  }

 private:
  [[noreturn]] void Fail(const std::string& what) const {
    throw Error(ErrorCode::kBadInput,
                "'" + origin_ + "' is not a valid weights or model file: " + what + "; create or copy the file again");
  }

  std::string_view HeaderText() const {
    if (bytes_.size() < kPrefixBytes) Fail("it ends within its first 8 bytes");
    std::uint64_t length = 0;
    std::memcpy(&length, bytes_.data(), kPrefixBytes);
    if (length > kMaxHeaderBytes) Fail("its header claims " + std::to_string(length) + " bytes (at most 100000000)");
    if (length > bytes_.size() - kPrefixBytes) Fail("it ends within its header");
    return bytes_.substr(kPrefixBytes, length);
  }

  void VerifyChecksum(std::string_view header_text, const TensorHeader& header) const {
    const auto stored = header.metadata.find(std::string(kChecksumName));
    if (stored == header.metadata.end()) Fail("it has no checksum");
    // In valid JSON this text cannot lie inside a string, whose quotes are escaped: it is the entry itself.
    const std::size_t key = header_text.find(kChecksumKey);
    const std::size_t position = kPrefixBytes + key + kChecksumKey.size();
    if (stored->second.size() != kChecksumDigits || key == std::string_view::npos ||
        bytes_.substr(position, kChecksumDigits) != stored->second) {
      Fail("its checksum is not 16 hexadecimal digits");
    }
    if (stored->second != Checksum(bytes_, position, {}))
      Fail("its checksum does not match, so the file is truncated or altered");
  }

  void ReadTensors(TensorHeader& header, std::string_view data, TensorViews& file) const {
    // In the order of their bytes, the tensors must tile the data exactly.
    std::vector<std::pair<const std::string, TensorEntry>*> order;
    for (auto& item : header.tensors) order.push_back(&item);
    std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
      return std::pair(a->second.begin, a->second.end) < std::pair(b->second.begin, b->second.end);
    });
    std::uint64_t reached = 0;
    for (auto* item : order) {
      const std::string& name = item->first;
      TensorEntry& entry = item->second;
      const auto* info =
          std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& t) { return t.name == entry.dtype; });
      if (info == kTypes.end()) Fail("tensor '" + name + "' has the unknown type '" + entry.dtype + "'");
      if (entry.begin != reached) Fail("tensor '" + name + "' overlaps its neighbour or leaves a hole");
      if (entry.end < entry.begin || entry.end > data.size()) Fail("tensor '" + name + "' lies outside the file");
      std::int64_t elements = 0;
      std::int64_t size = 0;
      if (!CountElements(entry.shape, elements) || __builtin_mul_overflow(elements, info->bytes, &size) ||
          static_cast<std::uint64_t>(size) != entry.end - entry.begin) {
        Fail("tensor '" + name + "' has a size that does not match its shape");
      }
      reached = entry.end;
      file.tensors[name] = {info->type, std::move(entry.shape), data.substr(entry.begin, size)};
    }
    if (reached != data.size()) Fail("bytes are left over after the last tensor");
  }

  std::string_view bytes_;
  const std::string& origin_;
};

}  // namespace

std::int64_t Tensor::elements() const {
  std::int64_t count = 0;
  INSTANTGP_CHECK(CountElements(shape, count));
  return count;
}

Tensor MakeTensor(const double* values, std::vector<std::int64_t> shape) {
  return MakeTensorOf(TensorType::kF64, values, std::move(shape));
}

Tensor MakeTensor(const float* values, std::vector<std::int64_t> shape) {
  return MakeTensorOf(TensorType::kF32, values, std::move(shape));
}

TensorView ViewTensor(const double* values, std::vector<std::int64_t> shape) {
  return ViewTensorOf(TensorType::kF64, values, std::move(shape));
}

TensorView ViewTensor(const float* values, std::vector<std::int64_t> shape) {
  return ViewTensorOf(TensorType::kF32, values, std::move(shape));
}

void WriteTensors(const TensorViews& file, const std::function<void(std::string_view)>& write) {
  // Wide types first keeps every tensor aligned to its type when the data is.
  std::vector<const std::pair<const std::string, TensorView>*> order;
  for (const auto& item : file.tensors) order.push_back(&item);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return InfoOf(a->second.type).bytes > InfoOf(b->second.type).bytes;
  });

  TensorHeader header;
  std::vector<std::string_view> pieces;
  std::size_t begin = 0;
  for (const auto* item : order) {
    const auto& [name, tensor] = *item;
    const TypeInfo& info = InfoOf(tensor.type);
    INSTANTGP_CHECK(name != kMetadataName);
    std::int64_t elements = 0;
    INSTANTGP_CHECK(CountElements(tensor.shape, elements));
    INSTANTGP_CHECK(static_cast<std::int64_t>(tensor.bytes.size()) == elements * info.bytes);
    const std::size_t end = begin + tensor.bytes.size();
    header.tensors[name] = {std::string(info.name), tensor.shape, begin, end};
    pieces.push_back(tensor.bytes);
    begin = end;
  }
  header.metadata = file.metadata;
  header.metadata[std::string(kChecksumName)] = std::string(kChecksumDigits, '0');

  std::string text(kPrefixBytes, '\0');
  AppendTensorHeader(header, text);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = text.size() - kPrefixBytes;
  INSTANTGP_CHECK(length <= kMaxHeaderBytes);
  std::memcpy(text.data(), &length, kPrefixBytes);
  const std::size_t position = text.find(kChecksumKey) + kChecksumKey.size();
  text.replace(position, kChecksumDigits, Checksum(text, position, pieces));
  write(text);
  for (const std::string_view piece : pieces) write(piece);
}

std::string SerializeTensors(const TensorViews& file) {
  std::string bytes;
  WriteTensors(file, [&](std::string_view piece) { bytes += piece; });
  return bytes;
}

std::string SerializeTensors(const TensorFile& file) {
  TensorViews views{file.metadata, {}, {}};
  for (const auto& [name, tensor] : file.tensors) views.tensors[name] = {tensor.type, tensor.shape, tensor.bytes};
  return SerializeTensors(views);
}

TensorViews ViewTensors(std::string_view bytes, const std::string& origin) { return Reader(bytes, origin).Read(); }

TensorFile ParseTensors(std::string_view bytes, const std::string& origin) {
  TensorViews views = ViewTensors(bytes, origin);
  TensorFile file{std::move(views.metadata), {}, std::move(views.checksum)};
  for (auto& [name, view] : views.tensors) {
    file.tensors[name] = {view.type, std::move(view.shape), std::string(view.bytes)};
  }
  return file;
}

std::vector<double> TensorAsDoubles(const TensorViews& file, const std::string& name) {
  return TensorAs<double>(file, name, TensorType::kF64);
}

std::vector<float> TensorAsFloats(const TensorViews& file, const std::string& name) {
  return TensorAs<float>(file, name, TensorType::kF32);
}

}  // namespace instantgp
