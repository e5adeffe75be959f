// The module libinstantgp_mpi.so: the processes of an MPI job as a Communicator.
//
// A module of its own, loaded only when a job has more than one process: linking MPI into the program would cost every
// other command several milliseconds at start and a dependency.
#include "instantgp/training/communicator.h"

#include <mpi.h>

#include <algorithm>
#include <cstddef>

namespace instantgp {
namespace {

// MPI counts in int.
constexpr std::size_t kLargest = 1 << 28;

class MpiCommunicator final : public Communicator {
 public:
  MpiCommunicator() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  ~MpiCommunicator() override { MPI_Finalize(); }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void AllReduceSum(double* values, std::size_t count) override {
    for (std::size_t begin = 0; begin < count; begin += kLargest) {
      const int part = static_cast<int>(std::min(kLargest, count - begin));
      MPI_Allreduce(MPI_IN_PLACE, values + begin, part, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
  }

  void Broadcast(void* bytes, std::size_t count) override {
    for (std::size_t begin = 0; begin < count; begin += kLargest) {
      const int part = static_cast<int>(std::min(kLargest, count - begin));
      MPI_Bcast(static_cast<char*>(bytes) + begin, part, MPI_BYTE, 0, MPI_COMM_WORLD);
    }
  }

  void Abort(int exit_code) noexcept override { MPI_Abort(MPI_COMM_WORLD, exit_code); }

 private:
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace
}  // namespace instantgp

// The caller owns the result. Call once per process.
extern "C" instantgp::Communicator* InstantgpOpenCommunicator() { return new instantgp::MpiCommunicator(); }
