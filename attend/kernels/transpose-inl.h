// A transpose in squares of one vector a side, for the kernels. Included once a target.
#if defined(ATTEND_KERNELS_TRANSPOSE) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_KERNELS_TRANSPOSE
#undef ATTEND_KERNELS_TRANSPOSE
#else
#define ATTEND_KERNELS_TRANSPOSE
#endif

#include <cstdint>

#include "attend/kernels/transpose.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace attend::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A square of one 16-byte vector a side: wider ones would cross the halves of a vector, which costs
// more than it saves.
#if HWY_TARGET != HWY_SCALAR
HWY_INLINE void Square(const float* from, int64_t stride, float* to, int64_t to_stride,
                       float factor) {
  const hn::FixedTag<float, 4> d;
  const hn::Repartition<double, decltype(d)> pairs;
  const auto k = hn::Set(d, factor);
  const auto a = hn::Mul(hn::LoadU(d, from), k);
  const auto b = hn::Mul(hn::LoadU(d, from + stride), k);
  const auto c = hn::Mul(hn::LoadU(d, from + 2 * stride), k);
  const auto e = hn::Mul(hn::LoadU(d, from + 3 * stride), k);
  const auto ab0 = hn::BitCast(pairs, hn::InterleaveLower(d, a, b));
  const auto ab2 = hn::BitCast(pairs, hn::InterleaveUpper(d, a, b));
  const auto ce0 = hn::BitCast(pairs, hn::InterleaveLower(d, c, e));
  const auto ce2 = hn::BitCast(pairs, hn::InterleaveUpper(d, c, e));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, ab0, ce0)), d, to);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, ab0, ce0)), d, to + to_stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, ab2, ce2)), d, to + 2 * to_stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, ab2, ce2)), d, to + 3 * to_stride);
}

HWY_INLINE void Square(const double* from, int64_t stride, double* to, int64_t to_stride,
                       double factor) {
  const hn::FixedTag<double, 2> d;
  const auto k = hn::Set(d, factor);
  const auto a = hn::Mul(hn::LoadU(d, from), k), b = hn::Mul(hn::LoadU(d, from + stride), k);
  hn::StoreU(hn::InterleaveLower(d, a, b), d, to);
  hn::StoreU(hn::InterleaveUpper(d, a, b), d, to + to_stride);
}
#else
template <class T>
HWY_INLINE void Square(const T* from, int64_t stride, T* to, int64_t to_stride, T factor) {
  for (size_t i = 0; i < 16 / sizeof(T); ++i)
    for (size_t j = 0; j < 16 / sizeof(T); ++j)
      to[j * to_stride + i] = factor * from[i * stride + j];
}
#endif

template <class T>
void Transpose(const TransposeOperands<T>& p) {
  constexpr int64_t kSide = 16 / sizeof(T);
  const int64_t rows = p.rows - p.rows % kSide, columns = p.columns - p.columns % kSide;
  const auto one = [&](int64_t i, int64_t j) {
    p.to[j * p.to_stride + i] = p.factor * p.from[i * p.from_stride + j];
  };
  for (int64_t i = 0; i < rows; i += kSide) {
    for (int64_t j = 0; j < columns; j += kSide)
      Square(p.from + i * p.from_stride + j, p.from_stride, p.to + j * p.to_stride + i, p.to_stride,
             p.factor);
    for (int64_t j = columns; j < p.columns; ++j)
      for (int64_t r = i; r < i + kSide; ++r) one(r, j);
  }
  for (int64_t i = rows; i < p.rows; ++i)
    for (int64_t j = 0; j < p.columns; ++j) one(i, j);
}

}  // namespace HWY_NAMESPACE
}  // namespace attend::kernels
HWY_AFTER_NAMESPACE();
#endif
