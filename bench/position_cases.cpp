// Positions, windows and linear attention, on queries, keys and values in heads.
#include <ATen/TensorOperators.h>

#include <cmath>

#include "attend/attention/alibi.h"
#include "attend/attention/linear_attention.h"
#include "attend/attention/relative.h"
#include "attend/attention/rotary.h"
#include "attend/attention/t5_bias.h"
#include "attend/ops/attention.h"
#include "bench/attention_cases.h"

namespace attend::bench {
namespace {

constexpr int64_t kWindow = 16;

Work turned(int64_t length) {
  return of_tensors({{"x", {kBatch, kHeads, length, kHead}}},
                    [](const Leaves& x) { return rotary(x[0]); });
}

Work alibi(int64_t length) {
  return of_tensors(head_sequences(length), [length](const Leaves& x) {
    return ops::scaled_dot_product_attention(
               x[0], x[1], x[2], Mask::causal(),
               {.distance_bias =
                    alibi_distances(kHeads, length, length, x[0].options().requires_grad(false))})
        .output;
  });
}

Work t5(int64_t length) {
  return of_layer(
      head_sequences(length), [](const ParameterScope& scope) { return T5Bias(scope, kHeads, {}); },
      [length](const T5Bias& bias, const Leaves& x) {
        return ops::scaled_dot_product_attention(
                   x[0], x[1], x[2], Mask::none(),
                   {.distance_bias = bias.by_distance(length, length)})
            .output;
      });
}

Work relative(int64_t length) {
  return of_layer(
      head_sequences(length),
      [](const ParameterScope& scope) { return RelativePositions(scope, {.width = kHead}); },
      [length](const RelativePositions& positions, const Leaves& x) {
        const double scale = 1.0 / std::sqrt(static_cast<double>(kHead));
        const ops::AttentionResult seen = ops::scaled_dot_product_attention(
            x[0], x[1], x[2], Mask::none(),
            {.return_weights = true, .bias = positions.scores(x[0] * scale, length)});
        return seen.output + positions.pooled(seen.weights);
      });
}

Work linear(int64_t length, const Mask& mask) {
  return of_tensors(head_sequences(length), [mask](const Leaves& x) {
    return linear_attention(x[0], x[1], x[2], mask).output;
  });
}

Work window(int64_t length) {
  return of_tensors(head_sequences(length), [](const Leaves& x) {
    return ops::scaled_dot_product_attention(x[0], x[1], x[2],
                                             Mask::causal() & Mask::window(kWindow))
        .output;
  });
}

}  // namespace

std::vector<AttentionCase> position_cases() {
  constexpr int64_t kFeatures = kBatch * kModel;
  return {{"rotary", turned, kFeatures},
          {"alibi, causal", alibi, kFeatures},
          {"t5 bias", t5, kFeatures},
          {"relative vectors", relative, kFeatures},
          {"window of 16", window, kFeatures},
          {"linear", [](int64_t t) { return linear(t, Mask::none()); }, kFeatures},
          {"linear, causal", [](int64_t t) { return linear(t, Mask::causal()); }, kFeatures}};
}

}  // namespace attend::bench
