// Scores, normalisers and pooling, without heads.
#include <ATen/TensorOperators.h>

#include "attend/attention/attention.h"
#include "attend/attention/pooling.h"
#include "attend/attention/structured.h"
#include "attend/ops/masked_softmax.h"
#include "attend/ops/sparsemax.h"
#include "bench/attention_cases.h"

namespace attend::bench {
namespace {

// The real keys of sentence b are the first T (b + 1) / B.
Mask padding(int64_t length) {
  std::vector<int64_t> lengths;
  for (int64_t b = 0; b < kBatch; ++b) lengths.push_back(length * (b + 1) / kBatch);
  return Mask::padding(lengths);
}

AttentionCase normaliser(const std::string& name,
                         at::Tensor (*normalise)(const at::Tensor&, const Mask&)) {
  return {name, [normalise](int64_t length) {
            return of_tensors({{"scores", {kBatch, length, length}}},
                              [normalise, mask = padding(length)](const Leaves& x) {
                                return normalise(x[0], mask);
                              });
          }};
}

Work average(int64_t length) {
  return of_tensors({{"values", {kBatch, length, kWidth}}}, [length](const Leaves& x) {
    return average_pooling(x[0], length, Mask::causal()).output;
  });
}

Work epanechnikov(int64_t length) {
  Shapes shapes = sequences(length);
  shapes.push_back({"width", {kWidth}});
  return of_tensors(shapes, [](const Leaves& x) {
    // An eighth of the width, so that most keys are in reach.
    return kernel_pooling(x[0], x[1], x[2], x[3] * 0.125, KernelKind::kEpanechnikov, Mask::none())
        .output;
  });
}

Work structured(int64_t length) {
  return of_layer(
      {{"x", {kBatch, length, kWidth}}},
      [](const ParameterScope& scope) {
        return StructuredAttention(scope, {.size = kWidth, .hidden = kWidth, .hops = 4});
      },
      [](const StructuredAttention& layer, const Leaves& x) {
        return layer.forward(x[0], Mask::none()).output;
      });
}

AttentionCase score(const std::string& name, ScoreKind kind, const Mask& mask = Mask::none()) {
  return {name, [kind, mask](int64_t length) {
            const auto make = [kind](const ParameterScope& scope) {
              return Attention(kind, scope, {.query_size = kWidth});
            };
            return of_layer(sequences(length), make,
                            [mask](const Attention& attention, const Leaves& x) {
                              return attention.forward(x[0], x[1], x[2], mask).output;
                            });
          }};
}

}  // namespace

std::vector<AttentionCase> score_cases() {
  return {normaliser("masked softmax", ops::masked_softmax),
          normaliser("sparsemax", ops::sparsemax),
          {"average, causal", average},
          {"epanechnikov kernel", epanechnikov},
          score("gaussian kernel", ScoreKind::kGaussian),
          score("additive", ScoreKind::kAdditive),
          score("dot", ScoreKind::kDot),
          score("scaled dot", ScoreKind::kScaledDot),
          score("scaled dot, causal", ScoreKind::kScaledDot, Mask::causal()),
          score("bilinear", ScoreKind::kBilinear),
          score("cosine", ScoreKind::kCosine),
          {"structured", structured}};
}

}  // namespace attend::bench
