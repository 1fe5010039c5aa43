#include "attend/fused/gru_stack.h"

#include <algorithm>

#include "attend/fused/dropout.h"
#include "attend/kernels/activation.h"

namespace attend::fused {

template <class T>
GruStack<T>::GruStack(const WeightPlace& embedding, const std::vector<GruPlaces>& layers,
                      Panels<T>& panels, bool tied) {
  for (size_t l = 0; l < layers.size(); ++l) {
    WeightPlace input = layers[l].input;
    if (l == 0) input.inputs = embedding.inputs;
    const Linear<T> linear(input, layers[l].input_bias, panels);
    if (l == 0)
      first_ = TokenGates<T>(embedding, linear, tied);
    else
      inputs_.push_back(linear);
    layers_.emplace_back(layers[l].hidden, layers[l].hidden_bias, panels);
    sites_.push_back(layers[l].site);
  }
}

template <class T>
auto GruStack<T>::forward(const Pass<T>& pass, const TokenRows& rows, const std::vector<T*>& states,
                          const T* sentence_gates) const -> Trace {
  const int64_t n = rows.layout.rows(), h = width();
  T* gates = pass.take(n, 3 * h);
  Trace trace{first_.forward(pass, rows.tokens, Rows<T>(gates, n, 3 * h)), {}, {}, {}};
  if (sentence_gates != nullptr)
    for (size_t t = 0; t < rows.layout.live.size(); ++t)
      kernels::add_to(gates + rows.layout.starts[t] * 3 * h, sentence_gates,
                      rows.layout.live[t] * 3 * h);
  for (size_t l = 0; l < layers_.size(); ++l) {
    const uint32_t* keys = l == 0 ? nullptr : dropout_keys(pass, sites_[l], rows.numbers);
    const T* entered = nullptr;
    if (l > 0) {
      const Rows<T> below(trace.layers[l - 1].rows, n, h);
      const Rows<T> dropped(keys == nullptr ? below.data : pass.take(n, h), n, h);
      drop_rows(pass, keys, below, dropped);
      inputs_[l - 1].forward(pass, dropped, Rows<T>(gates, n, 3 * h));
      entered = dropped.data;
    }
    trace.keys.push_back(keys);
    trace.entered.push_back(entered);
    trace.layers.push_back(layers_[l].trace(pass, n));
    layers_[l].forward(pass, rows.layout, gates, states[l], sentence_gates == nullptr,
                       trace.layers[l]);
  }
  return trace;
}

template <class T>
void GruStack<T>::step(const Pass<T>& pass, const int32_t* tokens, int64_t n,
                       const std::vector<T*>& states, const T* sentence_gates) const {
  const int64_t h = width();
  const Rows<T> gates(pass.take(n, 3 * h), n, 3 * h);
  T* products = pass.take(n, 3 * h);
  first_.step(pass, tokens, gates);
  if (sentence_gates != nullptr) kernels::add_to(gates.data, sentence_gates, n * 3 * h);
  for (size_t l = 0; l < layers_.size(); ++l) {
    if (l > 0) inputs_[l - 1].forward(pass, Rows<T>(states[l - 1], n, h), gates);
    layers_[l].step(pass, 0, n, gates.data, states[l], products, GruTrace<T>{});
  }
}

template <class T>
void GruStack<T>::backward(const Pass<T>& pass, const TokenRows& rows, const Trace& trace,
                           const T* d_rows, const std::vector<T*>& d_states,
                           T* d_sentence_gates) const {
  const int64_t n = rows.layout.rows(), h = width();
  T* d_entered = layers_.size() > 1 ? pass.take(n, h) : nullptr;
  for (size_t l = layers_.size(); l-- > 1;) {
    const Rows<const T> d_gates(layers_[l].backward(pass, rows.layout, trace.layers[l], d_rows,
                                                    d_states[l], d_sentence_gates == nullptr),
                                n, 3 * h);
    const Rows<T> below(d_entered, n, h);
    inputs_[l - 1].backward_weight(pass, d_gates, Rows<const T>(trace.entered[l], n, h));
    inputs_[l - 1].backward_input(pass, d_gates, below);
    drop_rows(pass, trace.keys[l], below, below);
    d_rows = d_entered;
  }
  const T* d_gates = layers_[0].backward(pass, rows.layout, trace.layers[0], d_rows, d_states[0],
                                         d_sentence_gates == nullptr);
  first_.backward(pass, rows.tokens, trace.embedded, Rows<const T>(d_gates, n, 3 * h));
  if (d_sentence_gates == nullptr) return;
  std::fill_n(d_sentence_gates, rows.layout.size() * 3 * h, T(0));
  for (size_t t = 0; t < rows.layout.live.size(); ++t)
    kernels::add_to(d_sentence_gates, d_gates + rows.layout.starts[t] * 3 * h,
                    rows.layout.live[t] * 3 * h);
}

template class GruStack<float>;
template class GruStack<double>;

}  // namespace attend::fused
