// What training needs from a group of processes. The library knows only this; the command line brings MPI when it is
// built in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace instantgp {

class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // values[i] = sum over ranks; every rank gets the same bits. Blocks until all ranks have called.
  virtual void AllReduceSum(double* values, std::size_t count) = 0;
  // Rank 0's bytes to all.
  virtual void Broadcast(void* bytes, std::size_t count) = 0;
  // Ends the processes of all ranks with this exit code, because one of them cannot go on; does nothing in a group of
  // one.
  virtual void Abort(int exit_code) noexcept = 0;
};

// Rank 0's text to all.
inline std::string BroadcastText(Communicator& communicator, std::string text) {
  std::uint64_t size = text.size();
  communicator.Broadcast(&size, sizeof(size));
  text.resize(size);
  communicator.Broadcast(text.data(), size);
  return text;
}

// A group of one.
class SingleProcess final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void AllReduceSum(double*, std::size_t) override {}
  void Broadcast(void*, std::size_t) override {}
  void Abort(int) noexcept override {}
};

}  // namespace instantgp
