#include "attend/kernels/gemm.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/kernels/gemm.cpp"
// clang-format off: the first compiles this file once a target
#include "hwy/foreach_target.h"
#include "attend/kernels/for_vectors-inl.h"
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace attend::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rows of C in one tile. Two vectors of columns and this many rows of accumulators, a broadcast and
// two loads have to fit in the registers: 32 on AVX-512 and NEON, 16 on other x86.
#if HWY_ARCH_X86 && HWY_TARGET > HWY_AVX3
constexpr int kRows = 6;
#else
constexpr int kRows = 12;
#endif

// C (R x n) (+)= A (R x K) B (K x n) for n = two vectors. g++ keeps the accumulators in registers
// since each loop over r is unrolled before they are allocated.
template <class T, int R, bool kAdd>
HWY_INLINE void Tile(const GemmOperands<T>& p, const T* HWY_RESTRICT a, const T* HWY_RESTRICT b,
                     T* HWY_RESTRICT c) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const size_t n = hn::Lanes(d);
  V c0[R], c1[R];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
    c0[r] = kAdd ? hn::LoadU(d, c + r * p.ldc) : hn::Zero(d);
    c1[r] = kAdd ? hn::LoadU(d, c + r * p.ldc + n) : hn::Zero(d);
  }
  for (int64_t k = 0; k < p.k; ++k) {
    const V b0 = hn::LoadU(d, b), b1 = hn::LoadU(d, b + n);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const V x = hn::Set(d, a[r * p.row_stride_a]);
      c0[r] = hn::MulAdd(x, b0, c0[r]);
      c1[r] = hn::MulAdd(x, b1, c1[r]);
    }
    a += p.column_stride_a;
    b += p.ldb;
  }
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
    hn::StoreU(c0[r], d, c + r * p.ldc);
    hn::StoreU(c1[r], d, c + r * p.ldc + n);
  }
}

// One vector of columns, whole or its first `count`.
template <class T, int R, bool kAdd, class Load, class Store>
HWY_INLINE void NarrowTile(const GemmOperands<T>& p, const T* HWY_RESTRICT a,
                           const T* HWY_RESTRICT b, T* HWY_RESTRICT c, const Load& load,
                           const Store& store) {
  const hn::ScalableTag<T> d;
  hn::Vec<decltype(d)> sum[R];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) sum[r] = kAdd ? load(c + r * p.ldc) : hn::Zero(d);
  for (int64_t k = 0; k < p.k; ++k) {
    const auto row = load(b);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) sum[r] = hn::MulAdd(hn::Set(d, a[r * p.row_stride_a]), row, sum[r]);
    a += p.column_stride_a;
    b += p.ldb;
  }
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) store(sum[r], c + r * p.ldc);
}

// The last columns, fewer than two vectors of them.
template <class T, int R, bool kAdd>
HWY_INLINE void LastColumns(const GemmOperands<T>& p, const T* a, int64_t row, int64_t first) {
  ForVectors<T>(p.n - first, [&](int64_t j, const auto& load, const auto& store) HWY_ATTR {
    NarrowTile<T, R, kAdd>(p, a, p.b + first + j, p.c + row * p.ldc + first + j, load, store);
  });
}

template <class T, int R, bool kAdd>
HWY_NOINLINE void RowBlock(const GemmOperands<T>& p, int64_t row) {
  const auto two = static_cast<int64_t>(2 * hn::Lanes(hn::ScalableTag<T>()));
  const T* a = p.a + row * p.row_stride_a;
  T* c = p.c + row * p.ldc;
  int64_t j = 0;
  for (; j + two <= p.n; j += two) Tile<T, R, kAdd>(p, a, p.b + j, c + j);
  LastColumns<T, R, kAdd>(p, a, row, j);
}

template <class T, int R, bool kAdd>
void LastRows(const GemmOperands<T>& p, int64_t row, int64_t rows) {
  if constexpr (R > 0) {
    if (rows == R) return RowBlock<T, R, kAdd>(p, row);
    LastRows<T, R - 1, kAdd>(p, row, rows);
  }
}

template <class T, bool kAdd>
void AllRows(const GemmOperands<T>& p) {
  int64_t row = 0;
  for (; row + kRows <= p.m; row += kRows) RowBlock<T, kRows, kAdd>(p, row);
  LastRows<T, kRows - 1, kAdd>(p, row, p.m - row);
}

void GemmF32(const GemmOperands<float>& p) {
  p.accumulate ? AllRows<float, true>(p) : AllRows<float, false>(p);
}
void GemmF64(const GemmOperands<double>& p) {
  p.accumulate ? AllRows<double, true>(p) : AllRows<double, false>(p);
}

}  // namespace HWY_NAMESPACE
}  // namespace attend::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend::kernels {
HWY_EXPORT(GemmF32);
HWY_EXPORT(GemmF64);
void gemm(const GemmOperands<float>& p) { HWY_DYNAMIC_DISPATCH(GemmF32)(p); }
void gemm(const GemmOperands<double>& p) { HWY_DYNAMIC_DISPATCH(GemmF64)(p); }
}  // namespace attend::kernels
#endif
