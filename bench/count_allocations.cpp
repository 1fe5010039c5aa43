#include "bench/count_allocations.h"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>

// The program's own stand before the library's, also for LibTorch; operator new calls malloc.
namespace {
std::atomic<int64_t> calls = 0;
}

extern "C" {
void* __libc_malloc(size_t bytes);                      // NOLINT
void* __libc_calloc(size_t count, size_t bytes);        // NOLINT
void* __libc_realloc(void* memory, size_t bytes);       // NOLINT
void* __libc_memalign(size_t alignment, size_t bytes);  // NOLINT

void* malloc(size_t bytes) {
  calls.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(bytes);
}
void* calloc(size_t count, size_t bytes) {
  calls.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(count, bytes);
}
void* realloc(void* memory, size_t bytes) {
  calls.fetch_add(1, std::memory_order_relaxed);
  return __libc_realloc(memory, bytes);
}
void* memalign(size_t alignment, size_t bytes) {
  calls.fetch_add(1, std::memory_order_relaxed);
  return __libc_memalign(alignment, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void** memory, size_t alignment, size_t bytes) {
  *memory = memalign(alignment, bytes);
  return *memory == nullptr ? ENOMEM : 0;
}
}

namespace attend::bench {
int64_t allocations() { return calls; }
int64_t heap_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}
int64_t heap_size() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<int64_t>(info.arena + info.hblkhd);
}
}  // namespace attend::bench
#else
namespace attend::bench {
int64_t allocations() { return 0; }
int64_t heap_in_use() { return 0; }
int64_t heap_size() { return 0; }
}  // namespace attend::bench
#endif
