// Threads that each run whole pieces of work (a shard, a batch), with LibTorch kept to one thread
// in each: it would otherwise start its own, which spin.
#pragma once

#include <optional>

#include "attend/core/thread_pool.h"

namespace attend::ops {

/// A pool whose worker threads run LibTorch's operations on one thread each.
class TorchThreads {
 public:
  /// Sets LibTorch to one thread in the calling thread as well, until the destructor.
  explicit TorchThreads(int threads);
  ~TorchThreads();
  TorchThreads(const TorchThreads&) = delete;
  TorchThreads& operator=(const TorchThreads&) = delete;

  core::ThreadPool& pool() { return *pool_; }

 private:
  int threads_before_;
  std::optional<core::ThreadPool> pool_;
};

}  // namespace attend::ops
