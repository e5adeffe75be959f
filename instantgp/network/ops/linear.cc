#include "instantgp/network/ops/linear.h"

#include "instantgp/network/ops/activation.h"

namespace instantgp {

template <typename T>
void LinearForward(const LinearLayout& linear, const T* weights, int m, const T* x, T* y, Arena& arena,
                   Epilogue<T> epilogue) {
  // y = x W + b
  epilogue.bias = linear.bias == kNoWeight ? nullptr : weights + linear.bias;
  const Arena::Mark mark = arena.Here();
  T* scratch = arena.New<T>(MatMulScratch<T>(linear.out, linear.in));
  MatMul(m, linear.out, linear.in, x, linear.in, weights + linear.weight, linear.out, y, linear.out, epilogue, scratch);
  arena.Rewind(mark);
}

template <typename T>
void LinearBackward(const LinearLayout& linear, const T* weights, int m, const T* x, const T* dy, T* dx,
                    bool accumulate, Arena& arena, T* gradient) {
  // y = x W + b   =>   dW = x^T dy,  db = 1^T dy,  dx = dy W^T
  MatMulTransposedA(m, linear.out, linear.in, x, linear.in, dy, linear.out, gradient + linear.weight, linear.out);
  if (linear.bias != kNoWeight) AddColumnSums(m, linear.out, dy, gradient + linear.bias);
  if (dx == nullptr) return;
  const Arena::Mark mark = arena.Here();
  T* scratch = arena.New<T>(MatMulScratch<T>(linear.in, linear.out));
  MatMulTransposedB(m, linear.out, linear.in, dy, linear.out, weights + linear.weight, linear.out, dx, linear.in,
                    accumulate, scratch);
  arena.Rewind(mark);
}

template <typename T>
void AddColumnSums(int m, int n, const T* x, T* sums) {
  for (int i = 0; i < m; ++i) {
    const T* row = x + static_cast<std::size_t>(i) * n;
    for (int j = 0; j < n; ++j) sums[j] += row[j];
  }
}

template <typename T>
T* MlpForward(const MlpLayout& mlp, const T* weights, int m, const T* x, Arena& arena, T** hidden) {
  // h_i = relu(h_{i-1} W_i + b_i), y = h_{k-1} W_k + b_k
  const int layers = static_cast<int>(mlp.layers.size());
  for (int i = 0; i < layers; ++i) {
    hidden[i] = arena.New<T>(static_cast<std::size_t>(m) * mlp.layers[i].out);
    LinearForward(mlp.layers[i], weights, m, i == 0 ? x : hidden[i - 1], hidden[i], arena, {.relu = i + 1 < layers});
  }
  return hidden[layers - 1];
}

template <typename T>
void MlpBackward(const MlpLayout& mlp, const T* weights, int m, const T* x, T* const* hidden, T* dy, T* dx,
                 Arena& arena, T* gradient) {
  const Arena::Mark mark = arena.Here();
  for (int i = static_cast<int>(mlp.layers.size()) - 1; i > 0; --i) {
    // h_i = relu(h_{i-1} W_i + b_i): dh_{i-1} = dh_i W_i^T where h_{i-1} > 0
    T* below = arena.New<T>(static_cast<std::size_t>(m) * mlp.layers[i].in);
    LinearBackward(mlp.layers[i], weights, m, hidden[i - 1], dy, below, false, arena, gradient);
    ReluBackward(static_cast<std::size_t>(m) * mlp.layers[i].in, hidden[i - 1], below);
    dy = below;
  }
  LinearBackward(mlp.layers[0], weights, m, x, dy, dx, false, arena, gradient);
  arena.Rewind(mark);
}

template void LinearForward(const LinearLayout&, const float*, int, const float*, float*, Arena&, Epilogue<float>);
template void LinearForward(const LinearLayout&, const double*, int, const double*, double*, Arena&, Epilogue<double>);
template void LinearBackward(const LinearLayout&, const float*, int, const float*, const float*, float*, bool, Arena&,
                             float*);
template void LinearBackward(const LinearLayout&, const double*, int, const double*, const double*, double*, bool,
                             Arena&, double*);
template void AddColumnSums(int, int, const float*, float*);
template void AddColumnSums(int, int, const double*, double*);
template float* MlpForward(const MlpLayout&, const float*, int, const float*, Arena&, float**);
template double* MlpForward(const MlpLayout&, const double*, int, const double*, Arena&, double**);
template void MlpBackward(const MlpLayout&, const float*, int, const float*, float* const*, float*, float*, Arena&,
                          float*);
template void MlpBackward(const MlpLayout&, const double*, int, const double*, double* const*, double*, double*, Arena&,
                          double*);

}  // namespace instantgp
