// exp, tanh and sigmoid of vectors, for the kernels. Included once a target.
#if defined(ATTEND_KERNELS_VECTOR_MATH) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_KERNELS_VECTOR_MATH
#undef ATTEND_KERNELS_VECTOR_MATH
#else
#define ATTEND_KERNELS_VECTOR_MATH
#endif

#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace attend::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The greater of both and the smaller, NaN where x is. On x86 the second operand of Max and Min is
// what remains where one is NaN; elsewhere it is the number.
template <class D>
HWY_INLINE hn::Vec<D> AtLeast(D, hn::Vec<D> least, hn::Vec<D> x) {
#if HWY_ARCH_X86 && HWY_TARGET < HWY_EMU128  // better targets have lower numbers
  return hn::Max(least, x);
#else
  return hn::IfThenElse(hn::Lt(x, least), least, x);
#endif
}

template <class D>
HWY_INLINE hn::Vec<D> AtMost(D, hn::Vec<D> most, hn::Vec<D> x) {
#if HWY_ARCH_X86 && HWY_TARGET < HWY_EMU128
  return hn::Min(most, x);
#else
  return hn::IfThenElse(hn::Gt(x, most), most, x);
#endif
}

// a / b in float, b neither tiny nor huge: on AVX-512 by its estimate of 1 / b and one step of
// Newton's, half the time of a division, to 2 units in the last place.
template <class D>
HWY_INLINE hn::Vec<D> FastDiv(D d, hn::Vec<D> a, hn::Vec<D> b) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  const auto estimate = hn::ApproximateReciprocal(b);
  return hn::Mul(a, hn::Mul(estimate, hn::NegMulAdd(b, estimate, hn::Set(d, 2.0f))));
#else
  return hn::Div(a, b);
#endif
}

// In float x P(x^2) / Q(x^2) on [-8, 8], beyond which tanh is 1. The coefficients are ours: least
// greatest relative error by reweighted least squares; 3e-7 as computed here. NaN stays.
template <class D>
HWY_INLINE hn::Vec<D> FastTanh(D d, hn::Vec<D> x) {
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    return hn::IfThenElse(hn::IsNaN(x), x, hn::Tanh(d, x));
  } else {
    x = AtMost(d, hn::Set(d, 8.0f), AtLeast(d, hn::Set(d, -8.0f), x));
    const auto u = hn::Mul(x, x);
    auto p = hn::Set(d, 1.5230765981755212e-08f);
    p = hn::MulAdd(p, u, hn::Set(d, 2.1894908059039153e-05f));
    p = hn::MulAdd(p, u, hn::Set(d, 0.0035716129932552576f));
    p = hn::MulAdd(p, u, hn::Set(d, 0.13444510102272034f));
    p = hn::MulAdd(p, u, hn::Set(d, 1.0f));
    auto q = hn::Set(d, 8.522587791048863e-07f);
    q = hn::MulAdd(q, u, hn::Set(d, 0.00034113164292648435f));
    q = hn::MulAdd(q, u, hn::Set(d, 0.026164500042796135f));
    q = hn::MulAdd(q, u, hn::Set(d, 0.46777838468551636f));
    q = hn::MulAdd(q, u, hn::Set(d, 1.0f));
    return FastDiv(d, hn::Mul(x, p), q);
  }
}

// An integer is added in float to this, which leaves it, and 127 more, in the low bits.
inline constexpr float kExponentShift = 12583039.0f;

// 2^(n + r) in float, n in the low bits of `shifted` and r in [-0.5, 0.5]: a polynomial,
// coefficients by reweighted least squares. NaN in r stays.
template <class D>
HWY_INLINE hn::Vec<D> PowerOf2(D d, hn::Vec<D> shifted, hn::Vec<D> r) {
  const hn::RebindToSigned<D> di;
  auto p = hn::Set(d, 0.001326472731307149f);
  p = hn::MulAdd(p, r, hn::Set(d, 0.009671512991189957f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.05550733581185341f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.24022242426872253f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.6931470036506653f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f));
  return hn::Mul(p, hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(di, shifted))));
}

// e^x for x up to 88 (709 in double), 0 from -87 (-708) down; what is NaN stays NaN, which
// Highway's does not promise. 2e-7 in float.
template <class D>
HWY_INLINE hn::Vec<D> FastExp(D d, hn::Vec<D> x) {
  using T = hn::TFromD<D>;
  if constexpr (sizeof(T) == 8) {
    const auto e = hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, T(-708))), hn::Exp(d, x));
    return hn::IfThenElse(hn::IsNaN(x), x, e);
  } else {
    const auto shift = hn::Set(d, kExponentShift), log2e = hn::Set(d, 1.44269504f);
    const auto shifted = hn::MulAdd(x, log2e, shift);
    const auto count = hn::Sub(shifted, shift);
    auto r = hn::NegMulAdd(count, hn::Set(d, 0.693145752f), x);  // x - count log(2)
    r = hn::NegMulAdd(count, hn::Set(d, 1.42860677e-6f), r);
    const auto e = PowerOf2(d, shifted, hn::Mul(r, log2e));
    return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, -87.0f)), e);
  }
}

// 2^x for x <= 127 (1022 in double), 0 below -126 (-1021); NaN stays. 2e-7 in float.
template <class D>
HWY_INLINE hn::Vec<D> FastExp2(D d, hn::Vec<D> x) {
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    return FastExp(d, hn::Mul(x, hn::Set(d, 0.693147180559945309)));
  } else {
    const auto shift = hn::Set(d, kExponentShift);
    const auto shifted = hn::Add(x, shift);
    const auto e = PowerOf2(d, shifted, hn::Sub(x, hn::Sub(shifted, shift)));
    return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, -126.0f)), e);
  }
}

// (1 + tanh(x / 2)) / 2 in float, good to 2e-7 absolute. The exponential is good up to 709: below
// that, sigmoid is as good as 0. NaN stays.
template <class D>
HWY_INLINE hn::Vec<D> FastSigmoid(D d, hn::Vec<D> x) {
  using T = hn::TFromD<D>;
  if constexpr (sizeof(T) == 4) {
    const auto half = hn::Set(d, T(0.5));
    return hn::MulAdd(FastTanh(d, hn::Mul(x, half)), half, half);
  } else {
    const auto one = hn::Set(d, T(1));
    return hn::Div(one, hn::Add(one, FastExp(d, hn::Neg(AtLeast(d, hn::Set(d, T(-700)), x)))));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attend::kernels
HWY_AFTER_NAMESPACE();
#endif
