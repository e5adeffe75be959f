// A bump allocator for activations and scratch of one thread.
//
// Memory is handed out in order and given back by rewinding to a mark, as a stack. The first passes may take several
// chunks; Reset() joins them into one, so that after the largest problem has been seen nothing is allocated any more
// and no page is touched for the first time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "instantgp/base/check.h"

namespace instantgp {

class Arena {
 public:
  static constexpr std::size_t kAlignment = 64;  // a cache line, and the widest vector register

  struct Mark {
    std::size_t chunk = 0;
    std::size_t used = 0;
  };

  Arena() = default;
  ~Arena() { Release(); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  Arena(Arena&& other) noexcept : chunks_(std::exchange(other.chunks_, {})), top_(std::exchange(other.top_, {})) {}

  // `count` uninitialised values, aligned to kAlignment.
  template <typename T>
  T* New(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    const std::size_t bytes = (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    while (top_.chunk < chunks_.size() && top_.used + bytes > chunks_[top_.chunk].size) {
      ++top_.chunk;
      top_.used = 0;
    }
    if (top_.chunk == chunks_.size()) Grow(bytes);
    char* memory = chunks_[top_.chunk].memory + top_.used;
    top_.used += bytes;
    return reinterpret_cast<T*>(memory);
  }

  Mark Here() const { return top_; }
  // Everything handed out since the mark is free again.
  void Rewind(Mark mark) { top_ = mark; }

  // Frees everything for reuse.
  void Reset() {
    if (chunks_.size() > 1) {
      std::size_t total = 0;
      for (const Chunk& chunk : chunks_) total += chunk.size;
      Release();
      Grow(total);
    }
    top_ = {};
  }

  std::size_t capacity() const {
    std::size_t total = 0;
    for (const Chunk& chunk : chunks_) total += chunk.size;
    return total;
  }

 private:
  struct Chunk {
    char* memory;
    std::size_t size;
  };
  static constexpr std::size_t kSmallestChunk = std::size_t{1} << 20;

  void Grow(std::size_t bytes) {
    const std::size_t size = std::max({bytes, kSmallestChunk, capacity() / 2});
    chunks_.push_back({static_cast<char*>(::operator new (size, std::align_val_t{kAlignment})), size});
    top_ = {chunks_.size() - 1, 0};
  }

  void Release() {
    for (const Chunk& chunk : chunks_) ::operator delete (chunk.memory, std::align_val_t{kAlignment});
    chunks_.clear();
    top_ = {};
  }

  std::vector<Chunk> chunks_;
  Mark top_;
};

}  // namespace instantgp
