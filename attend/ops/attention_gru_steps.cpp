#include "attend/ops/attention_gru_steps.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <utility>

#include "attend/kernels/additive_look.h"
#include "attend/ops/gru_steps.h"
#include "attend/ops/small_product.h"

namespace attend::ops::detail {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// The order of the function's tensors: kFixed of them, then kLayer for each layer, then kUpper for
// each but the first, whose input products come in.
enum Fixed { kInputGates, kValues, kKeys, kQuery, kScore, kContext };
enum Layer { kInitial, kHidden, kHiddenBias };
enum Upper { kInput, kInputBias };
constexpr size_t kFixed = kContext + 1, kLayer = kHiddenBias + 1, kUpper = kInputBias + 1;

size_t layers_of(size_t tensors) { return (tensors - kFixed + kUpper) / (kLayer + kUpper); }

// Where they are found, and what is the same forward and backward.
struct Parts {
  variable_list tensors;
  at::Tensor hidden_cells;
  AttentionMultipliers multipliers;
  std::vector<int64_t> live;

  const at::Tensor& fixed(Fixed which) const { return tensors[which]; }
  const at::Tensor& layer(size_t l, Layer which) const {
    return tensors[kFixed + l * kLayer + which];
  }
  const at::Tensor& layer(size_t l, Upper which) const {
    return tensors[kFixed + layers() * kLayer + (l - 1) * kUpper + which];
  }
  size_t layers() const { return layers_of(tensors.size()); }
  int64_t columns(Fixed which) const { return fixed(which).size(-1); }
};

// What all steps leave behind; time-major.
struct Trace {
  at::Tensor queries;               // (N, A)
  at::Tensor weights;               // (N, S)
  at::Tensor look;                  // (N, S)
  at::Tensor contexts;              // (N, M)
  std::vector<at::Tensor> entered;  // [l] (N, H): what entered layer l >= 1, after dropout
  std::vector<GruTrace> layers;
};

// What the attention of the step whose rows begin at `at` looks at.
template <class T>
kernels::AdditiveLookRows<T> look_rows(const Parts& parts, const Trace& trace, int64_t at,
                                       int64_t n) {
  const at::Tensor &keys = parts.fixed(kKeys), &cells = parts.hidden_cells;
  return {row<T>(trace.queries, at),
          keys.const_data_ptr<T>(),
          parts.fixed(kValues).const_data_ptr<T>(),
          parts.fixed(kScore).const_data_ptr<T>(),
          cells.defined() ? cells.const_data_ptr<bool>() : nullptr,
          row<T>(parts.multipliers.weights, at),
          n,
          keys.size(1),
          keys.size(2),
          parts.columns(kValues)};
}

template <class T>
void fill_rows(T* y, const T* bias, int64_t rows, int64_t columns) {
  for (int64_t i = 0; i < rows; ++i) std::copy_n(bias, columns, y + i * columns);
}

template <class T>
void multiply(T* y, const T* x, const T* factor, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] * factor[i];
}

