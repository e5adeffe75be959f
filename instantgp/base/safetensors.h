// The safetensors container: 8 bytes little-endian header length, a JSON header, raw little-endian tensors.
//
// Weights and fitted models are such files. The reader trusts nothing: a header over 100 MB, names twice, overlaps,
// holes, sizes that do not match the shape, bytes left over, JSON nested too deep, and a checksum that is missing or
// does not match are each an Error(kBadInput). The checksum is the metadata entry "checksum": 16 lower-case hexadecimal
// digits of the XXH3-64 of the whole file in which those digits are written as zeros, so no bit of a file can change
// unnoticed. Other programs read these files as plain safetensors.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace instantgp {

enum class TensorType { kF32, kF64, kI64, kU8 };

struct Tensor {
  TensorType type = TensorType::kF32;
  std::vector<std::int64_t> shape;
  std::string bytes;  // raw little-endian, row-major

  std::int64_t elements() const;
};

struct TensorFile {
  std::map<std::string, std::string> metadata;  // "checksum" is added on writing and removed on reading
  std::map<std::string, Tensor> tensors;
  std::string checksum;  // as read, sixteen hexadecimal digits; not looked at on writing
};

// The same without copies of the bytes, which must outlive it.
struct TensorView {
  TensorType type = TensorType::kF32;
  std::vector<std::int64_t> shape;
  std::string_view bytes;  // wherever they are: not aligned
};

struct TensorViews {
  std::map<std::string, std::string> metadata;
  std::map<std::string, TensorView> tensors;
  std::string checksum;
};

TensorView ViewTensor(const double* values, std::vector<std::int64_t> shape);
TensorView ViewTensor(const float* values, std::vector<std::int64_t> shape);

Tensor MakeTensor(const double* values, std::vector<std::int64_t> shape);
Tensor MakeTensor(const float* values, std::vector<std::int64_t> shape);

// The bytes of the file; the same content gives the same bytes. Names and metadata must be UTF-8, else
// Error(kBadInput).
std::string SerializeTensors(const TensorFile& file);
std::string SerializeTensors(const TensorViews& file);
// The same bytes piece by piece, for a file that would not fit into memory beside what it holds. They are looked at
// twice: for the checksum at the beginning, and to be written.
void WriteTensors(const TensorViews& file, const std::function<void(std::string_view piece)>& write);
// `origin` names the source in error messages.
TensorFile ParseTensors(std::string_view bytes, const std::string& origin);
TensorViews ViewTensors(std::string_view bytes, const std::string& origin);

// The tensor `name` as doubles / floats; another type or a missing name is an Error(kBadInput).
std::vector<double> TensorAsDoubles(const TensorViews& file, const std::string& name);
std::vector<float> TensorAsFloats(const TensorViews& file, const std::string& name);

}  // namespace instantgp
