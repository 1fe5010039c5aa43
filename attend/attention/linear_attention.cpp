#include "attend/attention/linear_attention.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <string>
#include <vector>

#include "attend/core/errors.h"
#include "attend/ops/check.h"
#include "attend/ops/non_finite.h"

namespace attend {
namespace {

// Within a chunk pairs are compared one by one, between chunks the sums carry over.
constexpr int64_t kChunk = 64;

// Summed in float where the dtype is shorter.
at::ScalarType wide(at::ScalarType dtype) {
  return dtype == at::kHalf || dtype == at::kBFloat16 ? at::kFloat : dtype;
}

void check(const char* op, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
  ops::check_floating(op, {q, k, v});
  const bool fits = q.dim() == 4 && k.dim() == 4 && v.dim() == 4 && q.size(0) == k.size(0) &&
                    q.size(0) == v.size(0) && q.size(1) == k.size(1) && q.size(1) == v.size(1) &&
                    q.size(3) == k.size(3) && k.size(2) == v.size(2);
  if (!fits) ops::refuse(op, "q (B, H, Tq, D), k (B, H, Tk, D) and v (B, H, Tk, Dv)", {q, k, v});
}

struct Conditions {
  Mask keys;  // what hides a key from everyone
  bool causal = false;
};

Conditions conditions_of(const Mask& mask) {
  Conditions found;
  for (const Mask::Term& term : mask.terms()) {
    const bool padding = term.kind == Mask::Term::Kind::kPadding && term.tensor.dim() == 1;
    const bool keys = term.kind == Mask::Term::Kind::kHidden && term.of_keys;
    if (term.kind == Mask::Term::Kind::kCausal && !term.offset)
      found.causal = true;
    else if (padding)
      found.keys = found.keys & Mask::padding(term.tensor);
    else if (keys)
      found.keys = found.keys & Mask::keys(term.tensor.logical_not());
    else
      throw InvalidArgument(
          "[linear_attention] expected a mask of keys, of causal() or of both: another has no "
          "linear form");
  }
  return found;
}

// numerator / denominator; a query that sees nothing has 0 / 0 and gets zeros.
at::Tensor divided(const at::Tensor& numerator, const at::Tensor& denominator) {
  const at::Tensor below = denominator.unsqueeze(-1);
  return numerator / below.masked_fill(below.eq(0), 1.0);
}

// phi(q) . z, (B, H, T)
at::Tensor times(const at::Tensor& q, const at::Tensor& z) {
  return at::matmul(q, z.unsqueeze(-1)).squeeze(-1);
}

void absorb(const at::Tensor& k, const at::Tensor& v, LinearState& state) {
  const at::Tensor sums = at::matmul(k.transpose(-2, -1), v);  // (B, H, D, Dv)
  const at::Tensor normaliser = k.sum(-2);                     // (B, H, D)
  state.sums = state.sums.defined() ? state.sums + sums : sums;
  state.normaliser = state.normaliser.defined() ? state.normaliser + normaliser : normaliser;
  state.length += k.size(2);
}

// One chunk of the causal pass over features; q and k are of the same tokens.
at::Tensor chunk(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                 LinearState& state) {
  const at::Tensor pairs = at::matmul(q, k.transpose(-2, -1)).tril();  // (B, H, T, T)
  at::Tensor numerator = at::matmul(pairs, v);                         // (B, H, T, Dv)
  at::Tensor denominator = pairs.sum(-1);                              // (B, H, T)
  if (state.sums.defined()) {
    numerator = numerator + at::matmul(q, state.sums);
    denominator = denominator + times(q, state.normaliser);
  }
  absorb(k, v, state);
  return divided(numerator, denominator);
}

// The causal pass over features: the queries are the last of the keys' tokens.
at::Tensor in_chunks(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                     LinearState& state) {
  const int64_t queries = q.size(2), earlier = k.size(2) - queries;
  if (earlier > 0) absorb(k.narrow(2, 0, earlier), v.narrow(2, 0, earlier), state);
  std::vector<at::Tensor> parts;
  for (int64_t t = 0; t < queries; t += kChunk) {
    const int64_t n = std::min(kChunk, queries - t);
    parts.push_back(
        chunk(q.narrow(2, t, n), k.narrow(2, earlier + t, n), v.narrow(2, earlier + t, n), state));
  }
  if (parts.empty()) return at::zeros({q.size(0), q.size(1), 0, v.size(3)}, v.options());
  return parts.size() == 1 ? parts[0] : at::cat(parts, 2);  // (B, H, Tq, Dv)
}

at::Tensor all_at_once(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
  LinearState state;
  absorb(k, v, state);
  return divided(at::matmul(q, state.sums), times(q, state.normaliser));  // (B, H, Tq, Dv)
}

// (B, H, Tq, Tk); `hidden` may be undefined
at::Tensor implied_weights(const at::Tensor& q, const at::Tensor& k, const at::Tensor& hidden) {
  at::Tensor pairs = at::matmul(q, k.transpose(-2, -1));
  if (hidden.defined()) pairs = pairs.masked_fill(hidden, 0.0);
  return divided(pairs, pairs.sum(-1));
}

// Rows of hidden keys as zeros; x (B, H, Tk, D), hidden (B or 1, 1, 1, Tk).
at::Tensor without(const at::Tensor& x, const at::Tensor& hidden) {
  return hidden.defined() ? x.masked_fill(hidden.transpose(-2, -1), 0.0) : x;
}

}  // namespace

at::Tensor linear_features(const at::Tensor& x) { return x.relu() + x.clamp_max(0.0).exp(); }

ops::AttentionResult linear_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                      const Mask& mask, bool return_weights) {
  constexpr auto kOp = "linear_attention";
  check(kOp, q, k, v);
  const Conditions conditions = conditions_of(mask);
  const int64_t queries = q.size(2), keys = k.size(2);
  if (conditions.causal && queries > keys)
    ops::refuse(kOp, "no more queries than keys when causal", {q, k});
  const ops::FiniteRows fq = ops::finite_rows(q), fk = ops::finite_rows(k),
                        fv = ops::finite_rows(v);
  const at::Tensor hidden_keys =
      conditions.keys.hidden(q.size(0), 1, queries, keys, q.device());  // (B or 1, 1, 1, Tk)
  const at::ScalarType dtype = wide(q.scalar_type());
  const at::Tensor pq = linear_features(fq.value.to(dtype));
  const at::Tensor pk = without(linear_features(fk.value.to(dtype)), hidden_keys);
  const at::Tensor pv = fv.value.to(dtype);
  LinearState state;
  at::Tensor output = (conditions.causal ? in_chunks(pq, pk, pv, state) : all_at_once(pq, pk, pv))
                          .to(v.scalar_type());
  const bool spoilt = fq.bad.defined() || fk.bad.defined() || fv.bad.defined();
  if (!spoilt && !return_weights) return {output, {}};

  at::Tensor hidden = mask.hidden(q.size(0), q.size(1), queries, keys, q.device());
  at::Tensor weights =
      return_weights ? implied_weights(pq, pk, hidden).to(q.scalar_type()) : at::Tensor();
  if (spoilt) {
    if (!hidden.defined()) hidden = at::zeros({1, 1, queries, keys}, q.options().dtype(at::kBool));
    const at::Tensor rows = ops::spoiled_queries(fq.bad, fk.bad, hidden);
    output = ops::spoil(ops::spoil(output, rows), ops::spoiled_queries({}, fv.bad, hidden));
    if (return_weights) weights = ops::spoil(weights, rows);
  }
  return {output, weights};
}

