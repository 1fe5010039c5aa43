// Multi-head attention, with its four projections.
#include "attend/attention/multi_head.h"
#include "bench/attention_cases.h"

namespace attend::bench {
namespace {

Work multi_head(int64_t length, const MultiHeadAttention::Options& options, const Mask& mask) {
  return of_layer(
      {{"x", {kBatch, length, kModel}}},
      [&](const ParameterScope& scope) { return MultiHeadAttention(scope, options); },
      [mask](const MultiHeadAttention& layer, const Leaves& x) {
        return layer.forward(x[0], x[0], x[0], mask).output;
      });
}

AttentionCase self_attention(const std::string& name, const MultiHeadAttention::Options& options,
                             const Mask& mask = Mask::none()) {
  return {name, [options, mask](int64_t length) { return multi_head(length, options, mask); },
          kBatch * kModel};
}

}  // namespace

std::vector<AttentionCase> head_cases() {
  const MultiHeadAttention::Options plain{.query_size = kModel, .heads = kHeads};
  MultiHeadAttention::Options grouped = plain;
  grouped.key_value_heads = kHeads / 2;
  return {self_attention("multi-head", plain),
          self_attention("multi-head, causal", plain, Mask::causal()),
          self_attention("grouped heads, causal", grouped, Mask::causal())};
}

}  // namespace attend::bench
