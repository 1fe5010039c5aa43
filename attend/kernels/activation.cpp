#include "attend/kernels/activation.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/kernels/activation.cpp"
// clang-format off: the first compiles this file once a target
#include "hwy/foreach_target.h"
#include "attend/kernels/dropout-inl.h"
#include "attend/kernels/for_vectors-inl.h"
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace attend::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
void Relu(const ReluRows<T>& p) {
  const hn::ScalableTag<T> d;
  for (int64_t i = 0; i < p.rows; ++i) {
    const T* x = p.x + i * p.stride_x;
    T* y = p.y + i * p.stride_y;
    ForVectors<T>(p.columns, [&](int64_t j, const auto& load, const auto& store) HWY_ATTR {
      auto v = load(x + j);
      if (p.bias != nullptr) v = hn::Add(v, load(p.bias + j));
      v = hn::IfThenZeroElse(hn::Lt(v, hn::Zero(d)), v);  // NaN stays NaN
      if (p.keys != nullptr) v = Dropped(d, v, p.keys[i], j, p.threshold, p.kept);
      store(v, y + j);
    });
  }
}

// sums[j] += value(i, j, load, store), row after row, for vectors of columns four at a time, whose
// sums stay in registers. value() may store what it finds.
template <class T, class Value>
HWY_INLINE void SumRows(int64_t rows, int64_t columns, T* sums, const Value& value) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto load = [&](const T* x) HWY_ATTR { return hn::LoadU(d, x); };
  const auto store = [&](V v, T* x) HWY_ATTR { hn::StoreU(v, d, x); };
  int64_t j = 0;
  for (; j + 4 * lanes <= columns; j += 4 * lanes) {
    V sum[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) sum[k] = load(sums + j + k * lanes);
    for (int64_t i = 0; i < rows; ++i) {
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) sum[k] = hn::Add(sum[k], value(i, j + k * lanes, load, store));
    }
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) store(sum[k], sums + j + k * lanes);
  }
  ForVectors<T>(columns - j,
                [&](int64_t k, const auto& load_some, const auto& store_some) HWY_ATTR {
                  auto sum = load_some(sums + j + k);
                  for (int64_t i = 0; i < rows; ++i)
                    sum = hn::Add(sum, value(i, j + k, load_some, store_some));
                  store_some(sum, sums + j + k);
                });
}

template <class T>
HWY_INLINE hn::Vec<hn::ScalableTag<T>> ReluGradient(const ReluGradients<T>& p,
                                                    hn::Vec<hn::ScalableTag<T>> y,
                                                    hn::Vec<hn::ScalableTag<T>> d_y) {
  const hn::ScalableTag<T> d;
  return hn::IfThenElseZero(hn::Gt(y, hn::Zero(d)), hn::Mul(d_y, hn::Set(d, p.kept)));
}

template <class T>
void ReluBackward(const ReluGradients<T>& p) {
  const auto value = [&](int64_t i, int64_t j, const auto& load, const auto& store) HWY_ATTR {
    const auto change =
        ReluGradient(p, load(p.y + i * p.stride_y + j), load(p.d_y + i * p.stride_d_y + j));
    store(change, p.d_x + i * p.stride_d_x + j);
    return change;
  };
  if (p.d_bias != nullptr) return SumRows(p.rows, p.columns, p.d_bias, value);
  for (int64_t i = 0; i < p.rows; ++i)
    ForVectors<T>(p.columns, [&](int64_t j, const auto& load, const auto& store)
                                 HWY_ATTR { value(i, j, load, store); });
}

template <class T>
void Columns(const ColumnSums<T>& p) {
  SumRows(p.rows, p.columns, p.sums,
          [&](int64_t i, int64_t j, const auto& load, const auto&)
              HWY_ATTR { return load(p.x + i * p.stride + j); });
}

template <class T>
void AddTo(T* y, const T* x, int64_t n, T factor) {
  const hn::ScalableTag<T> d;
  ForVectors<T>(n, [&](int64_t j, const auto& load, const auto& store) HWY_ATTR {
    store(hn::MulAdd(hn::Set(d, factor), load(x + j), load(y + j)), y + j);
  });
}

template <class T>
void Scale(T* y, int64_t n, T factor) {
  const hn::ScalableTag<T> d;
  ForVectors<T>(n, [&](int64_t j, const auto& load, const auto& store)
                       HWY_ATTR { store(hn::Mul(load(y + j), hn::Set(d, factor)), y + j); });
}

void ReluF32(const ReluRows<float>& p) { Relu(p); }
void ReluF64(const ReluRows<double>& p) { Relu(p); }
void ReluBackwardF32(const ReluGradients<float>& p) { ReluBackward(p); }
void ReluBackwardF64(const ReluGradients<double>& p) { ReluBackward(p); }
void ColumnsF32(const ColumnSums<float>& p) { Columns(p); }
void ColumnsF64(const ColumnSums<double>& p) { Columns(p); }
void AddToF32(float* y, const float* x, int64_t n, float factor) { AddTo(y, x, n, factor); }
void AddToF64(double* y, const double* x, int64_t n, double factor) { AddTo(y, x, n, factor); }
void ScaleF32(float* y, int64_t n, float factor) { Scale(y, n, factor); }
void ScaleF64(double* y, int64_t n, double factor) { Scale(y, n, factor); }

}  // namespace HWY_NAMESPACE
}  // namespace attend::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend::kernels {
HWY_EXPORT(ReluF32);
HWY_EXPORT(ReluF64);
HWY_EXPORT(ReluBackwardF32);
HWY_EXPORT(ReluBackwardF64);
HWY_EXPORT(ColumnsF32);
HWY_EXPORT(ColumnsF64);
HWY_EXPORT(AddToF32);
HWY_EXPORT(AddToF64);
HWY_EXPORT(ScaleF32);
HWY_EXPORT(ScaleF64);
void relu(const ReluRows<float>& p) { HWY_DYNAMIC_DISPATCH(ReluF32)(p); }
void relu(const ReluRows<double>& p) { HWY_DYNAMIC_DISPATCH(ReluF64)(p); }
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
void scale(float* y, int64_t n, float factor) { HWY_DYNAMIC_DISPATCH(ScaleF32)(y, n, factor); }
void scale(double* y, int64_t n, double factor) { HWY_DYNAMIC_DISPATCH(ScaleF64)(y, n, factor); }
}  // namespace attend::kernels
#endif
