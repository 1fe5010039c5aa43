// Cases of scaled dot-product attention: the forms of masks, biases and heads, and their inputs.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>

#include <string>
#include <vector>

#include "attend/ops/attention.h"
#include "tests/support/gradcheck.h"

namespace attend::ops {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)

struct Case {
  std::string name;
  int64_t queries, keys;
  Mask mask = {};
  int64_t key_heads = 4;
  bool bias = false, distance = false, drops = false;
};

inline constexpr int64_t kBatch = 2, kHeads = 4, kWidth = 9, kValues = 6;

inline at::Tensor lengths(std::vector<int64_t> values, at::IntArrayRef sizes) {
  return at::tensor(values, at::kLong).view(sizes);
}

inline std::vector<Case> cases() {
  const at::Tensor hidden = cosines({kBatch, kHeads, 37, 70}).gt(0.3);
  const at::Tensor prefix = at::arange(70).unsqueeze(0).lt(lengths({0, 33}, {kBatch, 1}));
  std::vector<int64_t> per_query;
  for (int64_t i = 0; i < kBatch * 37; ++i) per_query.push_back(i * 11 % 71);
  return {
      {"plain", 37, 70},
      {"one pair", 1, 1},
      {"one query", 1, 70, Mask::causal()},
      {"padding", 37, 70, Mask::padding({70, 0})},
      {"padding of each query", 37, 70, Mask::padding(lengths(per_query, {kBatch, 37}))},
      {"causal, grouped", 70, 70, Mask::causal(), 2},
      {"causal, cached", 5, 70, Mask::causal() & Mask::padding({69, 3}), 1},
      {"causal from 3 on", 37, 70, Mask::causal(3)},
      {"window", 70, 70, Mask::causal() & Mask::window(6)},
      {"window, both ways", 37, 70, Mask::window(4, 0)},
      {"dense of heads", 37, 70, Mask::dense(hidden), 2},
      {"dense of all", 37, 70, Mask::dense(hidden[0][0]) & Mask::padding({70, 33})},
      {"keys", 37, 70, Mask::keys(hidden.select(2, 0).select(1, 0))},
      {"keys, causal, grouped", 37, 70,
       Mask::keys(hidden.select(2, 0).select(1, 0)) & Mask::causal(), 2},
      {"keys of all", 37, 70, Mask::keys(hidden.select(2, 0).select(1, 0).slice(0, 0, 1)), 4, true,
       true, true},
      {"keys, prefix", 37, 70, Mask::keys(prefix), 2},
      {"keys, none of a sentence", 37, 70,
       Mask::keys(hidden.select(2, 0).select(1, 0).logical_and(prefix)), 4, false, true},
      {"dense of equal queries", 37, 70,
       Mask::dense(hidden.select(2, 1).unsqueeze(2).expand({kBatch, kHeads, 37, 70})), 2},
      {"dense, triangle", 70, 70, Mask::dense(at::ones({70, 70}, at::kBool).tril(-1))},
      {"prepared", 37, 70,
       (Mask::causal() & Mask::padding({70, 50})).prepare(kBatch, 1, 37, 70, at::kCPU)},
      {"bias", 37, 70, Mask::causal(), 4, true},
      {"distance", 37, 70, Mask::padding({70, 20}), 2, false, true},
      {"all", 37, 70, Mask::window(20) & Mask::dense(hidden), 2, true, true, true},
      {"dropout", 37, 70, Mask::causal(), 4, false, false, true},
  };
}

// As multi-head attention has heads: views of rows (B, T, H D).
inline at::Tensor heads(int64_t count, int64_t length, int64_t width, double start,
                        at::ScalarType dtype) {
  return cosines({kBatch, length, count, width}, start, dtype)
      .transpose(1, 2)
      .set_requires_grad(true);
}

inline std::vector<at::Tensor> inputs(const Case& c, at::ScalarType dtype) {
  std::vector<at::Tensor> in = {heads(kHeads, c.queries, kWidth, 0, dtype),
                                heads(c.key_heads, c.keys, kWidth, 1, dtype),
                                heads(c.key_heads, c.keys, kValues, 2, dtype)};
  if (c.bias) in.push_back(leaf({kHeads, c.queries, c.keys}, 3, dtype));
  if (c.distance) in.push_back(leaf({kHeads, c.queries + c.keys - 1}, 4, dtype));
  return in;
}

inline AttentionOptions options_of(const Case& c, const std::vector<at::Tensor>& in) {
  AttentionOptions options{.site = 3, .rows = {7, 5}};
  if (c.drops) options.dropout = {.probability = 0.3, .seed = 9, .step = 4};
  if (c.bias) options.bias = in[3];
  if (c.distance) options.distance_bias = in.back();
  return options;
}

inline TensorFunction function(const Case& c, decltype(scaled_dot_product_attention)* op) {
  return [&c, op](const std::vector<at::Tensor>& in) {
    return op(in[0], in[1], in[2], c.mask, options_of(c, in)).output;
  };
}

}  // namespace attend::ops
