#include "attend/kernels/dropout.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/kernels/dropout.cpp"
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
void Drop(const DropoutRows<T>& p) {
  const hn::ScalableTag<T> d;
  for (int64_t i = 0; i < p.rows; ++i) {
    const uint32_t key = p.keys[i];
    const T* x = p.x == nullptr ? nullptr : p.x + i * p.stride_x;
    T* y = p.y + i * p.stride_y;
    ForVectors<T>(p.columns, [&](int64_t j, const auto& load, const auto& store) HWY_ATTR {
      const auto v = x == nullptr ? hn::Set(d, T(1)) : load(x + j);
      store(Dropped(d, v, key, j, p.threshold, p.kept), y + j);
    });
  }
}

void DropF32(const DropoutRows<float>& p) { Drop(p); }
void DropF64(const DropoutRows<double>& p) { Drop(p); }

}  // namespace HWY_NAMESPACE
}  // namespace attend::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend::kernels {
HWY_EXPORT(DropF32);
HWY_EXPORT(DropF64);
void dropout(const DropoutRows<float>& p) { HWY_DYNAMIC_DISPATCH(DropF32)(p); }
void dropout(const DropoutRows<double>& p) { HWY_DYNAMIC_DISPATCH(DropF64)(p); }
}  // namespace attend::kernels
#endif
