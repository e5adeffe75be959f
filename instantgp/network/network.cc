#include "instantgp/network/network.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "instantgp/base/check.h"
#include "instantgp/base/error.h"
#include "instantgp/base/resize.h"
#include "instantgp/base/rng.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/network/ard_heads.h"
#include "instantgp/network/decoder.h"
#include "instantgp/network/encoder.h"
#include "instantgp/network/ops/features.h"
#include "instantgp/network/ops/flush_denormals.h"

namespace instantgp {

template <typename Scalar>
struct Workspace<Scalar>::State {
  Arena arena;
  std::vector<Arena> worker_arenas;  // of a pool
  DecodePlan plan;
  std::vector<DecodePlan> part_plans;  // each some of the hypotheses
  EncoderTrace<Scalar> encoder;
  DecoderTrace<Scalar> decoder;
  ArdTrace<Scalar> ard;
  Structure structure;                // of the kept pass; ahgp family
  const Scalar* embedding = nullptr;  // of the kept forward pass; null when there is none
  int columns = 0;

  void PrepareWorkers(const ThreadPool* pool) {
    if (pool != nullptr) worker_arenas.resize(std::max<std::size_t>(worker_arenas.size(), pool->threads()));
    for (Arena& worker : worker_arenas) worker.Reset();
  }
};

template <typename Scalar>
Workspace<Scalar>::Workspace() : state_(std::make_unique<State>()) {}
template <typename Scalar>
Workspace<Scalar>::~Workspace() = default;
template <typename Scalar>
Workspace<Scalar>::Workspace(Workspace&&) noexcept = default;
template <typename Scalar>
Workspace<Scalar>& Workspace<Scalar>::operator=(Workspace&&) noexcept = default;
template <typename Scalar>
std::size_t Workspace<Scalar>::bytes() const {
  std::size_t total = state_->arena.capacity();
  for (const Arena& arena : state_->worker_arenas) total += arena.capacity();
  return total;
}

template <typename Scalar>
struct Network<Scalar>::Impl {
  NetworkConfig config;
  NetworkLayout layout;

  void CheckData(const Matrix& X, const Vector& y) const {
    if (X.rows() < 1 || X.cols() < 1 || y.size() != X.rows()) {
      throw Error(ErrorCode::kBadInput,
                  "the network needs at least one row and one column and a target per row, not X (" +
                      std::to_string(X.rows()) + ", " + std::to_string(X.cols()) + ") and y (" +
                      std::to_string(y.size()) + ")");
    }
  }

