// Memory that a pass takes piece by piece and gives back all at once. After the first passes
// nothing is allocated any more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace attend::fused {

/// Not for two threads at once.
class Workspace {
 public:
  /// n numbers of T at an address that vectors like; their values are anything. They live until
  /// reset().
  template <class T>
  T* take(int64_t n) {
    return static_cast<T*>(take_bytes(static_cast<size_t>(n) * sizeof(T)));
  }
  template <class T>
  T* zeros(int64_t n) {
    T* x = take<T>(n);
    for (int64_t i = 0; i < n; ++i) x[i] = T(0);
    return x;
  }

  /// Gives back, at its end, what was taken since it began.
  class Scope {
   public:
    explicit Scope(Workspace& work)
        : work_(work),
          chunks_(work.chunks_.size()),
          used_(chunks_ == 0 ? 0 : work.chunks_.back().used) {}
    ~Scope() { work_.release(chunks_, used_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Workspace& work_;
    size_t chunks_, used_;
  };

  /// Everything taken may be taken again. The memory is kept, joined to one piece.
  void reset();

  /// What is kept.
  size_t bytes() const;

 private:
  struct Free {
    void operator()(std::byte* p) const;
  };
  struct Chunk {
    std::unique_ptr<std::byte[], Free> data;
    size_t size = 0;
    size_t used = 0;
  };
  void* take_bytes(size_t bytes);
  void add_chunk(size_t bytes);
  void release(size_t chunks, size_t used);

  std::vector<Chunk> chunks_;
};

}  // namespace attend::fused
