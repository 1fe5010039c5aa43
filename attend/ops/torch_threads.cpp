#include "attend/ops/torch_threads.h"

#include <ATen/Parallel.h>

namespace attend::ops {

TorchThreads::TorchThreads(int threads)
    : threads_before_(at::get_num_threads()), pool_(threads, [] { at::set_num_threads(1); }) {
  at::set_num_threads(1);
}

TorchThreads::~TorchThreads() { at::set_num_threads(threads_before_); }

}  // namespace attend::ops
