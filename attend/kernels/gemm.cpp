#include "attend/kernels/gemm.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/kernels/gemm.cpp"
// clang-format off: the first compiles this file once a target
#include "hwy/foreach_target.h"
#include "attend/kernels/for_vectors-inl.h"
#include "attend/kernels/transpose-inl.h"
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

// A product is cut so that a block of A (kBlockRows x kBlockDepth) stays in the second-level cache
// and a panel of B (kBlockDepth x two vectors) close to the first.
constexpr int64_t kBlockRows = 16 * kRows;
constexpr int64_t kBlockDepth = 256;

// What one pass over a block of the depth does.
template <class T>
struct Pass {
  const T* a;
  int64_t row_stride_a, column_stride_a;
  const T* b;
  int64_t ldb, panel_stride;  // panel j begins at b + j panel_stride
  T* c;
  int64_t ldc;
  int64_t n, k;
  const T* bias;
  bool relu;  // this is the last pass, and relu was asked for
};

template <class T>
int64_t PanelColumns() {
  return static_cast<int64_t>(2 * hn::Lanes(hn::ScalableTag<T>()));
}

// max(x, 0); NaN stays, which Max does not promise.
template <class D>
HWY_INLINE hn::Vec<D> Relu(D d, hn::Vec<D> x) {
  return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x);
}

// C (R x n) (+)= A (R x K) B (K x n) for n = two vectors. g++ keeps the accumulators in registers
// since each loop over r is unrolled before they are allocated.
template <class T, int R, bool kAdd>
HWY_INLINE void Tile(const Pass<T>& p, const T* HWY_RESTRICT a, const T* HWY_RESTRICT b,
                     T* HWY_RESTRICT c, const T* bias) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const size_t n = hn::Lanes(d);
  V c0[R], c1[R];
  const V bias0 = bias == nullptr ? hn::Zero(d) : hn::LoadU(d, bias);
  const V bias1 = bias == nullptr ? hn::Zero(d) : hn::LoadU(d, bias + n);
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
    c0[r] = kAdd ? hn::LoadU(d, c + r * p.ldc) : bias0;
    c1[r] = kAdd ? hn::LoadU(d, c + r * p.ldc + n) : bias1;
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
    hn::StoreU(p.relu ? Relu(d, c0[r]) : c0[r], d, c + r * p.ldc);
    hn::StoreU(p.relu ? Relu(d, c1[r]) : c1[r], d, c + r * p.ldc + n);
  }
}

// One vector of columns, whole or its first `count`.
template <class T, int R, bool kAdd, class Load, class Store>
HWY_INLINE void NarrowTile(const Pass<T>& p, const T* HWY_RESTRICT a, const T* HWY_RESTRICT b,
                           T* HWY_RESTRICT c, const T* bias, const Load& load, const Store& store) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  V sum[R];
  const V start = bias == nullptr ? hn::Zero(d) : load(bias);
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) sum[r] = kAdd ? load(c + r * p.ldc) : start;
  for (int64_t k = 0; k < p.k; ++k) {
    const V row = load(b);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) sum[r] = hn::MulAdd(hn::Set(d, a[r * p.row_stride_a]), row, sum[r]);
    a += p.column_stride_a;
    b += p.ldb;
  }
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) store(p.relu ? Relu(d, sum[r]) : sum[r], c + r * p.ldc);
}

// R rows of one panel, of which `columns` are in C.
template <class T, int R, bool kAdd>
HWY_NOINLINE void PanelRows(const Pass<T>& p, const T* a, const T* b, T* c, const T* bias,
                            int64_t columns) {
  if (columns == PanelColumns<T>()) return Tile<T, R, kAdd>(p, a, b, c, bias);
  ForVectors<T>(columns, [&](int64_t j, const auto& load, const auto& store) HWY_ATTR {
    NarrowTile<T, R, kAdd>(p, a, b + j, c + j, bias == nullptr ? nullptr : bias + j, load, store);
  });
}

template <class T, int R, bool kAdd>
void LastRows(const Pass<T>& p, const T* a, const T* b, T* c, const T* bias, int64_t columns,
              int64_t rows) {
  if constexpr (R > 0) {
    if (rows == R) return PanelRows<T, R, kAdd>(p, a, b, c, bias, columns);
    LastRows<T, R - 1, kAdd>(p, a, b, c, bias, columns, rows);
  }
}

