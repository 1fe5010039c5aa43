#include "attend/ops/attention_gru_steps.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include <utility>

#include "attend/fused/attention_gru.h"
#include "attend/ops/fused.h"
#include "attend/ops/fused_call.h"

namespace attend::ops::detail {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// The order of the function's tensors: those of the memory and the step, the mechanism's weights,
// then each layer's initial state, then each layer's weights, in the order in which AttentionCall
// registers them.
enum Fixed { kInputGates, kValues, kKeys, kQuery, kScore, kContext, kFixed };

size_t layers_of(size_t tensors) { return (tensors - kFixed + 2) / 5; }

// What is no tensor with a gradient.
struct Setting {
  const TimeMajor& layout;
  const at::Tensor& hidden_cells;
  const AttentionDropout& dropout;
};

// What the gradient needs.
template <class T>
struct AttentionCall : FusedCall<T> {
  AttentionCall(const at::TensorList& tensors, const Setting& setting)
      : layout(setting.layout), hidden_cells(setting.hidden_cells) {
    const AttentionDropout& dropout = setting.dropout;
    if (dropout.state.active()) numbers = *dropout.row_numbers;
    fused::AttentionGruPlaces places;
    places.query = this->weight(tensors[kQuery]);
    places.score = this->vector(tensors[kScore]);
    places.context = this->weight(tensors[kContext]);
    places.weight_site = dropout.weight_site;
    const size_t layers = layers_of(tensors.size());
    const at::Tensor* next = tensors.begin() + kFixed + layers;
    for (size_t l = 0; l < layers; ++l) {
      fused::GruPlaces layer;
      layer.hidden = this->weight(*next++);
      layer.hidden_bias = this->vector(*next++);
      if (l > 0) {
        layer.input = this->weight(*next++);
        layer.input_bias = this->vector(*next++);
      }
      if (dropout.state.active()) layer.site = dropout.layer_sites[l];
      places.layers.push_back(layer);
    }
    gru = fused::AttentionGru<T>(places, this->panels);
    this->begin(dropout.state);
    values = tensors[kValues].contiguous();
    keys = tensors[kKeys].contiguous();
    if (hidden_cells.defined()) hidden_cells = hidden_cells.contiguous();
    for (int64_t b = 0; b < keys.size(0); ++b) begins.push_back(b * keys.size(1));
    lengths.assign(static_cast<size_t>(keys.size(0)), keys.size(1));
  }

  fused::Memory<T> memory() const {
    return {keys.const_data_ptr<T>(),
            values.const_data_ptr<T>(),
            begins.data(),
            lengths.data(),
            keys.size(1),
            read<bool>(hidden_cells)};
  }

  fused::TimeMajor layout;
  at::Tensor hidden_cells, values, keys;
  std::vector<int64_t> numbers, begins, lengths;
  fused::AttentionGru<T> gru;
  typename fused::AttentionGru<T>::Trace trace;
};

// Copies, since states move on: (B, H) each.
template <class T>
std::vector<T*> pointers(const std::vector<at::Tensor>& states) {
  std::vector<T*> all;
  for (const at::Tensor& state : states) all.push_back(state.mutable_data_ptr<T>());
  return all;
}

class AttentionGruSteps : public torch::autograd::Function<AttentionGruSteps> {
 public:
  static at::Tensor forward(AutogradContext* context, at::TensorList tensors,
                            const Setting& setting) {
    const at::Tensor gates = tensors[kInputGates].clone(at::MemoryFormat::Contiguous);  // (N, 3H)
    std::vector<at::Tensor> states;
    for (size_t l = 0; l < layers_of(tensors.size()); ++l)
      states.push_back(tensors[kFixed + l].clone(at::MemoryFormat::Contiguous));
    at::Tensor tops = at::empty({gates.size(0), states.back().size(1)}, gates.options());
    with_type(gates, [&]<class T>(T) {
      auto call = c10::make_intrusive<AttentionCall<T>>(tensors, setting);
      call->trace = call->gru.forward(call->pass(), call->layout, call->numbers, call->memory(),
                                      gates.mutable_data_ptr<T>(), pointers<T>(states),
                                      tops.mutable_data_ptr<T>());
      // The output's, which may be gone by the time of backward.
      call->trace.layers.back().rows = nullptr;
      context->saved_data["call"] = c10::IValue::make_capsule(std::move(call));
    });
    // Read where the call has them; here they are so that autograd refuses one that was written to
    // since.
    context->save_for_backward({tensors[kValues], tensors[kKeys], setting.hidden_cells});
    return tops;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    refuse_second_derivative("attention_gru");
    context->get_saved_variables();  // refuses what was written to since
    const at::Tensor d_tops = gradients[0].contiguous();
    return with_type(d_tops, [&]<class T>(T) -> variable_list {
      auto call = c10::static_intrusive_pointer_cast<AttentionCall<T>>(
          context->saved_data["call"].toCapsule());
      const at::Tensor d_weights = call->empty_gradient();
      const at::Tensor d_values = at::zeros_like(call->values), d_keys = at::zeros_like(call->keys);
      std::vector<at::Tensor> d_states;
      for (size_t l = 0; l < call->gru.layers(); ++l)
        d_states.push_back(at::zeros({call->keys.size(0), call->gru.width()}, d_tops.options()));
      fused::Workspace work;
      const T* d_gates =
          call->gru.backward(call->pass(d_weights, work), call->layout, call->memory(), call->trace,
                             d_tops.const_data_ptr<T>(), pointers<T>(d_states),
                             d_keys.mutable_data_ptr<T>(), d_values.mutable_data_ptr<T>());
      const at::Tensor d_input_gates =
          at::empty({d_tops.size(0), 3 * call->gru.width()}, d_tops.options());
      std::copy_n(d_gates, d_input_gates.numel(), d_input_gates.mutable_data_ptr<T>());
      const variable_list of = call->parts(d_weights);  // query, score, context, the layers'
      variable_list result = {d_input_gates, d_values, d_keys, of[0], of[1], of[2]};
      result.insert(result.end(), d_states.begin(), d_states.end());
      result.insert(result.end(), of.begin() + 3, of.end());
      result.emplace_back();  // of the setting
      return result;
    });
  }
};

}  // namespace

at::Tensor attention_gru_steps(const at::Tensor& input_gates, const TimeMajor& layout,
                               const AttentionMemory& memory,
                               const std::vector<at::Tensor>& initial,
                               const AttentionGruWeights& weights,
                               const AttentionDropout& dropout) {
  variable_list tensors = {input_gates,   memory.values, memory.keys,
                           weights.query, weights.score, weights.context};
  tensors.insert(tensors.end(), initial.begin(), initial.end());
  for (size_t l = 0; l < initial.size(); ++l) {
    const RecurrentWeights& w = weights.layers[l];
    tensors.insert(tensors.end(), {w.hidden, w.hidden_bias});
    if (l > 0) tensors.insert(tensors.end(), {w.input, w.input_bias});
  }
  return AttentionGruSteps::apply(at::TensorList(tensors), Setting{layout, memory.hidden, dropout});
}

}  // namespace attend::ops::detail
