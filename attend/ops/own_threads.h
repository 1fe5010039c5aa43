// Threads inside one op.
#pragma once

#include <cstdint>
#include <functional>

namespace attend::ops::detail {

/// task(0) ... task(n - 1), each once. They are spread over as many threads as LibTorch may use
/// here (at::get_num_threads()), which sleep in between, when `operations` of arithmetic in all are
/// worth waking them; else, and while another call has them, all run in place. Tasks write to
/// different memory, so that threads change no result.
void for_tasks(int64_t n, double operations, const std::function<void(int64_t)>& task);

}  // namespace attend::ops::detail