ops::AttentionResult linear_attention_step(const at::Tensor& q, const at::Tensor& k,
                                           const at::Tensor& v, LinearState& state,
                                           bool return_weights) {
  constexpr auto kOp = "linear_attention_step";
  check(kOp, q, k, v);
  if (q.size(2) != k.size(2)) ops::refuse(kOp, "as many queries as keys", {q, k});
  // Broadcast, one sentence's sums would serve them all.
  if (state.sums.defined() &&
      state.sums.sizes() != at::IntArrayRef({k.size(0), k.size(1), k.size(3), v.size(3)}))
    ops::refuse(kOp, "the sentences, heads and widths of the state's sums (B, H, D, Dv)",
                {k, v, state.sums});
  if (return_weights && state.length > 0 && !state.features.defined())
    throw InvalidArgument(
        "[linear_attention_step] expected weights to be asked for from the first "
        "token on, found " +
        std::to_string(state.length) + " tokens without");
  const at::ScalarType dtype = wide(q.scalar_type());
  const at::Tensor pq = linear_features(q.to(dtype)), pk = linear_features(k.to(dtype));
  const at::Tensor output = in_chunks(pq, pk, v.to(dtype), state).to(v.scalar_type());
  if (!return_weights) {
    state.features = at::Tensor();
    return {output, {}};
  }
  state.features = state.features.defined() ? at::cat({state.features, pk}, 2) : pk;
  const at::Tensor hidden =
      Mask::causal().hidden(q.size(0), 1, q.size(2), state.length, q.device());
  return {output, implied_weights(pq, state.features, hidden).to(q.scalar_type())};
}

}  // namespace attend
