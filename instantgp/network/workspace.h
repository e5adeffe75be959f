// Activations and scratch of one thread.
#pragma once

#include <cstddef>
#include <memory>

namespace instantgp {

template <typename Scalar>
class Network;

// Grows to the largest problem seen, then allocates nothing. Belongs to one thread at a time; any network of the scalar
// type may use it.
template <typename Scalar>
class Workspace {
 public:
  Workspace();
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;

  std::size_t bytes() const;  // memory held for activations and scratch

 private:
  friend class Network<Scalar>;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace instantgp