  double ScaleOf(const Vector& y) const { return config.scale_equivariant ? RootMeanSquare(y) : 1.0; }
  HypothesisRange AllHypotheses() const { return {0, config.hypotheses}; }
  bool ahgp() const { return config.family == NetworkFamily::kAhgp; }
};

template <typename Scalar>
Network<Scalar>::Network(NetworkConfig config) : impl_(std::make_unique<Impl>()) {
  impl_->layout = MakeLayout(config);
  impl_->config = std::move(config);
}

template <typename Scalar>
Network<Scalar>::~Network() = default;
template <typename Scalar>
Network<Scalar>::Network(Network&&) noexcept = default;

template <typename Scalar>
const NetworkConfig& Network<Scalar>::config() const {
  return impl_->config;
}

template <typename Scalar>
std::size_t Network<Scalar>::num_weights() const {
  return impl_->layout.num_weights;
}

template <typename Scalar>
const std::vector<WeightTensor>& Network<Scalar>::tensors() const {
  return impl_->layout.tensors;
}

template <typename Scalar>
void Network<Scalar>::Initialize(Scalar* weights, std::uint64_t seed) const {
  for (std::size_t t = 0; t < impl_->layout.tensors.size(); ++t) {
    const WeightTensor& tensor = impl_->layout.tensors[t];
    const WeightStart& start = impl_->layout.starts[t];
    RandomStream random(seed, t);
    Scalar* out = weights + tensor.offset;
    for (int r = 0; r < tensor.rows; ++r) {
      for (int c = 0; c < tensor.cols; ++c) {
        const double centre = start.centre.empty() ? 0 : start.centre[start.centre.size() == 1 ? 0 : c];
        *out++ = static_cast<Scalar>(start.bound > 0 ? centre + random.Uniform(-start.bound, start.bound) : centre);
      }
    }
  }
}

template <typename Scalar>
Structure Network<Scalar>::Asked(const Structure& given) const {
  return impl_->ahgp() ? ArdSe(given.dimensions()) : given;
}

template <typename Scalar>
void Network<Scalar>::Encode(const Scalar* weights, const Matrix& X, const Vector& y, Workspace<Scalar>& workspace,
                             Embedding<Scalar>* encoding, ThreadPool* pool) const {
  impl_->CheckData(X, y);
  auto& state = *workspace.state_;
  state.arena.Reset();
  state.embedding = nullptr;
  encoding->dimensions = static_cast<int>(X.cols());
  encoding->width = impl_->layout.t4.width;
  encoding->values.resize(static_cast<std::size_t>(encoding->dimensions) * encoding->width);
  encoding->y_scale = impl_->ScaleOf(y);
  state.PrepareWorkers(pool);
  EncoderForward<Scalar>(impl_->config, impl_->layout, weights, X, y, encoding->y_scale, state.arena,
                         {pool, state.worker_arenas.data()}, encoding->values.data(), nullptr);
}

template <typename Scalar>
void Network<Scalar>::Decode(const Scalar* weights, const Embedding<Scalar>& encoding, const Structure& structure,
                             Workspace<Scalar>& workspace, Matrix* theta, ThreadPool* pool) const {
  INSTANTGP_CHECK(encoding.width == impl_->layout.t4.width);
  auto& state = *workspace.state_;
  state.arena.Reset();
  state.embedding = nullptr;
  if (impl_->ahgp()) {
    ArdForward<Scalar>(impl_->config, impl_->layout, weights, encoding.values.data(), encoding.dimensions,
                       encoding.y_scale, structure, state.arena, theta, nullptr);
    return;
  }
  const auto decode = [&](const DecodePlan& plan, Arena& arena, Matrix* out) {
    Resize(*out, plan.parameters(0) + 1, plan.hypotheses());
    DecoderForward<Scalar>(impl_->config, impl_->layout, weights, encoding.values.data(), encoding.dimensions,
                           encoding.y_scale, plan, arena, out, nullptr);
  };
  const int hypotheses = impl_->config.hypotheses;
  const int parts = pool != nullptr ? std::min(pool->threads(), hypotheses) : 1;
  if (parts == 1) {
    state.plan.Build(impl_->layout, impl_->AllHypotheses(), encoding.dimensions, {&structure, 1});
    decode(state.plan, state.arena, theta);
    return;
  }
  // Hypotheses do not see each other, so threads can share them out.
  state.PrepareWorkers(pool);
  state.part_plans.resize(std::max<std::size_t>(state.part_plans.size(), parts));
  const auto first = [&](int part) { return part * hypotheses / parts; };
  for (int part = 0; part < parts; ++part) {
    state.part_plans[part].Build(impl_->layout, {first(part), first(part + 1) - first(part)}, encoding.dimensions,
                                 {&structure, 1});
  }
  Resize(*theta, state.part_plans[0].parameters(0) + 1, hypotheses);
  pool->Run(parts, [&](int part, int worker) {
    Matrix some;
    decode(state.part_plans[part], state.worker_arenas[worker], &some);
    theta->middleCols(first(part), some.cols()) = some;
  });
}

template <typename Scalar>
void Network<Scalar>::DecodeBatch(const Scalar* weights, const Embedding<Scalar>& encoding,
                                  std::span<const Structure> structures, Workspace<Scalar>& workspace,
                                  std::vector<Matrix>* thetas) const {
  INSTANTGP_CHECK(encoding.width == impl_->layout.t4.width);
  thetas->resize(structures.size());
  if (structures.empty()) return;
  if (impl_->ahgp()) {
    for (std::size_t s = 0; s < structures.size(); ++s) {
      Decode(weights, encoding, structures[s], workspace, &(*thetas)[s]);
    }
    return;
  }
  auto& state = *workspace.state_;
  state.arena.Reset();
  state.embedding = nullptr;
  state.plan.Build(impl_->layout, impl_->AllHypotheses(), encoding.dimensions, structures);
  for (std::size_t s = 0; s < structures.size(); ++s) {
    Resize((*thetas)[s], state.plan.parameters(static_cast<int>(s)) + 1, impl_->config.hypotheses);
  }
  DecoderForward<Scalar>(impl_->config, impl_->layout, weights, encoding.values.data(), encoding.dimensions,
                         encoding.y_scale, state.plan, state.arena, thetas->data(), nullptr);
}

template <typename Scalar>
void Network<Scalar>::Forward(const Scalar* weights, const Matrix& X, const Vector& y, const Structure& structure,
                              Workspace<Scalar>& workspace, Matrix* theta) const {
  impl_->CheckData(X, y);
  auto& state = *workspace.state_;
  state.arena.Reset();
  state.embedding = nullptr;
  const double y_scale = impl_->ScaleOf(y);
  const int columns = static_cast<int>(X.cols());
  Scalar* embedding = state.arena.template New<Scalar>(static_cast<std::size_t>(columns) * impl_->layout.t4.width);
  EncoderForward<Scalar>(impl_->config, impl_->layout, weights, X, y, y_scale, state.arena, {}, embedding,
                         &state.encoder);
  if (impl_->ahgp()) {
    ArdForward<Scalar>(impl_->config, impl_->layout, weights, embedding, columns, y_scale, structure, state.arena,
                       theta, &state.ard);
    state.structure = structure;
  } else {
    state.plan.Build(impl_->layout, impl_->AllHypotheses(), columns, {&structure, 1});
    Resize(*theta, state.plan.parameters(0) + 1, impl_->config.hypotheses);
    DecoderForward<Scalar>(impl_->config, impl_->layout, weights, embedding, columns, y_scale, state.plan, state.arena,
                           theta, &state.decoder);
  }
  state.embedding = embedding;
  state.columns = columns;
}

template <typename Scalar>
void Network<Scalar>::Backward(const Scalar* weights, const Matrix& dtheta, Workspace<Scalar>& workspace,
                               Scalar* gradient) const {
  auto& state = *workspace.state_;
  INSTANTGP_CHECK(state.embedding != nullptr);
  INSTANTGP_CHECK(dtheta.cols() == impl_->config.hypotheses);
  const FlushDenormals flush;
  const std::size_t size = static_cast<std::size_t>(state.columns) * impl_->layout.t4.width;
  Scalar* dembedding = state.arena.template New<Scalar>(size);
  if (impl_->ahgp()) {
    INSTANTGP_CHECK(dtheta.rows() == 2 * state.structure.dimensions() + 1);
    ArdBackward<Scalar>(impl_->layout, weights, state.columns, state.structure, state.ard, dtheta, dembedding,
                        state.arena, gradient);
  } else {
    INSTANTGP_CHECK(dtheta.rows() == state.plan.parameters(0) + 1);
    DecoderBackward<Scalar>(impl_->layout, weights, state.embedding, state.columns, state.plan, state.decoder, &dtheta,
                            dembedding, state.arena, gradient);
  }
  EncoderBackward<Scalar>(impl_->layout, weights, state.encoder, dembedding, state.arena, gradient);
  state.embedding = nullptr;
}

template <typename Scalar>
double Network<Scalar>::TrainingFlops(int n, const Structure& structure) const {
  int columns = 0;
  for (int column : structure.columns) columns = std::max(columns, column + 1);
  if (impl_->ahgp()) return EncoderFlops(impl_->layout, n, columns) + ArdFlops(impl_->layout, columns);
  DecodePlan plan;
  plan.Build(impl_->layout, impl_->AllHypotheses(), columns, {&structure, 1});
  return EncoderFlops(impl_->layout, n, columns) + DecoderFlops(impl_->layout, plan, columns);
}

template class Workspace<float>;
template class Workspace<double>;
template class Network<float>;
template class Network<double>;

}  // namespace instantgp