// Runs all steps; returns the top layer's states (N, H).
template <class T>
at::Tensor run(const Parts& parts, Trace& trace) {
  const size_t layers = parts.layers();
  const int64_t rows = parts.fixed(kInputGates).size(0);
  const int64_t features = parts.columns(kKeys), memory = parts.columns(kValues);
  const int64_t width = parts.columns(kQuery);
  const auto buffer = [&](int64_t count, int64_t columns) {
    return at::empty({count, columns}, parts.fixed(kInputGates).options());
  };
  trace.queries = buffer(rows, features);
  trace.weights = buffer(rows, parts.fixed(kKeys).size(1));
  trace.look = buffer(rows, parts.fixed(kKeys).size(1));
  trace.contexts = buffer(rows, memory);
  const at::Tensor gates = parts.fixed(kInputGates).clone(at::MemoryFormat::Contiguous);  // (N, 3H)
  const at::Tensor upper_gates = buffer(parts.live.front(), 3 * width);
  const at::Tensor query_t = parts.fixed(kQuery).t().contiguous();      // (H, A)
  const at::Tensor context_t = parts.fixed(kContext).t().contiguous();  // (M, 3H)

  std::vector<GruForward<T>> grus;
  std::vector<at::Tensor> input_t(layers);
  trace.entered.resize(layers);
  for (size_t l = 0; l < layers; ++l) {
    grus.emplace_back(parts.layer(l, kHidden), parts.layer(l, kHiddenBias),
                      parts.layer(l, kInitial), parts.live);
    if (l == 0) continue;
    input_t[l] = parts.layer(l, kInput).t().contiguous();  // (H, 3H)
    trace.entered[l] =
        parts.multipliers.layers[l].defined() ? buffer(rows, width) : grus[l - 1].rows();  // (N, H)
  }

  int64_t at = 0;
  for (const int64_t n : parts.live) {
    product(row<T>(trace.queries, at), grus.back().state(), query_t.const_data_ptr<T>(), n,
            features, width, Store::kReplace);
    T* context = row<T>(trace.contexts, at);
    kernels::additive_look_forward(look_rows<T>(parts, trace, at, n),
                                   {row<T>(trace.weights, at), row<T>(trace.look, at), context});
    T* first = row<T>(gates, at);
    product(first, context, context_t.const_data_ptr<T>(), n, 3 * width, memory, Store::kAdd);
    grus[0].step(first);
    for (size_t l = 1; l < layers; ++l) {
      T* entered = row<T>(trace.entered[l], at);
      if (const T* factor = row<T>(parts.multipliers.layers[l], at))
        multiply(entered, row<T>(grus[l - 1].rows(), at), factor, n * width);
      T* upper = row<T>(upper_gates, 0);
      fill_rows(upper, parts.layer(l, kInputBias).const_data_ptr<T>(), n, 3 * width);
      product(upper, entered, input_t[l].const_data_ptr<T>(), n, 3 * width, width, Store::kAdd);
      grus[l].step(upper);
    }
    at += n;
  }
  for (const GruForward<T>& gru : grus) trace.layers.push_back(gru.trace());
  return grus.back().rows();
}

// The gradients, in the order of the function's tensors.
template <class T>
variable_list take_back(const Parts& parts, const Trace& trace, const at::Tensor& d_tops) {
  const int64_t features = parts.columns(kKeys), memory = parts.columns(kValues);
  const int64_t width = parts.columns(kQuery);
  const auto zeros_like = [&](const at::Tensor& x) {
    return at::zeros_like(x, at::MemoryFormat::Contiguous);
  };
  std::vector<GruBackward<T>> grus;
  for (size_t l = 0; l < parts.layers(); ++l)
    grus.emplace_back(parts.layer(l, kHidden), trace.layers[l],
                      zeros_like(parts.layer(l, kInitial)), parts.live);
  const at::Tensor d_values = zeros_like(parts.fixed(kValues)),
                   d_keys = zeros_like(parts.fixed(kKeys)),
                   d_score = zeros_like(parts.fixed(kScore)),
                   d_queries = at::empty_like(trace.queries),
                   d_scores = at::empty_like(trace.weights);
  const at::Tensor of_step = at::empty({parts.live.front(), std::max(width, memory)},
                                       d_tops.options());  // d_entered, then d_context
  const at::Tensor query = parts.fixed(kQuery).contiguous();
  const at::Tensor context = parts.fixed(kContext).contiguous();

  int64_t at = d_tops.size(0);
  for (size_t t = parts.live.size(); t-- > 0;) {
    const int64_t n = parts.live[t];
    at -= n;
    T* scratch = of_step.mutable_data_ptr<T>();
    add_to(grus.back().d_state(), row<T>(d_tops, at), n * width);
    for (size_t l = grus.size() - 1; l > 0; --l) {
      product(scratch, grus[l].step(), parts.layer(l, kInput).template const_data_ptr<T>(), n,
              width, 3 * width, Store::kReplace);  // (n, H)
      if (const T* factor = row<T>(parts.multipliers.layers[l], at))
        multiply(scratch, scratch, factor, n * width);
      add_to(grus[l - 1].d_state(), scratch, n * width);
    }
    product(scratch, grus[0].step(), context.const_data_ptr<T>(), n, memory, 3 * width,
            Store::kReplace);  // (n, M)
    T* d_query = row<T>(d_queries, at);
    kernels::additive_look_backward(
        look_rows<T>(parts, trace, at, n),
        {scratch, row<T>(trace.weights, at), row<T>(trace.look, at), row<T>(d_scores, at), d_query,
         d_keys.mutable_data_ptr<T>(), d_values.mutable_data_ptr<T>(),
         d_score.mutable_data_ptr<T>()});
    // The state before the step asked.
    product(grus.back().d_state(), d_query, query.const_data_ptr<T>(), n, width, features,
            Store::kAdd);
  }

  const at::Tensor& d_gates = grus[0].d_input_gates();  // (N, 3H)
  variable_list gradients = {
      d_gates, d_values,
      d_keys,  transposed_product<T>(d_queries, trace.layers.back().previous),
      d_score, transposed_product<T>(d_gates, trace.contexts)};
  for (GruBackward<T>& gru : grus) {
    gradients.push_back(gru.d_states());
    gradients.push_back(gru.d_hidden_weight());
    gradients.push_back(gru.d_hidden_bias());
  }
  for (size_t l = 1; l < grus.size(); ++l) {
    gradients.push_back(transposed_product<T>(grus[l].d_input_gates(), trace.entered[l]));
    gradients.push_back(grus[l].d_input_gates().sum(0));
  }
  return gradients;
}

