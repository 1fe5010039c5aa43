#include "attend/ops/torch_threads.h"

#include <ATen/Parallel.h>

namespace attend::ops {

TorchThreads::TorchThreads(int threads) : threads_before_(at::get_num_threads()) {
  pool_.emplace(threads, [] { at::set_num_threads(1); });
  at::set_num_threads(1);
}

TorchThreads::~TorchThreads() {
  pool_
      .reset();  // before the rest: a worker that starts late would set the process's default again
  at::set_num_threads(threads_before_);
}

}  // namespace attend::ops
