#include "attend/kernels/softmax_rows.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/kernels/softmax_rows.cpp"
// clang-format off: the first compiles this file once a target
#include "hwy/foreach_target.h"
#include "attend/kernels/for_vectors-inl.h"
#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace attend::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
HWY_INLINE T Greatest(const T* x, int64_t n) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  if (n < lanes) {
    T greatest = x[0];
    for (int64_t j = 1; j < n; ++j) greatest = std::max(greatest, x[j]);
    return greatest;
  }
  auto greatest = hn::LoadU(d, x);
  for (int64_t j = lanes; j + lanes <= n; j += lanes)
    greatest = hn::Max(greatest, hn::LoadU(d, x + j));
  greatest = hn::Max(greatest, hn::LoadU(d, x + n - lanes));  // the last ones, some again
  return hn::GetLane(hn::MaxOfLanes(d, greatest));
}

// x = exp(scale x - shift) over n numbers; their sum.
template <class T>
HWY_INLINE T Exponentials(T* x, int64_t n, T scale, T shift) {
  const hn::ScalableTag<T> d;
  auto sum = hn::Zero(d);
  const auto exponential = [&](hn::Vec<decltype(d)> v) HWY_ATTR {
    return hn::Exp(d, hn::MulSub(v, hn::Set(d, scale), hn::Set(d, shift)));
  };
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    const auto e = exponential(hn::LoadU(d, x + j));
    hn::StoreU(e, d, x + j);
    sum = hn::Add(sum, e);
  }
  if (j < n) {  // what LoadFirst fills up with must not be summed
    const auto left = static_cast<size_t>(n - j);
    const auto e = hn::IfThenElseZero(hn::FirstN(d, left), exponential(LoadFirst(d, x + j, left)));
    StoreFirst(e, d, x + j, left);
    sum = hn::Add(sum, e);
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

template <class T>
HWY_INLINE void Multiply(T* x, int64_t n, T factor) {
  const hn::ScalableTag<T> d;
  ForVectors<T>(n, [&](int64_t j, const auto& load, const auto& store)
                       HWY_ATTR { store(hn::Mul(load(x + j), hn::Set(d, factor)), x + j); });
}

HWY_INLINE int64_t Visible(const VisibleColumns& shape, int64_t row) {
  return std::min(shape.columns, shape.visible + row * shape.growth);
}

template <class T>
void Forward(T* x, T* sums, T scale, const VisibleColumns& shape) {
  for (int64_t i = 0; i < shape.rows; ++i, x += shape.columns) {
    const int64_t n = Visible(shape, i);
    std::fill(x + n, x + shape.columns, T(0));
    sums[2 * i] = sums[2 * i + 1] = 0;
    if (n == 0) continue;
    sums[2 * i] = scale * Greatest(x, n);  // scale is positive
    sums[2 * i + 1] = 1 / Exponentials(x, n, scale, sums[2 * i]);
    Multiply(x, n, sums[2 * i + 1]);
  }
}

template <class T>
void Again(T* x, const T* sums, T scale, const VisibleColumns& shape) {
  for (int64_t i = 0; i < shape.rows; ++i, x += shape.columns) {
    const int64_t n = Visible(shape, i);
    std::fill(x + n, x + shape.columns, T(0));
    Exponentials(x, n, scale, sums[2 * i]);
    Multiply(x, n, sums[2 * i + 1]);
  }
}

template <class T>
void Backward(T* gradient, const T* weights, T scale, const VisibleColumns& shape) {
  const hn::ScalableTag<T> d;
  for (int64_t i = 0; i < shape.rows; ++i, gradient += shape.columns, weights += shape.columns) {
    auto sum = hn::Zero(d);
    ForVectors<T>(shape.columns, [&](int64_t j, const auto& load, const auto&) HWY_ATTR {
      sum = hn::MulAdd(load(gradient + j), load(weights + j), sum);
    });
    const auto mean = hn::SumOfLanes(d, sum);
    ForVectors<T>(shape.columns, [&](int64_t j, const auto& load, const auto& store) HWY_ATTR {
      const auto change = hn::Sub(load(gradient + j), mean);
      store(hn::Mul(hn::Mul(load(weights + j), hn::Set(d, scale)), change), gradient + j);
    });
  }
}

void ForwardF32(float* x, float* sums, float scale, const VisibleColumns& shape) {
  Forward(x, sums, scale, shape);
}
void ForwardF64(double* x, double* sums, double scale, const VisibleColumns& shape) {
  Forward(x, sums, scale, shape);
}
void AgainF32(float* x, const float* sums, float scale, const VisibleColumns& shape) {
  Again(x, sums, scale, shape);
}
void AgainF64(double* x, const double* sums, double scale, const VisibleColumns& shape) {
  Again(x, sums, scale, shape);
}
void BackwardF32(float* d, const float* weights, float scale, const VisibleColumns& shape) {
  Backward(d, weights, scale, shape);
}
void BackwardF64(double* d, const double* weights, double scale, const VisibleColumns& shape) {
  Backward(d, weights, scale, shape);
}

}  // namespace HWY_NAMESPACE
}  // namespace attend::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend::kernels {
HWY_EXPORT(ForwardF32);
HWY_EXPORT(ForwardF64);
HWY_EXPORT(AgainF32);
HWY_EXPORT(AgainF64);
HWY_EXPORT(BackwardF32);
HWY_EXPORT(BackwardF64);
void softmax_rows(float* x, float* sums, float scale, const VisibleColumns& shape) {
  HWY_DYNAMIC_DISPATCH(ForwardF32)(x, sums, scale, shape);
}
void softmax_rows(double* x, double* sums, double scale, const VisibleColumns& shape) {
  HWY_DYNAMIC_DISPATCH(ForwardF64)(x, sums, scale, shape);
}
void softmax_rows_again(float* x, const float* sums, float scale, const VisibleColumns& shape) {
  HWY_DYNAMIC_DISPATCH(AgainF32)(x, sums, scale, shape);
}
void softmax_rows_again(double* x, const double* sums, double scale, const VisibleColumns& shape) {
  HWY_DYNAMIC_DISPATCH(AgainF64)(x, sums, scale, shape);
}
void softmax_rows_backward(float* d, const float* weights, float scale,
                           const VisibleColumns& shape) {
  HWY_DYNAMIC_DISPATCH(BackwardF32)(d, weights, scale, shape);
}
void softmax_rows_backward(double* d, const double* weights, double scale,
                           const VisibleColumns& shape) {
  HWY_DYNAMIC_DISPATCH(BackwardF64)(d, weights, scale, shape);
}
}  // namespace attend::kernels
#endif
