#include "attend/ops/residual_norm.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include <optional>

#include "attend/core/random.h"
#include "attend/kernels/residual_norm.h"
#include "attend/ops/check.h"
#include "attend/ops/fused.h"

namespace attend::ops {
namespace {

constexpr char kOp[] = "residual_norm";

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

void check(const ResidualNormInputs& in, const ResidualNormOptions& options) {
  const at::Tensor& change = in.change.defined() ? in.change : in.x;
  check_floating(kOp, {in.x, change, in.gain, in.bias});
  const bool fits = in.x.dim() >= 1 && in.x.size(-1) > 0 && change.sizes() == in.x.sizes() &&
                    in.gain.dim() == 1 && in.gain.size(0) == in.x.size(-1) &&
                    in.bias.sizes() == in.gain.sizes();
  if (!fits)
    refuse(kOp, "x and change of (..., D), gain and bias of (D)", {in.x, change, in.gain, in.bias});
  check_probability(options.dropout.probability);
  if (in.change.defined() && options.dropout.active() &&
      static_cast<int64_t>(options.rows.size()) != in.x.size(0))
    refuse(kOp, "as many row numbers as rows (" + std::to_string(options.rows.size()) + ")",
           {in.x});
}

// What the kernel draws with.
struct Draws {
  std::vector<uint32_t> keys;  // empty: no dropout
  double probability = 0;
  double epsilon = 0;

  const uint32_t* pointer() const { return keys.empty() ? nullptr : keys.data(); }
  uint32_t threshold() const { return core::dropout_threshold(probability); }
  double kept() const { return 1.0 / (1.0 - probability); }
};

class ResidualNorm : public torch::autograd::Function<ResidualNorm> {
 public:
  // An undefined change comes as an empty optional: autograd takes no undefined input.
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            const std::optional<at::Tensor>& change, const at::Tensor& gain,
                            const at::Tensor& bias, const Draws& draws, bool learn) {
    const int64_t width = x.size(-1), rows = x.numel() / width;
    const at::Tensor from = x.contiguous(), g = gain.contiguous(), b = bias.contiguous();
    const at::Tensor s = change ? change->contiguous() : at::Tensor();
    at::Tensor y = detail::fresh(x.sizes(), x.options());
    at::Tensor normalised, inverse;
    if (learn) {
      normalised = detail::fresh({rows, width}, x.options());
      inverse = at::empty({rows}, x.options());
    }
    detail::with_type(from, [&]<class T>(T) {
      kernels::residual_norm(kernels::ResidualNormRows<T>{
          detail::read<T>(from), detail::read<T>(s), draws.pointer(), draws.threshold(),
          static_cast<T>(draws.kept()), detail::read<T>(g), detail::read<T>(b),
          static_cast<T>(draws.epsilon), detail::write<T>(y), detail::write<T>(normalised),
          detail::write<T>(inverse), rows, width});
    });
    if (learn) {
      context->save_for_backward({normalised, inverse, g});
      context->saved_data["keys"] = std::vector<int64_t>(draws.keys.begin(), draws.keys.end());
      context->saved_data["probability"] = draws.probability;
      context->saved_data["change"] = change.has_value();
    }
    return y;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    detail::refuse_second_derivative(kOp);
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &normalised = saved[0], &gain = saved[2];
    const std::vector<int64_t> keys = context->saved_data["keys"].toIntVector();
    const Draws draws{{keys.begin(), keys.end()}, context->saved_data["probability"].toDouble()};
    const bool change = context->saved_data["change"].toBool();
    const at::Tensor d_y = gradients[0].contiguous();
    const at::Tensor d_x = detail::fresh(d_y.sizes(), d_y.options());
    const at::Tensor d_gain = at::zeros(gain.sizes(), gain.options());
    const at::Tensor d_bias = at::zeros(gain.sizes(), gain.options());
    // Without dropout that of the change is that of x.
    at::Tensor d_change = change ? d_x : at::Tensor();
    if (change && !keys.empty()) d_change = detail::fresh(d_y.sizes(), d_y.options());
    detail::with_type(d_y, [&]<class T>(T) {
      kernels::residual_norm_backward(kernels::ResidualNormGradients<T>{
          detail::read<T>(normalised), detail::read<T>(saved[1]), detail::read<T>(gain),
          draws.pointer(), draws.threshold(), static_cast<T>(draws.kept()), detail::read<T>(d_y),
          nullptr, detail::write<T>(d_x), keys.empty() ? nullptr : detail::write<T>(d_change),
          detail::write<T>(d_gain), detail::write<T>(d_bias), normalised.size(0),
          normalised.size(1)});
    });
    return {d_x, d_change, d_gain, d_bias, at::Tensor(), at::Tensor()};
  }
};

}  // namespace

std::string residual_norm_unsupported(const ResidualNormInputs& in,
                                      const ResidualNormOptions& options) {
  if (in.change.defined() && options.dropout.active() && in.x.dim() != 2)
    return "the kernel drops elements of (N, D) alone, where a numbered row is a row of the norm";
  return detail::declined_by_kernels({in.x, in.change, in.gain, in.bias});
}

at::Tensor residual_norm(const ResidualNormInputs& in, const ResidualNormOptions& options) {
  check(in, options);
  if (!residual_norm_unsupported(in, options).empty()) return residual_norm_composed(in, options);
  Draws draws{{}, 0, options.epsilon};
  if (in.change.defined() && options.dropout.active())
    draws = {dropout_keys(options.dropout, options.site, options.rows), options.dropout.probability,
             options.epsilon};
  const bool learn = c10::GradMode::is_enabled() &&
                     (in.x.requires_grad() || in.gain.requires_grad() || in.bias.requires_grad() ||
                      (in.change.defined() && in.change.requires_grad()));
  return ResidualNorm::apply(in.x, in.change.defined() ? std::optional(in.change) : std::nullopt,
                             in.gain, in.bias, draws, learn);
}

at::Tensor residual_norm_composed(const ResidualNormInputs& in,
                                  const ResidualNormOptions& options) {
  check(in, options);
  const at::Tensor sum =
      in.change.defined() ? in.x + dropout(in.change, options.dropout, options.site, options.rows)
                          : in.x;
  return at::layer_norm(sum, {sum.size(-1)}, in.gain, in.bias, options.epsilon);
}

}  // namespace attend::ops
