// The amortisation network: dataset encoder, kernel encoder-decoder, heads. (paper.tex steps 1-9 and 1-4.)
//
// The class is the architecture only: weights are a flat buffer the caller owns, so that training, averaging,
// checkpoints and gradients are loops over one array. Scalar is float in use and double in gradient checks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/kernel/structure.h"
#include "instantgp/network/config.h"
#include "instantgp/network/layout.h"
#include "instantgp/network/workspace.h"

namespace instantgp {

class ThreadPool;

// What Encode returns and Decode reads: one embedding per column and the scale of y. A value; hold it, copy it.
template <typename Scalar>
struct Embedding {
  int dimensions = 0;
  int width = 0;
  std::vector<Scalar> values;  // (dimensions, width), row-major
  double y_scale = 1;          // root mean square of y when scale-equivariant, else 1
};

template <typename Scalar>
class Network {
 public:
  explicit Network(NetworkConfig config);
  ~Network();
  Network(Network&&) noexcept;

  const NetworkConfig& config() const;
  std::size_t num_weights() const;
  const std::vector<WeightTensor>& tensors() const;  // in offset order, no holes
  // Xavier-uniform matrices, zero biases, unit norms; output layers start at the priors' centre. The same for any
  // machine.
  void Initialize(Scalar* weights, std::uint64_t seed) const;

  // What the network is asked for when a dataset comes with `given`: that, or SE on as many columns (ahgp family).
  Structure Asked(const Structure& given) const;

  // Inference. X (n, d) in [0,1], y (n) standardised. Keeps no activations. Columns are worked on one by one, on the
  // threads of `pool` if there is one: the result does not depend on the threads.
  void Encode(const Scalar* weights, const Matrix& X, const Vector& y, Workspace<Scalar>& workspace,
              Embedding<Scalar>* encoding, ThreadPool* pool = nullptr) const;
  // theta (p + 1, hypotheses): each column the LogParameters of ToExpression(structure).
  // structure.columns index the columns of the encoding. Symbols the network does not know: Error(kBadInput). The
  // threads of `pool` share the hypotheses.
  void Decode(const Scalar* weights, const Embedding<Scalar>& encoding, const Structure& structure,
              Workspace<Scalar>& workspace, Matrix* theta, ThreadPool* pool = nullptr) const;
  // Decodes several structures in one pass: thetas[s] belongs to structures[s].
  void DecodeBatch(const Scalar* weights, const Embedding<Scalar>& encoding, std::span<const Structure> structures,
                   Workspace<Scalar>& workspace, std::vector<Matrix>* thetas) const;

  // Training: Forward keeps in the workspace what Backward needs, until the workspace is used again; Backward adds
  // d(loss)/d(weights) to `gradient` (num_weights values), given dtheta = d(loss)/d(theta), and may be called once.
  void Forward(const Scalar* weights, const Matrix& X, const Vector& y, const Structure& structure,
               Workspace<Scalar>& workspace, Matrix* theta) const;
  void Backward(const Scalar* weights, const Matrix& dtheta, Workspace<Scalar>& workspace, Scalar* gradient) const;

  // Floating-point operations of the matrix products of one Forward + Backward (attention included).
  double TrainingFlops(int n, const Structure& structure) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace instantgp
