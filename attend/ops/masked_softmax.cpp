#include "attend/ops/masked_softmax.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_softmax.h>
#include <ATen/ops/_softmax_backward_data.h>
#include <ATen/ops/softmax.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "attend/kernels/masked_softmax.h"
#include "attend/ops/fused.h"
#include "attend/ops/normalise.h"

namespace attend::ops {
namespace {

constexpr double kHiddenScore = -std::numeric_limits<double>::infinity();  // exp() of it is 0

// Which entries of the scores are seen: in the row of query i of sentence b the first counts[b][i],
// unless counts is empty; all but `hidden`, unless that is undefined.
struct Seen {
  std::vector<int64_t> counts;
  at::Tensor hidden;
};

// The counts of Seen, where the mask leaves each query the first keys and no others, as padding and
// causal do. Nothing too where it does not fit the scores: hidden_for() says how.
std::optional<std::vector<int64_t>> leading_keys(const at::Tensor& scores, const Mask& mask) {
  const int64_t batch = scores.size(0), queries = scores.size(-2), keys = scores.size(-1);
  std::vector<int64_t> counts(mask.is_none() ? 0 : static_cast<size_t>(batch * queries), keys);
  for (const Mask::Term& term : mask.terms()) {
    const bool padding = term.kind == Mask::Term::Kind::kPadding;
    if (!padding && term.kind != Mask::Term::Kind::kCausal) return std::nullopt;
    const bool per_query = padding && term.tensor.dim() == 2;
    if (padding && (term.tensor.size(0) != batch || (per_query && term.tensor.size(1) != queries)))
      return std::nullopt;
    const int64_t* lengths = padding ? term.tensor.const_data_ptr<int64_t>() : nullptr;
    for (int64_t row = 0; row < batch * queries; ++row) {
      const int64_t sees = padding ? lengths[per_query ? row : row / queries]
                                   : row % queries + term.offset.value_or(keys - queries) + 1;
      if (padding && (sees < 0 || sees > keys)) return std::nullopt;
      int64_t& count = counts[static_cast<size_t>(row)];
      count = std::clamp<int64_t>(sees, 0, count);
    }
  }
  return counts;
}

// What a kernel takes of scores as matrices (queries, keys), and of what they hide.
struct Matrices {
  Matrices(const at::Tensor& scores, const Seen& seen)
      : keys(scores.size(-1)),
        queries(scores.dim() < 2 ? 1 : scores.size(-2)),
        count(scores.numel() == 0 ? 0 : scores.numel() / (queries * keys)) {
    if (!seen.hidden.defined()) return;
    hidden = seen.hidden.expand(scores.sizes());
    if (keys > 1 && hidden.stride(-1) != 1) hidden = hidden.contiguous();
  }
  // Where the mask of matrix m begins.
  const bool* hidden_of(int64_t m) const {
    if (!hidden.defined()) return nullptr;
    const bool* at = hidden.const_data_ptr<bool>();
    for (int64_t d = hidden.dim() - 3; d >= 0; --d) {
      at += m % hidden.size(d) * hidden.stride(d);
      m /= hidden.size(d);
    }
    return at;
  }
  int64_t hidden_stride() const {
    return hidden.defined() && hidden.dim() > 1 ? hidden.stride(-2) : 0;
  }

