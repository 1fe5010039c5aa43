// Products of small matrices, one a lane: as many at once as a vector has numbers, and nothing is
// ever summed across one. Included once a target.
#if defined(ATTEND_KERNELS_LANE_PRODUCT) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_KERNELS_LANE_PRODUCT
#undef ATTEND_KERNELS_LANE_PRODUCT
#else
#define ATTEND_KERNELS_LANE_PRODUCT
#endif

#include <algorithm>
#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace attend::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Element (i, j) of all lanes is the vector at data + i row + j column.
template <class T>
struct LaneMatrix {
  T* data;
  int64_t row, column;

  LaneMatrix transposed() const { return {data, column, row}; }
};

// What of C = A B there is to do.
enum class Part {
  kAll,
  kLowerResult,  // C is wanted up to its diagonal
  kLowerLeft,    // A is 0 above its diagonal
  kUpperLeft,    // A is 0 below it
};

// Rows and columns of a tile, so that its sums stay in registers: 32 on AVX-512 and NEON, 16 on
// other x86.
#if HWY_ARCH_X86 && HWY_TARGET > HWY_AVX3
constexpr int kLaneRows = 2;
#else
constexpr int kLaneRows = 4;
#endif
constexpr int kLaneColumns = 4;

template <class T, int R, int C>
HWY_INLINE void LaneTile(LaneMatrix<T> a, LaneMatrix<T> b, LaneMatrix<T> c, int64_t depth) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  V sum[R][C];
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (int j = 0; j < C; ++j) sum[r][j] = hn::Zero(d);
  for (int64_t k = 0; k < depth; ++k, a.data += a.column, b.data += b.row) {
    V right[C];
#pragma GCC unroll 4
    for (int j = 0; j < C; ++j) right[j] = hn::LoadU(d, b.data + j * b.column);
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      const V left = hn::LoadU(d, a.data + r * a.row);
#pragma GCC unroll 4
      for (int j = 0; j < C; ++j) sum[r][j] = hn::MulAdd(left, right[j], sum[r][j]);
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (int j = 0; j < C; ++j) hn::StoreU(sum[r][j], d, c.data + r * c.row + j * c.column);
}

// R rows of C, n columns.
template <class T, int R>
HWY_NOINLINE void LaneRows(LaneMatrix<T> a, LaneMatrix<T> b, LaneMatrix<T> c, int64_t n,
                           int64_t depth) {
  for (; n >= kLaneColumns; n -= kLaneColumns) {
    LaneTile<T, R, kLaneColumns>(a, b, c, depth);
    b.data += kLaneColumns * b.column;
    c.data += kLaneColumns * c.column;
  }
  if (n == 1) LaneTile<T, R, 1>(a, b, c, depth);
  if (n == 2) LaneTile<T, R, 2>(a, b, c, depth);
  if (n == 3) LaneTile<T, R, 3>(a, b, c, depth);
}

// C (m, n) = A (m, k) B (k, n)
template <class T>
HWY_INLINE void LaneProduct(LaneMatrix<T> a, LaneMatrix<T> b, LaneMatrix<T> c, int64_t m, int64_t n,
                            int64_t k, Part part) {
  for (int64_t i = 0; i < m; i += kLaneRows) {
    const int64_t rows = std::min<int64_t>(kLaneRows, m - i), end = i + rows;
    const int64_t columns = part == Part::kLowerResult ? std::min(n, end) : n;
    const int64_t begin = part == Part::kUpperLeft ? std::min(k, i) : 0;
    const int64_t depth = (part == Part::kLowerLeft ? std::min(k, end) : k) - begin;
    const LaneMatrix<T> left{a.data + i * a.row + begin * a.column, a.row, a.column};
    const LaneMatrix<T> right{b.data + begin * b.row, b.row, b.column};
    const LaneMatrix<T> out{c.data + i * c.row, c.row, c.column};
    if (rows == 1) LaneRows<T, 1>(left, right, out, columns, depth);
    if (rows == 2) LaneRows<T, 2>(left, right, out, columns, depth);
    if constexpr (kLaneRows == 4) {
      if (rows == 3) LaneRows<T, 3>(left, right, out, columns, depth);
      if (rows == 4) LaneRows<T, 4>(left, right, out, columns, depth);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attend::kernels
HWY_AFTER_NAMESPACE();
#endif
