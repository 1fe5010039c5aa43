#include "attend/kernels/gru.h"

#include "attend/kernels/for_types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/kernels/gru.cpp"
// clang-format off: the first compiles this file once a target
#include "hwy/foreach_target.h"
#include "attend/kernels/for_vectors-inl.h"
#include "attend/kernels/vector_math-inl.h"
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace attend::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <bool kKeep, class T>
void ForwardRows(const GruForwardRows<T>& p) {
  const hn::ScalableTag<T> d;
  const int64_t width = p.width;
  for (int64_t i = 0; i < p.n; ++i) {
    const T* x = p.input_gates + i * 3 * width;
    const T* h = p.hidden_gates + i * 3 * width;
    const T* bias = p.hidden_bias;
    const int64_t row = i * width;
    ForVectors<T>(width, [&](int64_t j, const auto& load, const auto& store) HWY_ATTR {
      const auto sum = [&](int64_t k) HWY_ATTR {
        return hn::Add(hn::Add(load(h + k), load(bias + k)), load(x + k));
      };
      const auto reset = FastSigmoid(d, sum(j));
      const auto update = FastSigmoid(d, sum(width + j));
      const int64_t k = 2 * width + j;
      const auto recurrent = hn::Add(load(h + k), load(bias + k));
      const auto candidate = FastTanh(d, hn::MulAdd(reset, recurrent, load(x + k)));
      const auto previous = load(p.state + row + j);
      const auto state = hn::MulAdd(update, hn::Sub(previous, candidate), candidate);
      store(state, p.state + row + j);
      if (p.rows != nullptr) store(state, p.rows + row + j);
      if constexpr (kKeep) {
        T* gates = p.gates + i * 2 * width;
        store(previous, p.previous + row + j);
        store(reset, gates + j);
        store(update, gates + width + j);
        store(recurrent, p.recurrent + row + j);
        store(candidate, p.candidate + row + j);
      }
    });
  }
}

template <class T>
void Forward(const GruForwardRows<T>& p) {
  p.previous != nullptr ? ForwardRows<true>(p) : ForwardRows<false>(p);
}

template <class T>
void Backward(const GruBackwardRows<T>& p) {
  const hn::ScalableTag<T> d;
  const int64_t width = p.width;
  const auto one = hn::Set(d, T(1));
  for (int64_t i = 0; i < p.n; ++i) {
    const T* gates = p.gates + i * 2 * width;
    T* d_input = p.d_input_gates + i * 3 * width;
    T* d_hidden = p.d_hidden_gates + i * 3 * width;
    const int64_t row = i * width;
    ForVectors<T>(width, [&](int64_t j, const auto& load, const auto& store) HWY_ATTR {
      const auto reset = load(gates + j), update = load(gates + width + j);
      const auto candidate = load(p.candidate + row + j);
      const auto change = load(p.d_state + row + j);
      const auto keep = hn::Sub(one, update);
      const auto d_candidate =  // of what tanh takes
          hn::Mul(hn::Mul(change, keep), hn::NegMulAdd(candidate, candidate, one));
      const auto d_update = hn::Mul(hn::Mul(change, hn::Sub(load(p.previous + row + j), candidate)),
                                    hn::Mul(update, keep));
      const auto d_reset = hn::Mul(hn::Mul(d_candidate, load(p.recurrent + row + j)),
                                   hn::Mul(reset, hn::Sub(one, reset)));
      store(d_reset, d_input + j);
      store(d_reset, d_hidden + j);
      store(d_update, d_input + width + j);
      store(d_update, d_hidden + width + j);
      store(d_candidate, d_input + 2 * width + j);
      store(hn::Mul(d_candidate, reset), d_hidden + 2 * width + j);
      store(hn::Mul(change, update), p.d_state + row + j);
    });
  }
}

ATTEND_FOR_TYPES(Forward);
ATTEND_FOR_TYPES(Backward);

}  // namespace HWY_NAMESPACE
}  // namespace attend::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend::kernels {
ATTEND_DISPATCH(void, gru_forward, Forward, GruForwardRows);
ATTEND_DISPATCH(void, gru_backward, Backward, GruBackwardRows);
}  // namespace attend::kernels
#endif