  int64_t keys, queries, count;
  at::Tensor hidden;
};

// The counts of matrix m of `count`, as many in turn for each sentence; null when all see all.
const int64_t* counts_of(const std::vector<int64_t>& counts, int64_t m, const Matrices& x) {
  if (counts.empty()) return nullptr;
  const int64_t sentences = static_cast<int64_t>(counts.size()) / x.queries;
  return counts.data() + m / (x.count / sentences) * x.queries;
}

bool on_kernels(const at::Tensor& scores) { return detail::declined_by_kernels({scores}).empty(); }

// Other dtypes and devices, where counts is empty.
at::Tensor values_elsewhere(const at::Tensor& scores, const at::Tensor& hidden) {
  if (!hidden.defined()) return at::_softmax(scores, -1, /*half_to_float=*/false);
  // A row without a key is NaN after the softmax, alone, and is cleared with its hidden entries.
  return at::_softmax(scores.masked_fill(hidden, kHiddenScore), -1, /*half_to_float=*/false)
      .masked_fill_(hidden, 0.0);
}

at::Tensor forward_values(const at::Tensor& scores, const Seen& seen) {
  if (!on_kernels(scores)) return values_elsewhere(scores, seen.hidden);
  const at::Tensor from = scores.contiguous();
  at::Tensor weights = detail::fresh(scores.sizes(), scores.options());
  const Matrices x(from, seen);
  detail::with_type(from, [&]<class T>(T) {
    for (int64_t m = 0; m < x.count; ++m) {
      const int64_t first = m * x.queries * x.keys;
      kernels::masked_softmax(kernels::MaskedSoftmaxRows<T>{
          from.const_data_ptr<T>() + first, weights.mutable_data_ptr<T>() + first,
          counts_of(seen.counts, m, x), x.hidden_of(m), x.hidden_stride(), x.queries, x.keys});
    }
  });
  return weights;
}

at::Tensor backward_values(const at::Tensor& weights, const at::Tensor& d_weights,
                           const std::vector<int64_t>& counts) {
  const at::Tensor arriving = d_weights.contiguous();
  at::Tensor d_scores = detail::fresh(weights.sizes(), weights.options());
  const Matrices x(weights, {});
  detail::with_type(weights, [&]<class T>(T) {
    for (int64_t m = 0; m < x.count; ++m) {
      const int64_t first = m * x.queries * x.keys;
      kernels::masked_softmax_backward(kernels::MaskedSoftmaxGradients<T>{
          weights.const_data_ptr<T>() + first, arriving.const_data_ptr<T>() + first,
          d_scores.mutable_data_ptr<T>() + first, counts_of(counts, m, x), x.queries, x.keys});
    }
  });
  return d_scores;
}

// One node instead of three, and finite throughout, so that anomaly detection stays quiet.
struct MaskedSoftmax : torch::autograd::Function<MaskedSoftmax> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& scores,
                            const Seen& seen) {
    at::Tensor weights = forward_values(scores, seen);
    context->save_for_backward({weights});
    context->saved_data["counts"] = seen.counts;
    return weights;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const at::Tensor weights = context->get_saved_variables()[0];
    if (!c10::GradMode::is_enabled() && on_kernels(weights))
      return {backward_values(weights, gradients[0], context->saved_data["counts"].toIntVector()),
              at::Tensor()};
    // Hidden weights are constants: what arrives there counts for nothing, NaN included.
    const at::Tensor arriving = gradients[0].masked_fill(weights.detach().eq(0.0), 0.0);
    return {at::_softmax_backward_data(arriving, weights, -1, weights.scalar_type()), at::Tensor()};
  }
};

at::Tensor softmax_of_seen(const at::Tensor& scores, const Seen& seen) {
  if (c10::GradMode::is_enabled() && scores.requires_grad())
    return MaskedSoftmax::apply(scores, seen);
  return forward_values(scores, seen);
}

}  // namespace

at::Tensor masked_softmax(const at::Tensor& scores, const at::Tensor& hidden) {
  check_hidden("masked_softmax", scores, hidden);
  return softmax_of_seen(scores, {{}, hidden});
}

at::Tensor masked_softmax(const at::Tensor& scores, const Mask& mask) {
  check_scores("masked_softmax", scores);
  if (on_kernels(scores))
    if (auto counts = leading_keys(scores, mask))
      return softmax_of_seen(scores, {*std::move(counts), {}});
  return masked_softmax(scores, mask.hidden_for(scores.sizes(), scores.device()));
}

at::Tensor masked_softmax_composed(const at::Tensor& scores, const at::Tensor& hidden) {
  if (!hidden.defined()) return at::softmax(scores, -1);
  return at::softmax(scores.masked_fill(hidden, kHiddenScore), -1).masked_fill(hidden, 0.0);
}

}  // namespace attend::ops
