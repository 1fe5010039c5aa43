#include "attend/ops/library_attention.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/scaled_dot_product_attention.h>

#include <limits>
#include <optional>

#include "attend/kernels/isa.h"
#include "attend/ops/batched_product.h"
#include "attend/ops/fused.h"
#include "attend/ops/non_finite.h"

namespace attend::ops::detail {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

// Whether each query sees its own key and those before, no others, as LibTorch's is_causal says:
// from the first key on, where ours ends at the last. With Tq != Tk its flash kernels do not take
// it.
bool hides_what_follows(const Mask& mask, const HeadTensors& x) {
  const int64_t queries = x.query.size(2), keys = x.key.size(2);
  if (queries != keys) return false;
  for (const Mask::Term& term : mask.terms())
    if (term.kind == Mask::Term::Kind::kHidden) return false;
  const Mask::Limits limits =
      mask.limits(x.query.size(0), x.query.size(1), queries, keys, x.query.device());
  return limits.least == -Mask::Limits::kFar && limits.most == 0 && !limits.lengths.defined();
}

// What is added to the scores, or who may attend; undefined when all may and nothing is. A query
// that sees nothing sees all here, for a softmax over nothing is NaN, forward or back; its output
// is replaced. `hidden` and `dead` may be undefined.
at::Tensor mask_of(const HeadTensors& x, const at::Tensor& hidden, const at::Tensor& dead) {
  const int64_t queries = x.query.size(2), keys = x.key.size(2);
  at::Tensor added = x.bias;
  if (x.distance.defined()) {
    const at::Tensor pairs = bias_of_pairs(x.distance, queries, keys).unsqueeze(0);
    added = added.defined() ? added + pairs : pairs;  // (B or 1, H or 1, Tq, Tk)
  }
  if (added.defined())
    return hidden.defined() ? added.masked_fill(hidden, kMinusInfinity).masked_fill(dead, 0.0)
                            : added;
  if (!hidden.defined()) return {};
  const at::Tensor seen = hidden.logical_not().logical_or(dead);  // (B or 1, H or 1, Tq or 1, Tk)
  return seen.expand({seen.size(0), seen.size(1), queries, keys});
}

at::Tensor either(const at::Tensor& a, const at::Tensor& b) {
  if (!a.defined() || !b.defined()) return a.defined() ? a : b;
  return a.logical_or(b);
}

// spoiled_queries() where each sees what is not after it, without a (Tq, Tk) tensor. `keys`
// (B, H, T, 1) may be undefined.
at::Tensor spoiled_from_there_on(const at::Tensor& queries, const at::Tensor& keys) {
  return either(queries, keys.defined() ? keys.cumsum(2).gt(0) : keys);
}

}  // namespace

std::string library_declined(const HeadTensors& x, double scale, const AttentionOptions& options) {
  if (!kernels::fused()) return kTwinAskedFor;
  if (!x.query.is_cuda())
    return "LibTorch's attention is for CUDA, and this is on " + x.query.device().str();
  if (options.normaliser != Normaliser::kSoftmax) return "LibTorch's attention knows softmax alone";
  if (options.return_weights) return "LibTorch's attention gives no weights";
  if (options.dropout.active()) return "LibTorch's attention has no counted dropout";
  if (!(scale > 0)) return "LibTorch's attention takes a scale above 0";
  for (const at::Tensor& bias : {x.bias, x.distance})
    if (bias.defined() &&
        (bias.scalar_type() != x.query.scalar_type() || bias.device() != x.query.device()))
      return "LibTorch's attention takes a bias of the scores' dtype and device";
  if (x.query.numel() == 0 || x.key.numel() == 0 || x.value.numel() == 0)
    return "there is nothing to attend to, or with";
  return "";
}

at::Tensor library_attention(const HeadTensors& x, const Mask& mask, double scale) {
  const int64_t heads = x.query.size(1);
  const bool biased = x.bias.defined() || x.distance.defined();
  const bool causal = !biased && hides_what_follows(mask, x);
  const at::Tensor hidden = causal ? at::Tensor()
                                   : mask.hidden(x.query.size(0), heads, x.query.size(2),
                                                 x.key.size(2), x.query.device());
  const at::Tensor dead = hidden.defined() ? hidden.all(-1, /*keepdim=*/true) : at::Tensor();
  const bool masked = causal || hidden.defined();
  const auto clean = [&](const at::Tensor& rows) {
    return masked ? finite_rows(rows) : FiniteRows{rows, {}};
  };
  const FiniteRows q = clean(x.query), k = clean(x.key), v = clean(x.value);
  const at::Tensor added = mask_of(x, hidden, dead);
  // With a mask LibTorch's fused kernels know no grouped heads.
  const bool grouped = x.key.size(1) != heads && !added.defined();
  const auto of_heads = [&](const at::Tensor& rows) {
    return grouped ? rows : for_each_head(rows, heads);
  };
  at::Tensor out = at::scaled_dot_product_attention(
      q.value, of_heads(k.value), of_heads(v.value),
      added.defined() ? std::optional<at::Tensor>(added) : std::nullopt, /*dropout_p=*/0.0, causal,
      scale, grouped);  // (B, H, Tq, Dv)
  if (dead.defined()) out = out.masked_fill(dead, 0.0);
  at::Tensor bad = either(k.bad, v.bad);
  if (bad.defined()) bad = for_each_head(bad, heads);  // (B, H, Tk, 1)
  return spoil(out,
               causal ? spoiled_from_there_on(q.bad, bad) : spoiled_queries(q.bad, bad, hidden));
}

}  // namespace attend::ops::detail
