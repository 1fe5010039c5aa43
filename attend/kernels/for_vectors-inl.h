// Loops over a row, vector by vector, to its very end. Included once a target.
#if defined(ATTEND_KERNELS_FOR_VECTORS) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_KERNELS_FOR_VECTORS
#undef ATTEND_KERNELS_FOR_VECTORS
#else
#define ATTEND_KERNELS_FOR_VECTORS
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace attend::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The first `count` < lanes numbers from p, then zeros. Nothing beyond them is touched, which
// MaskedLoad and BlendedStore promise on AVX2 and AVX-512 alone.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> LoadFirst(D d, const T* p, size_t count) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2  // better targets have lower numbers
  return hn::MaskedLoad(hn::FirstN(d, count), d, p);
#else
  HWY_ALIGN T buffer[HWY_MAX_BYTES / sizeof(T)] = {};
  for (size_t i = 0; i < count; ++i) buffer[i] = p[i];
  return hn::Load(d, buffer);
#endif
}

template <class D, class T = hn::TFromD<D>>
HWY_INLINE void StoreFirst(hn::Vec<D> v, D d, T* p, size_t count) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2  // better targets have lower numbers
  hn::BlendedStore(v, hn::FirstN(d, count), d, p);
#else
  HWY_ALIGN T buffer[HWY_MAX_BYTES / sizeof(T)] = {};
  hn::Store(v, d, buffer);
  for (size_t i = 0; i < count; ++i) p[i] = buffer[i];
#endif
}

// body(j, load, store) for j = 0, lanes, 2 lanes, ...; the last one touches what is left alone, and
// loads zeros beyond it.
template <class T, class Body>
HWY_INLINE void ForVectors(int64_t width, const Body& body) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t j = 0;
  for (; j + lanes <= width; j += lanes)
    body(
        j, [&](const T* x) HWY_ATTR { return hn::LoadU(d, x); },
        [&](V v, T* x) HWY_ATTR { hn::StoreU(v, d, x); });
  if (j == width) return;
  const auto left = static_cast<size_t>(width - j);
  body(
      j, [&](const T* x) HWY_ATTR { return LoadFirst(d, x, left); },
      [&](V v, T* x) HWY_ATTR { StoreFirst(v, d, x, left); });
}

// body(j, load, pad, store) likewise; pad loads `other` beyond the end, for sums and the greatest.
template <class T, class Body>
HWY_INLINE void ForPaddedVectors(int64_t width, T other, const Body& body) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto load = [&](const T* x) HWY_ATTR { return hn::LoadU(d, x); };
  int64_t j = 0;
  for (; j + lanes <= width; j += lanes)
    body(j, load, load, [&](V v, T* x) HWY_ATTR { hn::StoreU(v, d, x); });
  if (j == width) return;
  const auto left = static_cast<size_t>(width - j);
  body(
      j, [&](const T* x) HWY_ATTR { return LoadFirst(d, x, left); },
      [&](const T* x) HWY_ATTR {
        return hn::IfThenElse(hn::FirstN(d, left), LoadFirst(d, x, left), hn::Set(d, other));
      },
      [&](V v, T* x) HWY_ATTR { StoreFirst(v, d, x, left); });
}

}  // namespace HWY_NAMESPACE
}  // namespace attend::kernels
HWY_AFTER_NAMESPACE();
#endif
