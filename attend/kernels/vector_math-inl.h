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
// greatest relative error by reweighted least squares; 3e-7 as computed here.
template <class D>
HWY_INLINE hn::Vec<D> FastTanh(D d, hn::Vec<D> x) {
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    return hn::Tanh(d, x);
  } else {
    x = hn::Min(hn::Max(x, hn::Set(d, -8.0f)), hn::Set(d, 8.0f));
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

// e^x for x up to 88 (709 in double), 0 from -87 (-708) down; what is NaN stays NaN, which
// Highway's does not promise. In float 2^n (1 + r + r^2 P(r)) with |r| <= log(2) / 2; 1e-7.
template <class D>
HWY_INLINE hn::Vec<D> FastExp(D d, hn::Vec<D> x) {
  using T = hn::TFromD<D>;
  if constexpr (sizeof(T) == 8) {
    const auto e = hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, T(-708))), hn::Exp(d, x));
    return hn::IfThenElse(hn::IsNaN(x), x, e);
  } else {
    const hn::Rebind<int32_t, D> di;
    const auto magic = hn::Set(d, 12583039.0f);  // leaves n + 127 in the low bits
    const auto shifted = hn::MulAdd(x, hn::Set(d, 1.44269504f), magic);
    const auto count = hn::Sub(shifted, magic);  // n
    auto r = hn::NegMulAdd(count, hn::Set(d, 0.693145752f), x);
    r = hn::NegMulAdd(count, hn::Set(d, 1.42860677e-6f), r);
    auto p = hn::Set(d, 0.00139304355f);  // the coefficients of Highway's exp
    p = hn::MulAdd(hn::Set(d, 0.000198527618f), r, p);
    p = hn::MulAdd(p, r, hn::Set(d, 0.00833336078f));
    p = hn::MulAdd(p, r, hn::Set(d, 0.0416664854f));
    p = hn::MulAdd(p, r, hn::Set(d, 0.166666672f));
    p = hn::MulAdd(p, r, hn::Set(d, 0.5f));
    p = hn::MulAdd(hn::MulAdd(p, r, hn::Set(d, 1.0f)), r, hn::Set(d, 1.0f));
    const auto power = hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(di, shifted)));
    return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, -87.0f)), hn::Mul(p, power));
  }
}

// 2^x for x <= 127, 0 below the least normal number; NaN stays. In float a polynomial on
// [-0.5, 0.5], coefficients by reweighted least squares: 2e-7 as computed here.
template <class D>
HWY_INLINE hn::Vec<D> FastExp2(D d, hn::Vec<D> x) {
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    const auto e = hn::Exp(d, hn::Mul(x, hn::Set(d, 0.693147180559945309)));
    return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, -1022.0)), e);
  } else {
    const hn::RebindToSigned<D> di;
    const auto magic = hn::Set(d, 12582912.0f);  // leaves the nearest integer in the low bits
    const auto shifted = hn::Add(x, magic);
    const auto r = hn::Sub(x, hn::Sub(shifted, magic));
    auto p = hn::Set(d, 0.001326472731307149f);
    p = hn::MulAdd(p, r, hn::Set(d, 0.009671512991189957f));
    p = hn::MulAdd(p, r, hn::Set(d, 0.05550733581185341f));
    p = hn::MulAdd(p, r, hn::Set(d, 0.24022242426872253f));
    p = hn::MulAdd(p, r, hn::Set(d, 0.6931470036506653f));
    p = hn::MulAdd(p, r, hn::Set(d, 1.0f));
    const auto power = hn::ShiftLeft<23>(hn::BitCast(di, shifted));
    const auto e = hn::BitCast(d, hn::Add(hn::BitCast(di, p), power));
    return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, -126.0f)), e);
  }
}

// (1 + tanh(x / 2)) / 2 in float, good to 2e-7 absolute. Highway's exp is good up to 709: below
// that, sigmoid is as good as 0.
template <class D>
HWY_INLINE hn::Vec<D> FastSigmoid(D d, hn::Vec<D> x) {
  using T = hn::TFromD<D>;
  if constexpr (sizeof(T) == 4) {
    const auto half = hn::Set(d, T(0.5));
    return hn::MulAdd(FastTanh(d, hn::Mul(x, half)), half, half);
  } else {
    const auto one = hn::Set(d, T(1));
    return hn::Div(one, hn::Add(one, hn::Exp(d, hn::Neg(hn::Max(x, hn::Set(d, T(-700)))))));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attend::kernels
HWY_AFTER_NAMESPACE();
#endif
