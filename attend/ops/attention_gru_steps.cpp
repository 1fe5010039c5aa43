#include "attend/ops/attention_gru_steps.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include <utility>

#include "attend/ops/additive_look.h"
#include "attend/ops/gru_steps.h"

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
  AdditiveLook look() const { return {fixed(kValues), fixed(kKeys), hidden_cells, fixed(kScore)}; }
};

std::vector<at::Tensor> slices(const at::Tensor& x, const std::vector<int64_t>& live) {
  return x.defined() ? x.split_with_sizes(live) : std::vector<at::Tensor>(live.size());
}

// What all steps leave behind; time-major.
struct Trace {
  at::Tensor queries;               // (N, A)
  at::Tensor weights;               // (N, S)
  at::Tensor look;                  // (N, S)
  at::Tensor contexts;              // (N, M)
  std::vector<at::Tensor> entered;  // [l] (N, H): what entered layer l >= 1, after dropout
  std::vector<GruTrace> layers;
};

std::vector<LookTrace> look_slices(const Trace& trace, const Parts& parts) {
  const auto queries = slices(trace.queries, parts.live);
  const auto multipliers = slices(parts.multipliers.weights, parts.live);
  const auto weights = slices(trace.weights, parts.live);
  const auto look = slices(trace.look, parts.live);
  std::vector<LookTrace> steps;
  for (size_t t = 0; t < parts.live.size(); ++t)
    steps.push_back({queries[t], multipliers[t], weights[t], look[t]});
  return steps;
}

// Runs all steps; returns the top layer's states (N, H).
at::Tensor run(const Parts& parts, Trace& trace) {
  const auto& live = parts.live;
  const int64_t rows = parts.fixed(kInputGates).size(0);
  const auto buffer = [&](int64_t columns) {
    return at::empty({rows, columns}, parts.fixed(kInputGates).options());
  };
  trace.queries = buffer(parts.fixed(kQuery).size(0));
  trace.weights = buffer(parts.fixed(kKeys).size(1));
  trace.look = buffer(parts.fixed(kKeys).size(1));
  trace.contexts = buffer(parts.fixed(kValues).size(2));
  const at::Tensor gates = parts.fixed(kInputGates).clone(at::MemoryFormat::Contiguous);  // (N, 3H)

  std::vector<GruForward> layers;
  std::vector<std::vector<at::Tensor>> entered(parts.layers()), multipliers(parts.layers());
  std::vector<std::vector<at::Tensor>> below(parts.layers());
  trace.entered.resize(parts.layers());
  for (size_t l = 0; l < parts.layers(); ++l) {
    layers.emplace_back(parts.layer(l, kHidden), parts.layer(l, kHiddenBias),
                        parts.layer(l, kInitial), live);
    if (l == 0) continue;
    const at::Tensor& multiplier = parts.multipliers.layers[l];
    below[l] = slices(layers[l - 1].rows(), live);
    multipliers[l] = slices(multiplier, live);
    trace.entered[l] =
        multiplier.defined() ? buffer(below[l][0].size(1)) : layers[l - 1].rows();  // (N, H)
    entered[l] = slices(trace.entered[l], live);
  }

  AdditiveLook look = parts.look();
  const std::vector<LookTrace> looks = look_slices(trace, parts);
  const std::vector<at::Tensor> contexts = slices(trace.contexts, live);
  const std::vector<at::Tensor> step_gates = slices(gates, live);
  const at::Tensor query_t = parts.fixed(kQuery).t(), context_t = parts.fixed(kContext).t();
  for (size_t t = 0; t < live.size(); ++t) {
    at::Tensor query = looks[t].query, first = step_gates[t];
    at::mm_out(query, layers.back().state().narrow(0, 0, live[t]), query_t);  // (n, A)
    look.forward(looks[t], contexts[t]);
    first.addmm_(contexts[t], context_t);  // (n, 3H)
    layers[0].step(first);
    for (size_t l = 1; l < layers.size(); ++l) {
      if (multipliers[l][t].defined()) at::mul_out(entered[l][t], below[l][t], multipliers[l][t]);
      layers[l].step(
          at::addmm(parts.layer(l, kInputBias), entered[l][t], parts.layer(l, kInput).t()));
    }
  }
  for (const GruForward& layer : layers) trace.layers.push_back(layer.trace());
  return layers.back().rows();
}

// The gradients, in the order of the function's tensors.
variable_list take_back(const Parts& parts, const Trace& trace, const at::Tensor& d_tops) {
  const auto& live = parts.live;
  std::vector<GruBackward> layers;
  std::vector<std::vector<at::Tensor>> multipliers(parts.layers());
  for (size_t l = 0; l < parts.layers(); ++l) {
    layers.emplace_back(parts.layer(l, kHidden), trace.layers[l],
                        at::zeros_like(parts.layer(l, kInitial), at::MemoryFormat::Contiguous),
                        live);
    if (l > 0) multipliers[l] = slices(parts.multipliers.layers[l], live);
  }
  AdditiveLook look = parts.look();
  const AdditiveLook::Sums sums{at::zeros_like(parts.fixed(kValues), at::MemoryFormat::Contiguous),
                                at::zeros_like(parts.fixed(kKeys), at::MemoryFormat::Contiguous),
                                at::zeros_like(parts.fixed(kScore), at::MemoryFormat::Contiguous)};
  const at::Tensor d_queries = at::empty_like(trace.queries);
  const std::vector<at::Tensor> d_query_slices = slices(d_queries, live);
  const std::vector<at::Tensor> d_top_slices = slices(d_tops, live);
  const std::vector<LookTrace> looks = look_slices(trace, parts);

  for (size_t t = live.size(); t-- > 0;) {
    const at::Tensor d_top = layers.back().d_state().narrow(0, 0, live[t]);
    d_top.add_(d_top_slices[t]);
    for (size_t l = layers.size() - 1; l > 0; --l) {
      at::Tensor d_entered = layers[l].step().mm(parts.layer(l, kInput));  // (n, H)
      if (multipliers[l][t].defined()) d_entered.mul_(multipliers[l][t]);
      layers[l - 1].d_state().narrow(0, 0, live[t]).add_(d_entered);
    }
    const at::Tensor d_context = layers[0].step().mm(parts.fixed(kContext));  // (n, M)
    look.backward(looks[t], d_context, d_query_slices[t], sums);
    d_top.addmm_(d_query_slices[t], parts.fixed(kQuery));  // the state before the step asked
  }

  const at::Tensor& d_gates = layers[0].d_input_gates();  // (N, 3H)
  variable_list gradients = {d_gates,    sums.values,
                             sums.keys,  d_queries.t().mm(trace.layers.back().previous),
                             sums.score, d_gates.t().mm(trace.contexts)};
  for (size_t l = 0; l < layers.size(); ++l) {
    gradients.push_back(layers[l].d_state());
    gradients.push_back(layers[l].d_hidden_weight());
    gradients.push_back(layers[l].d_hidden_bias());
  }
  for (size_t l = 1; l < layers.size(); ++l) {
    gradients.push_back(layers[l].d_input_gates().t().mm(trace.entered[l]));
    gradients.push_back(layers[l].d_input_gates().sum(0));
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
    parts.tensors = tensors.vec();
    Trace trace;
    at::Tensor tops = run(parts, trace);
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
    variable_list result = take_back(parts, trace, gradients[0].contiguous());
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
