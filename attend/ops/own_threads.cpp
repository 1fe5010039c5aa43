#include "attend/ops/own_threads.h"

#include <ATen/Parallel.h>

#include <memory>
#include <mutex>

#include "attend/core/thread_pool.h"

namespace attend::ops::detail {
namespace {

constexpr double kWorthWaking = 2e7;  // a fifth of a millisecond; waking costs a tenth of that

struct Pool {
  std::mutex in_use;
  std::unique_ptr<core::ThreadPool> pool;
};

Pool& shared_pool() {
  static Pool pool;
  return pool;
}

}  // namespace

void for_tasks(int64_t n, double operations, const std::function<void(int64_t)>& task) {
  const int threads = at::get_num_threads();
  if (threads > 1 && n > 1 && operations >= kWorthWaking) {
    Pool& shared = shared_pool();
    const std::unique_lock<std::mutex> lock(shared.in_use, std::try_to_lock);
    if (lock.owns_lock()) {
      if (!shared.pool || shared.pool->size() != threads)
        shared.pool = std::make_unique<core::ThreadPool>(threads);
      shared.pool->run(n, task);
      return;
    }
  }
  for (int64_t i = 0; i < n; ++i) task(i);
}

}  // namespace attend::ops::detail
