// How many threads this process may use.
#pragma once

#include <cstdint>

namespace attend::core {

/// `requested`, or for 0 as many threads as this process may use: the processors of its affinity
/// mask, and no more than its cgroup's quota.
int automatic_threads(int64_t requested);

}  // namespace attend::core