// What is kept between the two passes, as one list of tensors.
variable_list pack(const Parts& parts, const Trace& trace) {
  variable_list all = parts.tensors;
  all.insert(all.end(), {parts.hidden_cells, parts.multipliers.weights, trace.queries,
                         trace.weights, trace.look, trace.contexts});
  for (size_t l = 0; l < parts.layers(); ++l) {
    const GruTrace& gru = trace.layers[l];
    all.insert(all.end(), {parts.multipliers.layers[l], trace.entered[l], gru.previous, gru.gates,
                           gru.recurrent, gru.candidate});
  }
  return all;
}

std::pair<Parts, Trace> unpack(const variable_list& all, size_t layers, std::vector<int64_t> live) {
  auto at = all.begin() + static_cast<int64_t>(kFixed + layers * (kLayer + kUpper) - kUpper);
  Parts parts{{all.begin(), at}, *at++, {*at++, {}}, std::move(live)};
  Trace trace{*at++, *at++, *at++, *at++, {}, {}};
  for (size_t l = 0; l < layers; ++l) {
    parts.multipliers.layers.push_back(*at++);
    trace.entered.push_back(*at++);
    trace.layers.push_back({*at++, *at++, *at++, *at++});
  }
  return {std::move(parts), std::move(trace)};
}

class AttentionGruSteps : public torch::autograd::Function<AttentionGruSteps> {
 public:
  static at::Tensor forward(AutogradContext* context, at::TensorList tensors, Parts& parts) {
    // The kernels read rows that lie one after the other.
    for (const at::Tensor& tensor : tensors) parts.tensors.push_back(tensor.contiguous());
    if (parts.hidden_cells.defined()) parts.hidden_cells = parts.hidden_cells.contiguous();
    Trace trace;
    at::Tensor tops = with_type(tensors[0], [&]<class T>(T) { return run<T>(parts, trace); });
    context->save_for_backward(pack(parts, trace));
    context->saved_data["layers"] = static_cast<int64_t>(parts.layers());
    context->saved_data["live"] = parts.live;
    return tops;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    refuse_second_derivative("attention_gru");
    const auto [parts, trace] = unpack(context->get_saved_variables(),
                                       static_cast<size_t>(context->saved_data["layers"].toInt()),
                                       context->saved_data["live"].toIntVector());
    const at::Tensor d_tops = gradients[0].contiguous();
    variable_list result =
        with_type(d_tops, [&]<class T>(T) { return take_back<T>(parts, trace, d_tops); });
    result.emplace_back();  // of `parts`
    return result;
  }
};

}  // namespace

at::Tensor attention_gru_steps(const at::Tensor& input_gates, const TimeMajor& layout,
                               const AttentionMemory& memory,
                               const std::vector<at::Tensor>& initial,
                               const AttentionGruWeights& weights,
                               const AttentionMultipliers& multipliers) {
  variable_list tensors = {input_gates,   memory.values, memory.keys,
                           weights.query, weights.score, weights.context};
  for (size_t l = 0; l < initial.size(); ++l) {
    const RecurrentWeights& w = weights.layers[l];
    tensors.insert(tensors.end(), {initial[l], w.hidden, w.hidden_bias});
  }
  for (size_t l = 1; l < initial.size(); ++l)
    tensors.insert(tensors.end(), {weights.layers[l].input, weights.layers[l].input_bias});
  Parts parts{{}, memory.hidden, multipliers, layout.live};
  return AttentionGruSteps::apply(at::TensorList(tensors), parts);
}

}  // namespace attend::ops::detail
