#include "attend/fused/attention_gru.h"

#include <algorithm>

#include "attend/fused/dropout.h"
#include "attend/kernels/activation.h"

namespace attend::fused {

template <class T>
AttentionGru<T>::AttentionGru(const AttentionGruPlaces& places, Panels<T>& panels)
    : query_(places.query, Linear<T>::kNone, panels),
      context_(places.context, Linear<T>::kNone, panels),
      score_(places.score),
      weight_site_(places.weight_site) {
  for (const GruPlaces& layer : places.layers) {
    if (!layers_.empty()) inputs_.emplace_back(layer.input, layer.input_bias, panels);
    layers_.emplace_back(layer.hidden, layer.hidden_bias, panels);
    sites_.push_back(layer.site);
  }
}

template <class T>
kernels::AdditiveLookRows<T> AttentionGru<T>::look_rows(const Pass<T>& pass,
                                                        const Memory<T>& memory, const T* queries,
                                                        const T* multiplier, int64_t n) const {
  return {queries,
          memory.keys,
          memory.values,
          pass.parameters + score_,
          memory.hidden,
          multiplier,
          n,
          memory.longest,
          query_.outputs(),
          context_.inputs(),
          memory.begins,
          memory.lengths};
}

// Takes what the steps leave behind, and draws dropout. Where no backward pass follows, all steps
// look in the memory of one.
template <class T>
auto AttentionGru<T>::begin(const Pass<T>& pass, const TimeMajor& layout,
                            const std::vector<int64_t>& numbers, const Memory<T>& memory,
                            T* top) const -> Trace {
  const int64_t sources = memory.longest, n = layout.rows();
  const int64_t kept = pass.learns ? n : layout.size();
  Trace trace{};
  trace.queries = pass.take(kept, query_.outputs());
  trace.weights = pass.take(kept, sources);
  trace.look = pass.take(kept, sources);
  trace.contexts = pass.take(kept, context_.inputs());
  if (const uint32_t* keys = dropout_keys(pass, weight_site_, numbers); keys != nullptr) {
    trace.multiplier = pass.take(n, sources);
    drop_rows(pass, keys, Rows<const T>(nullptr, n, sources),
              Rows<T>(trace.multiplier, n, sources));
  }
  for (size_t l = 0; l < layers_.size(); ++l) {
    trace.layers.push_back(layers_[l].trace(pass, n));
    trace.keys.push_back(l == 0 ? nullptr : dropout_keys(pass, sites_[l], numbers));
    if (l == 0)
      trace.entered.push_back(nullptr);
    else
      trace.entered.push_back(trace.keys[l] == nullptr ? trace.layers[l - 1].rows
                                                       : pass.take(n, width()));
  }
  if (top != nullptr) trace.layers.back().rows = top;
  return trace;
}

template <class T>
auto AttentionGru<T>::forward(const Pass<T>& pass, const TimeMajor& layout,
                              const std::vector<int64_t>& numbers, const Memory<T>& memory,
                              T* gates, const std::vector<T*>& states, T* rows) const -> Trace {
  const int64_t h = width(), features = query_.outputs(), width_of_values = context_.inputs();
  Trace trace = begin(pass, layout, numbers, memory, rows);
  T* upper = pass.take(layout.size(), 3 * h);
  T* products = pass.take(layout.size(), 3 * h);

  for (int64_t t = 0; t < layout.steps(); ++t) {
    const int64_t row = layout.starts[static_cast<size_t>(t)];
    const int64_t n = layout.live[static_cast<size_t>(t)];
    const int64_t kept = pass.learns ? row : 0;
    const Rows<T> queries(trace.queries + kept * features, n, features);
    query_.forward(pass, Rows<T>(states.back(), n, h), queries);
    const Rows<T> context(trace.contexts + kept * width_of_values, n, width_of_values);
    kernels::additive_look_forward(
        look_rows(pass, memory, queries.data, multiplier_of(trace, memory, row), n),
        {trace.weights + kept * memory.longest, trace.look + kept * memory.longest, context.data});
    T* first = gates + row * 3 * h;
    context_.forward(pass, context, Rows<T>(first, n, 3 * h), true);
    layers_[0].step(pass, row, n, first, states[0], products, trace.layers[0]);
    for (size_t l = 1; l < layers_.size(); ++l) {
      const Rows<T> below(trace.layers[l - 1].rows + row * h, n, h);
      const Rows<T> entered(trace.entered[l] + row * h, n, h);
      drop_rows(pass, trace.keys[l] == nullptr ? nullptr : trace.keys[l] + row, below, entered);
      inputs_[l - 1].forward(pass, entered, Rows<T>(upper, n, 3 * h));
      layers_[l].step(pass, row, n, upper, states[l], products, trace.layers[l]);
    }
  }
  return trace;
}

template <class T>
const T* AttentionGru<T>::step(const Pass<T>& pass, int64_t n, const Memory<T>& memory, T* gates,
                               const std::vector<T*>& states) const {
  const int64_t h = width(), features = query_.outputs(), values = context_.inputs();
  Trace trace{};
  trace.queries = pass.take(n, features);
  trace.weights = pass.take(n, memory.longest);
  query_.forward(pass, Rows<T>(states.back(), n, h), Rows<T>(trace.queries, n, features));
  const Rows<T> context(pass.take(n, values), n, values), input(gates, n, 3 * h);
  kernels::additive_look_forward(look_rows(pass, memory, trace.queries, nullptr, n),
                                 {trace.weights, pass.take(n, memory.longest), context.data});
  context_.forward(pass, context, input, true);
  T* products = pass.take(n, 3 * h);
  for (size_t l = 0; l < layers_.size(); ++l) {
    if (l > 0) inputs_[l - 1].forward(pass, Rows<T>(states[l - 1], n, h), input);
    layers_[l].step(pass, 0, n, gates, states[l], products, GruTrace<T>{});
  }
  return trace.weights;
}

template <class T>
const T* AttentionGru<T>::backward(const Pass<T>& pass, const TimeMajor& layout,
                                   const Memory<T>& memory, const Trace& trace, const T* d_rows,
                                   const std::vector<T*>& d_states, T* d_keys, T* d_values) const {
  const int64_t h = width(), features = query_.outputs(), all = layout.rows();
  const int64_t width_of_values = context_.inputs();
  std::vector<typename Gru<T>::Gradient> d_layers;
  for (const Gru<T>& layer : layers_) d_layers.push_back(layer.gradient(pass, all));
  T* d_queries = pass.take(all, features);
  T* d_scores = pass.take(layout.size(), memory.longest);
  T* d_context = pass.take(layout.size(), width_of_values);
  T* d_entered = pass.take(layout.size(), h);
  T* d_score = pass.gradients + score_;
  std::fill_n(d_score, features, T(0));

  for (int64_t t = layout.steps(); t-- > 0;) {
    const int64_t row = layout.starts[static_cast<size_t>(t)];
    const int64_t n = layout.live[static_cast<size_t>(t)];
    kernels::add_to(d_states.back(), d_rows + row * h, n * h);
    for (size_t l = layers_.size(); l-- > 1;) {
      layers_[l].step_back(pass, row, n, d_states[l], trace.layers[l], d_layers[l]);
      const Rows<T> below(d_entered, n, h);
      inputs_[l - 1].backward_input(pass, Rows<T>(d_layers[l].of_input + row * 3 * h, n, 3 * h),
                                    below);
      drop_rows(pass, trace.keys[l] == nullptr ? nullptr : trace.keys[l] + row, below, below);
      kernels::add_to(d_states[l - 1], d_entered, n * h);
    }
    layers_[0].step_back(pass, row, n, d_states[0], trace.layers[0], d_layers[0]);
    context_.backward_input(pass, Rows<T>(d_layers[0].of_input + row * 3 * h, n, 3 * h),
                            Rows<T>(d_context, n, width_of_values));
    const Rows<T> d_query(d_queries + row * features, n, features);
    kernels::additive_look_backward(
        look_rows(pass, memory, trace.queries + row * features, multiplier_of(trace, memory, row),
                  n),
        {d_context, trace.weights + row * memory.longest, trace.look + row * memory.longest,
         d_scores, d_query.data, d_keys, d_values, d_score});
    // The state before the step asked.
    query_.backward_input(pass, d_query, Rows<T>(d_states.back(), n, h), true);
  }

  query_.backward_weight(pass, Rows<T>(d_queries, all, features),
                         Rows<T>(trace.layers.back().previous, all, h));
  const Rows<const T> d_gates(d_layers[0].of_input, all, 3 * h);
  context_.backward_weight(pass, d_gates, Rows<T>(trace.contexts, all, width_of_values));
  for (size_t l = 0; l < layers_.size(); ++l) {
    layers_[l].backward_weight(pass, all, trace.layers[l], d_layers[l]);
    if (l > 0)
      inputs_[l - 1].backward_weight(pass, Rows<T>(d_layers[l].of_input, all, 3 * h),
                                     Rows<T>(trace.entered[l], all, h));
  }
  return d_gates.data;
}

template class AttentionGru<float>;
template class AttentionGru<double>;

}  // namespace attend::fused
