#include "attend/kernels/activation.h"

#include "attend/kernels/for_types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/kernels/activation.cpp"
// clang-format off: the first compiles this file once a target
#include "hwy/foreach_target.h"
#include "attend/kernels/for_vectors-inl.h"
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace attend::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
void ReluBackward(const ReluGradients<T>& p) {
  const hn::ScalableTag<T> d;
  for (int64_t i = 0; i < p.rows; ++i) {
    const T *y = p.y + i * p.stride_y, *d_y = p.d_y + i * p.stride_d_y;
    T* d_x = p.d_x + i * p.stride_d_x;
    ForVectors<T>(p.columns, [&](int64_t j, const auto& load, const auto& store) HWY_ATTR {
      store(hn::IfThenZeroElse(hn::Le(load(y + j), hn::Zero(d)), load(d_y + j)), d_x + j);
    });
  }
}

// Row after row, for vectors of columns four at a time, whose sums stay in registers.
template <class T>
void Columns(const ColumnSums<T>& p) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t j = 0;
  for (; j + 4 * lanes <= p.columns; j += 4 * lanes) {
    hn::Vec<decltype(d)> sum[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) sum[k] = hn::LoadU(d, p.sums + j + k * lanes);
    const T* x = p.x + j;
    for (int64_t i = 0; i < p.rows; ++i, x += p.stride) {
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) sum[k] = hn::Add(sum[k], hn::LoadU(d, x + k * lanes));
    }
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) hn::StoreU(sum[k], d, p.sums + j + k * lanes);
  }
  ForVectors<T>(p.columns - j, [&](int64_t k, const auto& load, const auto& store) HWY_ATTR {
    auto sum = load(p.sums + j + k);
    for (int64_t i = 0; i < p.rows; ++i) sum = hn::Add(sum, load(p.x + i * p.stride + j + k));
    store(sum, p.sums + j + k);
  });
}

template <class T>
void AddTo(T* y, const T* x, int64_t n, T factor) {
  const hn::ScalableTag<T> d;
  ForVectors<T>(n, [&](int64_t j, const auto& load, const auto& store) HWY_ATTR {
    store(hn::MulAdd(hn::Set(d, factor), load(x + j), load(y + j)), y + j);
  });
}

ATTEND_FOR_TYPES(ReluBackward);
ATTEND_FOR_TYPES(Columns);
ATTEND_FOR_TYPES(AddTo);

}  // namespace HWY_NAMESPACE
}  // namespace attend::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend::kernels {
ATTEND_DISPATCH(void, relu_backward, ReluBackward, ReluGradients);
ATTEND_DISPATCH(void, column_sums, Columns, ColumnSums);
ATTEND_EXPORT(AddTo);
void add_to(float* y, const float* x, int64_t n, float factor) {
  HWY_DYNAMIC_DISPATCH(AddToF32)(y, x, n, factor);
}
void add_to(double* y, const double* x, int64_t n, double factor) {
  HWY_DYNAMIC_DISPATCH(AddToF64)(y, x, n, factor);
}
}  // namespace attend::kernels
#endif
