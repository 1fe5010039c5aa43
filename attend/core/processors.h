// The machine's processors: how many threads this process may use, and of what make they are.
#pragma once

#include <cstdint>
#include <string>

namespace attend::core {

/// `requested`, or for 0 as many threads as this process may use: the processors of its affinity
/// mask, and no more than its cgroup's quota.
int automatic_threads(int64_t requested);

/// As the system names it: "AMD EPYC 7B12"; empty where it does not.
std::string processor_name();

/// Whether the system names this among the processor's instructions ("flags" or "Features" of
/// /proc/cpuinfo), as in "avx512_bf16". False where it tells nothing.
bool processor_has(const std::string& flag);

}  // namespace attend::core
