#include "instantgp/network/more_hypotheses.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "instantgp/base/check.h"
#include "instantgp/base/rng.h"
#include "instantgp/network/layout.h"

namespace instantgp {
namespace {

constexpr char kHypothesesTensor[] = "hypotheses";
constexpr double kShift = 0.1;        // of the root mean square of an embedding
constexpr double kFirstSize = 0.1;    // of embeddings that have no model: of the order of trained ones
constexpr std::uint64_t kStream = 7;  // apart from the streams of Initialize, which have another substream
constexpr std::uint32_t kSubstream = 1;

double RootMeanSquareOf(const float* values, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += static_cast<double>(values[i]) * values[i];
  return std::sqrt(sum / count);
}

}  // namespace

NetworkWeights WithMoreHypotheses(const NetworkWeights& given, int hypotheses, std::uint64_t seed) {
  INSTANTGP_CHECK(hypotheses >= given.config.hypotheses);
  if (given.config.family == NetworkFamily::kAhgp || hypotheses == given.config.hypotheses) return given;
  NetworkWeights out = given;
  out.config.hypotheses = hypotheses;
  const NetworkLayout from = MakeLayout(given.config), to = MakeLayout(out.config);
  std::map<std::string, const WeightTensor*> old;
  for (const WeightTensor& tensor : from.tensors) old[tensor.name] = &tensor;
  out.values.assign(to.num_weights, 0.0f);
  RandomStream random(seed, kStream, kSubstream);
  for (const WeightTensor& tensor : to.tensors) {
    float* target = out.values.data() + tensor.offset;
    const auto found = old.find(tensor.name);
    const int rows = found == old.end() ? 0 : found->second->rows;
    const float* source = found == old.end() ? nullptr : given.values.data() + found->second->offset;
    if (tensor.name != kHypothesesTensor) {
      INSTANTGP_CHECK(source != nullptr && rows == tensor.rows && found->second->cols == tensor.cols);
      std::copy_n(source, static_cast<std::size_t>(tensor.rows) * tensor.cols, target);
      continue;
    }
    for (int k = 0; k < tensor.rows; ++k, target += tensor.cols) {
      const float* model = rows > 0 ? source + static_cast<std::size_t>(k % rows) * tensor.cols : nullptr;
      if (model) std::copy_n(model, tensor.cols, target);
      if (k < given.config.hypotheses) continue;
      const double size = model ? kShift * RootMeanSquareOf(model, tensor.cols) : kFirstSize;
      for (int c = 0; c < tensor.cols; ++c) target[c] += static_cast<float>(size * random.Normal());
    }
  }
  return out;
}

}  // namespace instantgp
