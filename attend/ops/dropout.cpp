#include "attend/ops/dropout.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <limits>
#include <string>

#include "attend/core/errors.h"
#include "attend/core/random.h"
#include "attend/kernels/dropout.h"
#include "attend/ops/check.h"
#include "attend/ops/fused.h"

namespace attend::ops {
namespace {

// y = x m, with one key for each of y's leading rows; without x, y = m.
template <class T>
kernels::DropoutRows<T> draws(const T* x, const at::Tensor& y, const std::vector<uint32_t>& keys,
                              double probability) {
  const auto rows = static_cast<int64_t>(keys.size());
  const int64_t columns = rows == 0 ? 0 : y.numel() / rows;
  return {x,
          y.mutable_data_ptr<T>(),
          keys.data(),
          rows,
          columns,
          columns,
          columns,
          core::dropout_threshold(probability),
          static_cast<T>(1.0 / (1.0 - probability))};
}

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// y = x m on the kernel; m is drawn again from the keys for the gradient, which is the same
// function.
class Dropout : public torch::autograd::Function<Dropout> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            const std::vector<uint32_t>& keys, double probability) {
    context->saved_data["keys"] = std::vector<int64_t>(keys.begin(), keys.end());
    context->saved_data["probability"] = probability;
    const at::Tensor from = x.contiguous();
    at::Tensor y = detail::fresh(x.sizes(), x.options());
    detail::with_type(x, [&]<class T>(T) {
      kernels::dropout(draws<T>(from.const_data_ptr<T>(), y, keys, probability));
    });
    return y;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const std::vector<int64_t> keys = context->saved_data["keys"].toIntVector();
    return {Dropout::apply(gradients[0], std::vector<uint32_t>(keys.begin(), keys.end()),
                           context->saved_data["probability"].toDouble()),
            at::Tensor(), at::Tensor()};
  }
};

}  // namespace

void check_probability(double p) {
  if (!(p >= 0.0 && p < 1.0))
    throw InvalidArgument("[dropout] expected a probability in [0, 1), found " + std::to_string(p));
}

std::vector<uint32_t> dropout_keys(const DropoutState& state, uint32_t site,
                                   const std::vector<int64_t>& rows) {
  std::vector<uint32_t> keys(rows.size());
  for (size_t i = 0; i < rows.size(); ++i)
    keys[i] = core::dropout_row_key(state.seed, state.step, site, static_cast<uint64_t>(rows[i]));
  return keys;
}

at::Tensor dropout_mask(const DropoutState& state, uint32_t site, const std::vector<int64_t>& rows,
                        int64_t columns, const at::TensorOptions& options) {
  check_probability(state.probability);
  if (columns < 0 || columns > std::numeric_limits<uint32_t>::max())
    throw InvalidArgument("[dropout] expected a number of columns in [0, 2^32), found " +
                          std::to_string(columns));
  c10::NoGradGuard no_grad;
  const at::ScalarType dtype = c10::typeMetaToScalarType(options.dtype());
  const auto n = static_cast<int64_t>(rows.size());
  at::Tensor mask = at::empty({n, columns}, dtype == at::kDouble ? at::kDouble : at::kFloat);
  const std::vector<uint32_t> keys = dropout_keys(state, site, rows);
  detail::with_type(mask, [&]<class T>(T) {
    kernels::dropout(draws<T>(nullptr, mask, keys, state.probability));
  });
  return mask.to(options.device(), dtype);
}

at::Tensor dropout(const at::Tensor& x, const DropoutState& state, uint32_t site,
                   const std::vector<int64_t>& rows) {
  check_floating("dropout", {x});
  check_probability(state.probability);
  if (!state.active()) return x;  // a caller need not number rows then
  const auto n = static_cast<int64_t>(rows.size());
  if (x.dim() < 1 || x.size(0) != n)
    refuse("dropout", "x of (" + std::to_string(n) + ", ...), as many as there are row numbers",
           {x});
  if (x.numel() == 0) return x;
  if (!detail::declined_by_kernels({x}).empty())
    return x.mul(dropout_mask(state, site, rows, x.numel() / n, x.options()).view(x.sizes()));
  return Dropout::apply(x, dropout_keys(state, site, rows), state.probability);
}

}  // namespace attend::ops
