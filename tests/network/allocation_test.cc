// Inference and training allocate nothing once the largest problem has been seen.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "tests/network/small_networks.h"

namespace {
std::atomic<long> allocations = 0;

void* Counted(std::size_t size, std::size_t alignment) {
  ++allocations;
  void* memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
}  // namespace

// Every form of new of this program counts, the one that returns null too: std::stable_sort asks it for its buffer, and
// memory of another allocator must not reach the delete below. Where GCC 12 inlines one side of a pair only, it takes
// them for strangers.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void* operator new(std::size_t size) { return Counted(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return Counted(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace instantgp {
namespace {

using testing::Problem;
using testing::RandomProblem;

TEST(Allocation, TheCounterCounts) {
  const long before = allocations;
  ::operator delete(::operator new(8));  // a new-expression the compiler may leave out
  EXPECT_EQ(allocations, before + 1);
}

TEST(Allocation, NoneAfterWarmUp) {
  for (const NetworkConfig& config : testing::SmallConfigs()) {
    const Network<float> network(config);
    const std::vector<float> weights = testing::RandomWeights(network, 1);
    std::vector<float> gradient(network.num_weights());
    RandomStream random(2);
    // The largest first; Matrix keeps its memory only while its shape stays, so each problem has its own.
    std::vector<Problem> problems = {RandomProblem(random, 80, 8, 5)};
    for (int k = 0; k < 10; ++k) problems.push_back(RandomProblem(random, random.UniformInt(1, 60), 1 + k % 8, 2));
    std::vector<Matrix> thetas(problems.size()), batch;
    Workspace<float> training, inference;
    Embedding<float> encoding;
    const auto pass = [&](std::size_t k) {
      const Problem& p = problems[k];
      network.Forward(weights.data(), p.X, p.y, p.structure, training, &thetas[k]);
      network.Backward(weights.data(), thetas[k], training, gradient.data());
      network.Encode(weights.data(), p.X, p.y, inference, &encoding);
      network.Decode(weights.data(), encoding, p.structure, inference, &thetas[k]);
    };
    // Twice: the first pass finds how much is needed, the second joins it into one piece.
    for (int repeat = 0; repeat < 2; ++repeat) {
      for (std::size_t k = 0; k < problems.size(); ++k) pass(k);
    }
    const std::size_t bytes = training.bytes();
    const long before = allocations;
    for (std::size_t k = 0; k < problems.size(); ++k) pass(k);
    EXPECT_EQ(allocations, before) << config.name;
    EXPECT_EQ(training.bytes(), bytes);
  }
}

}  // namespace
}  // namespace instantgp
