// Counts what a program asks the heap for: malloc and its kin, by whoever calls them.
#pragma once

#include <cstdint>

namespace attend::bench {

/// Calls since the program began, by all threads; 0 where they are not hooked (glibc alone).
int64_t allocations();

/// Bytes of the heap that are in use, and that it holds in all; 0 without glibc.
int64_t heap_in_use();
int64_t heap_size();

}  // namespace attend::bench
