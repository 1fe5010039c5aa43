#include "attend/kernels/cross_entropy.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "attend/kernels/for_types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/kernels/cross_entropy.cpp"
// clang-format off: the first compiles this file once a target
#include "hwy/foreach_target.h"
#include "attend/kernels/for_vectors-inl.h"
#include "attend/kernels/row_sums-inl.h"
#include "attend/kernels/vector_math-inl.h"
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace attend::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A row goes in blocks that stay in the first-level cache between the search for the greatest and
// the exponentials; a block is shifted by the greatest up to its end.
constexpr int64_t kBlockBytes = 8192;
constexpr int64_t kMostBlocks = 64;

template <class T>
HWY_INLINE void Multiply(T* x, int64_t n, T factor) {
  const hn::ScalableTag<T> d;
  ForVectors<T>(n, [&](int64_t j, const auto& load, const auto& store)
                       HWY_ATTR { store(hn::Mul(load(x + j), hn::Set(d, factor)), x + j); });
}

// -log softmax(l)[target]; with kKeep the row becomes its gradient.
template <bool kKeep, class T, class Index>
HWY_INLINE double Row(const CrossEntropyRows<T, Index>& p, int64_t row, int64_t block) {
  T* logits = p.logits + row * p.stride;
  const auto target = static_cast<int64_t>(p.targets[row]);
  const T chosen = logits[target];
  T shifts[kMostBlocks];
  T greatest = -std::numeric_limits<T>::infinity();
  double sum = 0;  // of exp(l - greatest)
  for (int64_t first = 0, b = 0; first < p.columns; first += block, ++b) {
    const int64_t n = std::min(block, p.columns - first);
    const T before = greatest;
    greatest = std::max(greatest, Greatest(logits + first, n));
    if (sum != 0) sum *= std::exp(static_cast<double>(before - greatest));
    shifts[b] = std::max(greatest, std::numeric_limits<T>::lowest());
    sum += Exponentials<T>(logits + first, n, greatest, kKeep ? logits + first : nullptr);
  }
  if (kKeep) {
    const double factor = 1 / sum;
    for (int64_t first = 0, b = 0; first < p.columns; first += block, ++b)
      Multiply(logits + first, std::min(block, p.columns - first),
               static_cast<T>(factor * std::exp(static_cast<double>(shifts[b] - greatest))));
    logits[target] -= 1;
  }
  if (p.sums != nullptr) {
    p.sums[2 * row] = greatest;
    p.sums[2 * row + 1] = static_cast<T>(1 / sum);
  }
  return std::log(sum) + static_cast<double>(greatest - chosen);
}

template <bool kKeep, class T, class Index>
HWY_INLINE double Rows(const CrossEntropyRows<T, Index>& p) {
  const int64_t in_cache = kBlockBytes / static_cast<int64_t>(sizeof(T));
  const int64_t block = std::max(in_cache, (p.columns + kMostBlocks - 1) / kMostBlocks);
  double loss = 0;
  for (int64_t i = 0; i < p.rows; ++i) loss += Row<kKeep>(p, i, block);
  return loss;
}

template <class T>
void Gradient(const CrossEntropyGradient<T>& p) {
  const hn::ScalableTag<T> d;
  for (int64_t i = 0; i < p.rows; ++i) {
    const T* logits = p.logits + i * p.stride;
    T* d_logits = p.d_logits + i * p.d_stride;
    const auto shift = hn::Set(d, p.sums[2 * i]), factor = hn::Set(d, p.scale * p.sums[2 * i + 1]);
    ForVectors<T>(p.columns, [&](int64_t j, const auto& load, const auto& store) HWY_ATTR {
      store(hn::Mul(FastExp(d, hn::Sub(load(logits + j), shift)), factor), d_logits + j);
    });
    d_logits[p.targets[i]] -= p.scale;
  }
}

template <class T>
double InPlace(const CrossEntropyRows<T, int32_t>& p) {
  return Rows<true>(p);
}
template <class T>
double Loss32(const CrossEntropyRows<T, int32_t>& p) {
  return Rows<false>(p);
}
template <class T>
double Loss64(const CrossEntropyRows<T, int64_t>& p) {
  return Rows<false>(p);
}

ATTEND_FOR_TYPES(InPlace);
ATTEND_FOR_TYPES(Loss32);
ATTEND_FOR_TYPES(Loss64);
ATTEND_FOR_TYPES(Gradient);

}  // namespace HWY_NAMESPACE
}  // namespace attend::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend::kernels {
template <class T>
using Rows32 = CrossEntropyRows<T, int32_t>;
template <class T>
using Rows64 = CrossEntropyRows<T, int64_t>;

ATTEND_DISPATCH(double, cross_entropy, InPlace, Rows32);
ATTEND_DISPATCH(double, cross_entropy_loss, Loss32, Rows32);
ATTEND_DISPATCH(double, cross_entropy_loss, Loss64, Rows64);
ATTEND_DISPATCH(void, cross_entropy_gradient, Gradient, CrossEntropyGradient);
}  // namespace attend::kernels
#endif