// Rows `first` to `end` - 1, panel after panel.
template <class T, bool kAdd>
void RowBlock(const Pass<T>& p, int64_t first, int64_t end) {
  const int64_t width = PanelColumns<T>();
  const T* b = p.b;
  for (int64_t j = 0; j < p.n; j += width, b += p.panel_stride) {
    const int64_t columns = std::min(width, p.n - j);
    const T* bias = p.bias == nullptr ? nullptr : p.bias + j;
    int64_t row = first;
    for (; row + kRows <= end; row += kRows)
      PanelRows<T, kRows, kAdd>(p, p.a + row * p.row_stride_a, b, p.c + row * p.ldc + j, bias,
                                columns);
    LastRows<T, kRows - 1, kAdd>(p, p.a + row * p.row_stride_a, b, p.c + row * p.ldc + j, bias,
                                 columns, end - row);
  }
}

template <class T>
void Gemm(const GemmOperands<T>& p) {
  const int64_t width = PanelColumns<T>();
  const int64_t ldb = p.packed ? width : p.ldb;
  for (int64_t k = 0; k < std::max<int64_t>(p.k, 1); k += kBlockDepth) {
    const bool add = p.accumulate || k > 0;
    const int64_t depth = std::min(kBlockDepth, p.k - k);
    const Pass<T> pass{p.a + k * p.column_stride_a,
                       p.row_stride_a,
                       p.column_stride_a,
                       p.b + k * ldb,
                       ldb,
                       p.packed ? p.k * width : width,
                       p.c,
                       p.ldc,
                       p.n,
                       depth,
                       add ? nullptr : p.bias,
                       p.relu && k + depth == p.k};
    for (int64_t row = 0; row < p.m; row += kBlockRows) {
      const int64_t end = std::min(p.m, row + kBlockRows);
      add ? RowBlock<T, true>(pass, row, end) : RowBlock<T, false>(pass, row, end);
    }
  }
}

// One panel: out[k * width + c] = b[k * row_stride + c * column_stride].
template <class T>
void PackPanel(const GemmPack<T>& p, const T* b, int64_t columns, int64_t width, T* out) {
  if (p.column_stride == 1) {
    for (int64_t k = 0; k < p.k; ++k) std::copy_n(b + k * p.row_stride, columns, out + k * width);
  } else if (p.row_stride == 1) {
    constexpr int64_t kLine = 64 / sizeof(T);  // of each column at once, so that it is read once
    for (int64_t k = 0; k < p.k; k += kLine)
      Transpose(TransposeOperands<T>{b + k, p.column_stride, out + k * width, width, columns,
                                     std::min(kLine, p.k - k), T(1)});
  } else {
    for (int64_t c = 0; c < columns; ++c)
      for (int64_t k = 0; k < p.k; ++k)
        out[k * width + c] = b[c * p.column_stride + k * p.row_stride];
  }
}

template <class T>
void Pack(const GemmPack<T>& p) {
  const int64_t width = PanelColumns<T>();
  T* out = p.panels;
  for (int64_t j = 0; j < p.n; j += width, out += p.k * width) {
    const int64_t columns = std::min(width, p.n - j);
    if (columns < width) std::fill_n(out, p.k * width, T(0));
    PackPanel(p, p.b + j * p.column_stride, columns, width, out);
  }
}

void GemmF32(const GemmOperands<float>& p) { Gemm(p); }
void GemmF64(const GemmOperands<double>& p) { Gemm(p); }
void PackF32(const GemmPack<float>& p) { Pack(p); }
void PackF64(const GemmPack<double>& p) { Pack(p); }
int64_t WidthF32() { return PanelColumns<float>(); }
int64_t WidthF64() { return PanelColumns<double>(); }

}  // namespace HWY_NAMESPACE
}  // namespace attend::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend::kernels {
HWY_EXPORT(GemmF32);
HWY_EXPORT(GemmF64);
HWY_EXPORT(PackF32);
HWY_EXPORT(PackF64);
HWY_EXPORT(WidthF32);
HWY_EXPORT(WidthF64);
void gemm(const GemmOperands<float>& p) { HWY_DYNAMIC_DISPATCH(GemmF32)(p); }
void gemm(const GemmOperands<double>& p) { HWY_DYNAMIC_DISPATCH(GemmF64)(p); }
void gemm_pack(const GemmPack<float>& p) { HWY_DYNAMIC_DISPATCH(PackF32)(p); }
void gemm_pack(const GemmPack<double>& p) { HWY_DYNAMIC_DISPATCH(PackF64)(p); }

template <class T>
int64_t gemm_packed_size(int64_t k, int64_t n) {
  const int64_t width =
      sizeof(T) == 4 ? HWY_DYNAMIC_DISPATCH(WidthF32)() : HWY_DYNAMIC_DISPATCH(WidthF64)();
  return (n + width - 1) / width * width * k;
}
template int64_t gemm_packed_size<float>(int64_t k, int64_t n);
template int64_t gemm_packed_size<double>(int64_t k, int64_t n);
}  // namespace attend::kernels
#endif
