#include "attend/ops/cross_entropy.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "attend/core/errors.h"
#include "attend/kernels/cross_entropy.h"
#include "attend/ops/check.h"
#include "attend/ops/fused.h"

namespace attend::ops {
namespace {

constexpr char kOp[] = "cross_entropy";

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

void check(const at::Tensor& logits, const at::Tensor& targets) {
  check_floating(kOp, {logits});
  if (logits.dim() != 2 || !targets.defined() || targets.dim() != 1 ||
      targets.size(0) != logits.size(0))
    refuse(kOp, "logits (N, V) and targets (N)", {logits, targets});
  detail::check_targets(kOp, targets, logits.size(1), logits.device());
}

// One pass for the loss, which leaves each row's greatest logit and sum, one for the gradient.
class CrossEntropy : public torch::autograd::Function<CrossEntropy> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& logits,
                            const at::Tensor& targets) {
    const int64_t rows = logits.size(0), columns = logits.size(1);
    const at::Tensor from = logits.contiguous(), chosen = targets.contiguous();
    const at::Tensor sums = at::empty({rows, 2}, logits.options());
    const double loss = detail::with_type(from, [&]<class T>(T) {
      // What cross_entropy_loss() takes by its struct it leaves as it is.
      return kernels::cross_entropy_loss(kernels::CrossEntropyRows<T, int64_t>{
          const_cast<T*>(from.const_data_ptr<T>()), columns, chosen.const_data_ptr<int64_t>(), rows,
          columns, detail::write<T>(sums)});
    });
    context->save_for_backward({from, chosen, sums});
    return at::full({}, loss, logits.options());
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    detail::refuse_second_derivative(kOp);
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& logits = saved[0];
    const int64_t rows = logits.size(0), columns = logits.size(1);
    at::Tensor d_logits = detail::fresh({rows, columns}, logits.options());
    detail::with_type(logits, [&]<class T>(T) {
      kernels::cross_entropy_gradient(kernels::CrossEntropyGradient<T>{
          detail::read<T>(logits), columns, saved[1].const_data_ptr<int64_t>(),
          detail::read<T>(saved[2]), detail::write<T>(d_logits), columns, rows, columns,
          gradients[0].item<T>()});
    });
    return {d_logits, at::Tensor()};
  }
};

}  // namespace

void detail::check_targets(const char* op, const at::Tensor& targets, int64_t vocabulary,
                           at::Device device) {
  if (targets.scalar_type() != at::kLong)
    throw InvalidArgument("[" + std::string(op) + "] expected targets of type int64");
  if (targets.device() != device)
    throw InvalidArgument("[" + std::string(op) + "] expected targets on " + device.str() +
                          ", found them on " + targets.device().str());
  if (targets.numel() == 0 || !targets.device().is_cpu()) return;
  const at::Tensor all = targets.contiguous();
  const int64_t* t = all.const_data_ptr<int64_t>();
  const auto [low, high] = std::minmax_element(t, t + all.numel());
  if (*low < 0 || *high >= vocabulary)
    throw InvalidArgument("[" + std::string(op) + "] expected targets in [0, " +
                          std::to_string(vocabulary) + "), found " +
                          std::to_string(*low < 0 ? *low : *high));
}

std::string cross_entropy_unsupported(const at::Tensor& logits) {
  return detail::declined_by_kernels({logits});
}

at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& targets) {
  check(logits, targets);
  if (!cross_entropy_unsupported(logits).empty()) return cross_entropy_composed(logits, targets);
  return CrossEntropy::apply(logits, targets);
}

at::Tensor cross_entropy_composed(const at::Tensor& logits, const at::Tensor& targets) {
  check(logits, targets);
  return logits.log_softmax(1).gather(1, targets.unsqueeze(1)).sum().neg();
}

}  // namespace attend::ops
