#include "attend/ops/dropout_fill.h"

#include "attend/core/random.h"

// SSE2 has no 32-bit product; with AVX2 the loop is 4 times as fast. GCC picks at load time.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ATTEND_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define ATTEND_CLONES
#endif

namespace attend::ops::detail {
namespace {

// Inlined into each clone, so that it is compiled for the clone's instructions.
template <class Real>
[[gnu::always_inline]] inline void fill(Real* out, const uint32_t* keys, int64_t rows,
                                        int64_t columns, uint32_t threshold, Real kept) {
  const auto n = static_cast<uint32_t>(columns);
  for (int64_t r = 0; r < rows; ++r, out += columns) {
    const uint32_t key = keys[r];
    for (uint32_t c = 0; c < n; ++c)
      out[c] = core::dropout_keeps(key, c, threshold) ? kept : Real(0);
  }
}

}  // namespace

ATTEND_CLONES void fill_dropout_mask(float* out, const uint32_t* keys, int64_t rows,
                                     int64_t columns, uint32_t threshold, float kept) {
  fill(out, keys, rows, columns, threshold, kept);
}

ATTEND_CLONES void fill_dropout_mask(double* out, const uint32_t* keys, int64_t rows,
                                     int64_t columns, uint32_t threshold, double kept) {
  fill(out, keys, rows, columns, threshold, kept);
}

}  // namespace attend::ops::detail
