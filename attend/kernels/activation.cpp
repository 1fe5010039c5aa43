#include "attend/kernels/activation.h"

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

void ReluBackwardF32(const ReluGradients<float>& p) { ReluBackward(p); }
void ReluBackwardF64(const ReluGradients<double>& p) { ReluBackward(p); }
void ColumnsF32(const ColumnSums<float>& p) { Columns(p); }
void ColumnsF64(const ColumnSums<double>& p) { Columns(p); }
void AddToF32(float* y, const float* x, int64_t n, float factor) { AddTo(y, x, n, factor); }
void AddToF64(double* y, const double* x, int64_t n, double factor) { AddTo(y, x, n, factor); }

}  // namespace HWY_NAMESPACE
}  // namespace attend::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend::kernels {
HWY_EXPORT(ReluBackwardF32);
HWY_EXPORT(ReluBackwardF64);
HWY_EXPORT(ColumnsF32);
HWY_EXPORT(ColumnsF64);
HWY_EXPORT(AddToF32);
HWY_EXPORT(AddToF64);
void relu_backward(const ReluGradients<float>& p) { HWY_DYNAMIC_DISPATCH(ReluBackwardF32)(p); }
void relu_backward(const ReluGradients<double>& p) { HWY_DYNAMIC_DISPATCH(ReluBackwardF64)(p); }
void column_sums(const ColumnSums<float>& p) { HWY_DYNAMIC_DISPATCH(ColumnsF32)(p); }
void column_sums(const ColumnSums<double>& p) { HWY_DYNAMIC_DISPATCH(ColumnsF64)(p); }
void add_to(float* y, const float* x, int64_t n, float factor) {
  HWY_DYNAMIC_DISPATCH(AddToF32)(y, x, n, factor);
}
void add_to(double* y, const double* x, int64_t n, double factor) {
  HWY_DYNAMIC_DISPATCH(AddToF64)(y, x, n, factor);
}
}  // namespace attend::kernels
#endif
