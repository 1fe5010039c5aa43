#include "bench/op_cases.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "attend/core/errors.h"
#include "attend/core/nearest.h"
#include "attend/ops/additive_scores.h"
#include "attend/ops/attention.h"
#include "attend/ops/cross_entropy.h"
#include "attend/ops/gru_sequence.h"
#include "attend/ops/masked_softmax.h"
#include "attend/ops/projected_cross_entropy.h"
#include "attend/ops/residual_norm.h"

namespace attend::bench {
namespace {

// Sentence b has T (b + 1) / B real keys, rounded up: from nearly none to all. Of three, which
// tests alone have, the first has none.
Mask padding(int64_t batch, int64_t keys) {
  std::vector<int64_t> lengths;
  for (int64_t b = 0; b < batch; ++b) lengths.push_back((keys * (b + 1) + batch - 1) / batch);
  if (batch == 3) lengths[0] = 0;
  return Mask::padding(lengths);
}

// Every fourth key is hidden, in each sentence another one. Of three, the first has none left.
Mask some_keys(int64_t batch, int64_t keys) {
  const at::Tensor j = at::arange(keys, at::kLong), b = at::arange(batch, at::kLong).unsqueeze(1);
  at::Tensor real = j.mul(7).add(b).remainder(4).ne(0);  // (B, Tk)
  return Mask::keys(batch == 3 ? real.logical_and(b.ne(0)) : real);
}

// Every fourth pair is hidden, so that no query is without a key.
Mask some_pairs(int64_t, int64_t keys) {
  const at::Tensor j = at::arange(keys, at::kLong);
  return Mask::dense(j.mul(5).unsqueeze(1).add(j.mul(3)).remainder(4).ne(0));
}

at::Tensor targets_of(int64_t n, int64_t vocabulary) {
  return at::arange(n, at::kLong).mul_(7919).add_(3).remainder_(vocabulary);
}

// (B, H, Tq, Tk)
OpCase softmax(const std::string& name, Mask (*mask_of)(int64_t batch, int64_t keys)) {
  const auto pass = [mask_of](const Sizes& n, bool fused) -> PassOfLeaves {
    const Mask mask = mask_of(n[0], n[3]);
    if (fused) return [mask](const Leaves& x) { return ops::masked_softmax(x[0], mask); };
    return [mask](const Leaves& x) {
      return ops::masked_softmax_composed(x[0], mask.hidden_for(x[0].sizes(), x[0].device()));
    };
  };
  return {.name = name,
          .letters = {"B", "H", "Tq", "Tk"},
          .timed = {{64, 4, 10, 10}, {16, 4, 128, 128}, {2, 4, 1024, 1024}},
          .swept = {{3, 1, 1, 1}, {3, 2, 5, 7}, {1, 2, 17, 33}, {2, 1, 3, 0}, {0, 2, 3, 4}},
          .leaves = [](const Sizes& n) { return Shapes{{"scores", n}}; },
          .fused = [pass](const Sizes& n) { return pass(n, true); },
          .twin = [pass](const Sizes& n) { return pass(n, false); }};
}

// (B, Tq, Tk, A): queries and keys come projected; values are as wide.
OpCase additive() {
  const auto mask_of = [](const Sizes& n) { return padding(n[0], n[2]); };
  return {.name = "additive attention",
          .letters = {"B", "Tq", "Tk", "A"},
          .timed = {{64, 10, 10, 32}, {16, 64, 64, 128}, {4, 256, 256, 128}},
          .swept = {{1, 1, 1, 1}, {2, 3, 5, 7}, {3, 2, 9, 17}, {2, 0, 3, 4}, {1, 2, 0, 3}},
          .leaves =
              [](const Sizes& n) {
                return Shapes{{"queries", {n[0], n[1], n[3]}},
                              {"keys", {n[0], n[2], n[3]}},
                              {"score", {n[3]}},
                              {"values", {n[0], n[2], n[3]}}};
              },
          .fused = [mask_of](const Sizes& n) -> PassOfLeaves {
            return [mask = mask_of(n)](const Leaves& x) {
              return ops::additive_attention(x[0], x[1], x[2], x[3], mask).output;
            };
          },
          .twin = [mask_of](const Sizes& n) -> PassOfLeaves {
            return [mask = mask_of(n)](const Leaves& x) {
              const at::Tensor scores = ops::additive_scores_composed(x[0], x[1], x[2]);
              const at::Tensor hidden = mask.hidden_for(scores.sizes(), scores.device());
              return ops::masked_softmax_composed(scores, hidden).matmul(x[3]);
            };
          }};
}

// (B, H, T, D)
OpCase scaled_dot(const std::string& name, Mask (*mask_of)(int64_t batch, int64_t keys)) {
  return {
      .name = name,
      .letters = {"B", "H", "T", "D"},
      .timed = {{64, 4, 10, 8}, {8, 8, 128, 32}, {16, 4, 128, 32}, {2, 8, 1024, 64}},
      .swept = {{1, 1, 1, 1}, {3, 2, 5, 7}, {1, 2, 33, 5}, {2, 1, 0, 3}, {0, 1, 2, 3}},
      .leaves = [](const Sizes& n) { return Shapes{{"queries", n}, {"keys", n}, {"values", n}}; },
      .fused = [mask_of](const Sizes& n) -> PassOfLeaves {
        return [mask = mask_of(n[0], n[2])](const Leaves& x) {
          return ops::scaled_dot_product_attention(x[0], x[1], x[2], mask).output;
        };
      },
      .twin = [mask_of](const Sizes& n) -> PassOfLeaves {
        return [mask = mask_of(n[0], n[2])](const Leaves& x) {
          const double scale = 1.0 / std::sqrt(static_cast<double>(x[0].size(3)));
          const at::Tensor scores = (x[0] * scale).matmul(x[1].transpose(2, 3));
          const at::Tensor hidden = mask.hidden_for(scores.sizes(), scores.device());
          return ops::masked_softmax_composed(scores, hidden).matmul(x[2]);
        };
      }};
}

// (N, D)
OpCase residual_norm(const std::string& name, double probability) {
  const auto pass = [probability](const Sizes& n, auto op) -> PassOfLeaves {
    ops::ResidualNormOptions options{.dropout = {.probability = probability, .seed = 1}};
    if (probability > 0) {
      options.rows.resize(static_cast<size_t>(n[0]));
      std::iota(options.rows.begin(), options.rows.end(), 0);
    }
    return [op, options](const Leaves& x) { return op({x[0], x[1], x[2], x[3]}, options); };
  };
  return {.name = name,
          .letters = {"N", "D"},
          .timed = {{640, 32}, {4096, 128}, {2048, 1024}},
          .swept = {{1, 2}, {3, 7}, {5, 33}, {9, 130}, {0, 4}},
          .leaves =
              [](const Sizes& n) {
                return Shapes{{"x", n}, {"change", n}, {"gain", {n[1]}}, {"bias", {n[1]}}};
              },
          .fused = [pass](const Sizes& n) { return pass(n, ops::residual_norm); },
          .twin = [pass](const Sizes& n) { return pass(n, ops::residual_norm_composed); }};
}

// (N, V)
OpCase cross_entropy() {
  const auto pass = [](const Sizes& n, auto op) -> PassOfLeaves {
    return [op, targets = targets_of(n[0], n[1])](const Leaves& x) { return op(x[0], targets); };
  };
  return {.name = "cross-entropy",
          .letters = {"N", "V"},
          .timed = {{640, 201}, {1024, 10000}, {512, 50000}},
          .swept = {{1, 1}, {3, 2}, {4, 17}, {2, 2100}, {0, 5}},
          .leaves = [](const Sizes& n) { return Shapes{{"logits", n}}; },
          .fused = [pass](const Sizes& n) { return pass(n, ops::cross_entropy); },
          .twin = [pass](const Sizes& n) { return pass(n, ops::cross_entropy_composed); }};
}

// (N, D, V)
OpCase projected_cross_entropy() {
  const auto pass = [](const Sizes& n, auto op) -> PassOfLeaves {
    return [op, targets = targets_of(n[0], n[2])](const Leaves& x) {
      return op(x[0], x[1], x[2], targets);
    };
  };
  return {
      .name = "projected cross-entropy",
      .letters = {"N", "D", "V"},
      .timed = {{640, 32, 201}, {1024, 128, 10000}, {1024, 512, 32000}},
      .swept = {{1, 1, 1}, {3, 5, 7}, {7, 17, 33}, {300, 3, 5}, {0, 3, 4}},
      .leaves =
          [](const Sizes& n) {
            return Shapes{{"hidden", {n[0], n[1]}}, {"weight", {n[2], n[1]}}, {"bias", {n[2]}}};
          },
      .fused = [pass](const Sizes& n) { return pass(n, ops::projected_cross_entropy); },
      .twin = [pass](const Sizes& n) { return pass(n, ops::projected_cross_entropy_composed); }};
}

// (B, T, D, H): sequence b has T (B - b) / B steps, at least one; rows are time-major.
std::vector<int64_t> offsets_of(const Sizes& n) {
  std::vector<int64_t> offsets = {0};
  for (int64_t b = 0; b < n[0]; ++b)
    offsets.push_back(offsets.back() + std::max<int64_t>(1, n[1] * (n[0] - b) / n[0]));
  return offsets;
}

OpCase gru() {
  const auto pass = [](const Sizes& n, auto op) -> PassOfLeaves {
    return [op, layout = ops::time_major(offsets_of(n), at::kCPU)](const Leaves& x) {
      return op(x[0], layout, at::Tensor(), ops::RecurrentWeights{x[1], x[2], x[3], x[4]}).rows;
    };
  };
  return {.name = "gru sequence",
          .letters = {"B", "T", "D", "H"},
          .timed = {{64, 10, 32, 32}, {64, 32, 256, 256}, {32, 64, 512, 512}},
          .swept = {{1, 1, 1, 1}, {3, 4, 5, 7}, {2, 5, 3, 17}},
          .leaves =
              [](const Sizes& n) {
                return Shapes{{"rows", {offsets_of(n).back(), n[2]}},
                              {"input.weight", {3 * n[3], n[2]}},
                              {"hidden.weight", {3 * n[3], n[3]}},
                              {"input.bias", {3 * n[3]}},
                              {"hidden.bias", {3 * n[3]}}};
              },
          .fused = [pass](const Sizes& n) { return pass(n, ops::gru_sequence); },
          .twin = [pass](const Sizes& n) { return pass(n, ops::gru_sequence_composed); }};
}

Mask causal(int64_t, int64_t) { return Mask::causal(); }
Mask none(int64_t, int64_t) { return Mask::none(); }

}  // namespace

const std::vector<OpCase>& op_cases() {
  static const std::vector<OpCase> all = {softmax("masked softmax, padding", padding),
                                          softmax("masked softmax, causal", causal),
                                          additive(),
                                          scaled_dot("scaled dot-product", none),
                                          scaled_dot("scaled dot-product, padding", padding),
                                          scaled_dot("scaled dot-product, causal", causal),
                                          scaled_dot("scaled dot-product, keys", some_keys),
                                          scaled_dot("scaled dot-product, pairs", some_pairs),
                                          residual_norm("residual norm", 0),
                                          residual_norm("residual norm, dropout", 0.1),
                                          cross_entropy(),
                                          projected_cross_entropy(),
                                          gru()};
  return all;
}

const OpCase& find_op_case(const std::string& name) {
  std::vector<std::string> names;
  for (const OpCase& one : op_cases()) {
    if (one.name == name) return one;
    names.push_back(one.name);
  }
  throw InvalidArgument("no case '" + name + "'" + core::did_you_mean(name, names));
}

std::string size_text(const OpCase& one, const Sizes& sizes) {
  std::string text;
  for (size_t i = 0; i < sizes.size(); ++i)
    text += (i == 0 ? "" : ", ") + one.letters[i] + " = " + std::to_string(sizes[i]);
  return text;
}

}  // namespace attend::bench
