// Attention over packed rows, against scaled dot-product attention on each sentence alone.
#include "attend/ops/packed_attention.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <gmock/gmock.h>

#include <limits>

#include "attend/core/errors.h"
#include "attend/ops/attention.h"
#include "tests/support/gradcheck.h"

namespace attend::ops {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;

constexpr int64_t kWidth = 6;

struct Case {
  std::vector<int64_t> queries, keys;  // offsets
  int64_t heads = 1;
  bool causal = false;
};

// A sentence without keys, without queries, without both; even; causal; one token.
const Case kCases[] = {{{0, 2, 5, 5, 6}, {0, 3, 3, 4, 9}, 2, false},
                       {{0, 2, 2, 3}, {0, 1, 1, 5}, 3, false},
                       {{0, 2, 4}, {0, 3, 6}, 1, false},
                       {{0, 2, 5, 5, 6}, {0, 2, 5, 5, 6}, 2, true},
                       {{0, 3, 6}, {0, 3, 6}, 6, true},
                       {{0, 1}, {0, 1}, 2, true},
                       {{0, 0, 2}, {0, 0, 0}, 2, false},
                       {{0, 0}, {0, 2}, 2, false},
                       {{0}, {0}, 2, false}};

std::vector<at::Tensor> leaves(const Case& c) {
  return {leaf({c.queries.back(), kWidth}, 1), leaf({c.keys.back(), kWidth}, 2),
          leaf({c.keys.back(), kWidth}, 3)};
}

at::Tensor packed(const Case& c, const std::vector<at::Tensor>& in,
                  PackedAttentionOptions options = {}) {
  options.heads = c.heads;
  options.causal = c.causal;
  return packed_attention(in[0], in[1], in[2], packed_layout(c.queries, at::kCPU),
                          packed_layout(c.keys, at::kCPU), options);
}

// (n, D) -> (1, H, n, D / H)
at::Tensor heads_of(const at::Tensor& rows, int64_t heads) {
  return rows.view({1, rows.size(0), heads, kWidth / heads}).transpose(1, 2);
}

// Rows of sentence b, and what it gives alone.
at::Tensor alone(const Case& c, const std::vector<at::Tensor>& in, size_t b) {
  const auto rows = [b](const at::Tensor& x, const std::vector<int64_t>& offsets) {
    return x.narrow(0, offsets[b], offsets[b + 1] - offsets[b]);
  };
  const at::Tensor q = rows(in[0], c.queries), k = rows(in[1], c.keys), v = rows(in[2], c.keys);
  if (k.size(0) == 0) return at::zeros(q.sizes(), q.options());
  return scaled_dot_product_attention(heads_of(q, c.heads), heads_of(k, c.heads),
                                      heads_of(v, c.heads),
                                      c.causal ? Mask::causal() : Mask::none())
      .output.transpose(1, 2)
      .reshape(q.sizes());
}

at::Tensor each_alone(const Case& c, const std::vector<at::Tensor>& in) {
  std::vector<at::Tensor> rows = {at::zeros({0, kWidth}, at::kDouble)};
  for (size_t b = 0; b + 1 < c.queries.size(); ++b) rows.push_back(alone(c, in, b));
  return at::cat(rows);
}

TEST(PackedAttention, GivesEachSentenceWhatItGivesAlone) {
  for (size_t i = 0; i < std::size(kCases); ++i) {
    SCOPED_TRACE("case " + std::to_string(i));
    const Case& c = kCases[i];
    const auto in = leaves(c);
    EXPECT_TRUE(close(packed(c, in), each_alone(c, in)));
    const auto actual = gradients_of([&](const auto& x) { return packed(c, x); }, in);
    const auto expected =
        gradients_of([&](const auto& x) { return each_alone(c, x) + 0 * x[0]; }, in);
    for (size_t n = 0; n < in.size(); ++n)
      EXPECT_TRUE(close(actual[n], expected[n])) << "input " << n;
  }
}

TEST(PackedAttention, GradientsAreThoseOfCentralDifferences) {
  for (const Case& c : {kCases[0], kCases[3]})
    EXPECT_TRUE(check_gradients([&](const auto& in) { return packed(c, in); }, leaves(c)));
}

TEST(PackedAttention, WeightsOnRequestChangeNothing) {
  for (const Case& c : kCases) {
    const auto in = leaves(c);
    at::Tensor weights;
    EXPECT_TRUE(identical(packed(c, in, {.weights = &weights}), packed(c, in)));
    const auto queries = packed_layout(c.queries, at::kCPU), keys = packed_layout(c.keys, at::kCPU);
    ASSERT_EQ(weights.sizes(),
              at::IntArrayRef({queries.size(), c.heads, queries.longest, keys.longest}));
    EXPECT_FALSE(weights.requires_grad());
    for (int64_t b = 0; b < queries.size(); ++b) {
      const at::Tensor real =
          weights[b].narrow(1, 0, queries.length(b)).narrow(2, 0, keys.length(b));
      // All of the weight lies on real pairs, and each real query with keys spends one.
      EXPECT_NEAR(weights[b].sum().item<double>(), real.sum().item<double>(), 1e-12);
      if (keys.length(b) > 0) {
        EXPECT_TRUE(close(real.sum(-1), at::zeros({c.heads, queries.length(b)}, at::kDouble) + 1));
      }
      if (c.causal) {
        EXPECT_TRUE(identical(real.triu(1), at::zeros_like(real)));
      }
    }
  }
}

TEST(PackedAttention, WeightsAreThoseBeforeDropout) {
  const Case& c = kCases[0];
  const auto in = leaves(c);
  const auto rows = row_numbers(c.queries, {0, 2, 5, 5});
  at::Tensor plain, dropped;
  packed(c, in, {.weights = &plain});
  packed(c, in, {.dropout = {.probability = 0.5}, .row_numbers = &rows, .weights = &dropped});
  EXPECT_TRUE(identical(dropped, plain));
}

TEST(PackedAttention, DropoutHangsNeitherOnPaddingNorOnNeighbours) {
  const Case& c = kCases[0];
  const auto in = leaves(c);
  const std::vector<int64_t> first = {100, 102, 105, 105};
  const auto rows = row_numbers(c.queries, first);
  const DropoutState dropout{.probability = 0.4, .seed = 3, .step = 9};
  const at::Tensor whole = packed(c, in, {.dropout = dropout, .site = 5, .row_numbers = &rows});
  EXPECT_FALSE(close(whole, packed(c, in)));
  for (size_t b = 0; b + 1 < c.queries.size(); ++b) {
    const int64_t n = c.queries[b + 1] - c.queries[b], keys = c.keys[b + 1] - c.keys[b];
    const Case own{{0, n}, {0, keys}, c.heads, false};
    const auto numbers = row_numbers(own.queries, {first[b]});
    const at::Tensor single =
        packed(own,
               {in[0].narrow(0, c.queries[b], n), in[1].narrow(0, c.keys[b], keys),
                in[2].narrow(0, c.keys[b], keys)},
               {.dropout = dropout, .site = 5, .row_numbers = &numbers});
    EXPECT_TRUE(close(single, whole.narrow(0, c.queries[b], n))) << "sentence " << b;
  }
}

TEST(PackedAttention, GradientsGoThroughDropout) {
  const Case& c = kCases[3];
  const auto rows = row_numbers(c.queries, {0, 2, 5, 5});
  const PackedAttentionOptions options{.dropout = {.probability = 0.3}, .row_numbers = &rows};
  EXPECT_TRUE(check_gradients([&](const auto& in) { return packed(c, in, options); }, leaves(c)));
}

TEST(PackedAttention, WhatACausalQueryDoesNotSeeMayBeNaN) {
  const Case c{{0, 3, 5}, {0, 3, 5}, 2, true};
  auto in = leaves(c);
  const at::Tensor clean = packed(c, in);
  for (const size_t i : {1, 2}) {
    in[i] = in[i].detach().clone();
    in[i][2].fill_(std::numeric_limits<double>::quiet_NaN());
  }
  const at::Tensor odd = packed(c, in);
  for (const int64_t row : {0, 1, 3, 4}) EXPECT_TRUE(close(odd[row], clean[row])) << row;
  EXPECT_TRUE(odd[2].isnan().all().item<bool>());
}

TEST(PackedAttention, RefusesWhatDoesNotFit) {
  const Case& c = kCases[0];
  const auto in = leaves(c);
  const auto error = [&](const Case& wrong, const std::vector<at::Tensor>& inputs,
                         const PackedAttentionOptions& options = {}) {
    return message_of([&] { packed(wrong, inputs, options); });
  };
  EXPECT_THAT(error({c.queries, c.keys, 4, false}, in), HasSubstr("4 heads and width 6"));
  EXPECT_THAT(error({c.queries, c.keys, 0, false}, in), HasSubstr("0 heads"));
  EXPECT_THAT(error({c.queries, c.keys, 2, true}, in), HasSubstr("the same layout"));
  EXPECT_THAT(error({c.queries, {0, 9}, 2, false}, in), HasSubstr("4 and 1 sentences"));
  EXPECT_THAT(error(c, {in[0], in[1], in[1].narrow(0, 0, 8)}), HasSubstr("(8, 6)"));
  EXPECT_THAT(error(c, in, {.dropout = {.probability = 0.1}}), HasSubstr("6 query rows, found 0"));
  EXPECT_THAT(error(c, {in[0], in[1].to(at::kFloat), in[2]}), HasSubstr("[packed_attention]"));
  EXPECT_THAT(error(c, {in[0], in[1], {}}), HasSubstr("undefined"));
  const std::vector<int64_t> rows = {0, 1, 2, 3, 4, 5};
  for (const double p : {-0.1, 1.0, 1.5})
    EXPECT_THAT(error(c, in, {.dropout = {.probability = p}, .row_numbers = &rows}),
                HasSubstr("probability in [0, 1)"));
}

// Beyond one block of queries, at widths that are no whole vectors, with and without dropout.
TEST(PackedAttention, KernelsAgreeWithTheTwin) {
  for (const at::ScalarType dtype : {at::kFloat, at::kDouble})
    for (const bool causal : {false, true})
      for (const bool drops : {false, true}) {
        SCOPED_TRACE(std::string(dtype == at::kFloat ? "float" : "double") +
                     (causal ? ", causal" : "") + (drops ? ", dropout" : ""));
        const PackedLayout queries = packed_layout({0, 333, 333, 334, 350}, at::kCPU);
        const PackedLayout keys =
            causal ? queries : packed_layout({0, 270, 275, 275, 290}, at::kCPU);
        const std::vector<int64_t> numbers = row_numbers(queries.offsets, {0, 7, 400, 500});
        at::Tensor weights;
        const PackedAttentionOptions options{.heads = 3,
                                             .causal = causal,
                                             .dropout = {drops ? 0.3 : 0.0, /*seed=*/5, /*step=*/2},
                                             .site = 11,
                                             .row_numbers = &numbers,
                                             .weights = &weights};
        const std::vector<at::Tensor> in = {leaf({350, 33}, 1, dtype),
                                            leaf({keys.rows(), 33}, 2, dtype),
                                            leaf({keys.rows(), 33}, 3, dtype)};
        const auto run = [&](decltype(packed_attention)* op) {
          return [&, op](const std::vector<at::Tensor>& x) {
            return op(x[0], x[1], x[2], queries, keys, options);
          };
        };
        const at::Tensor fused = run(packed_attention)(in), fused_weights = weights;
        const at::Tensor twin = run(packed_attention_composed)(in);
        EXPECT_TRUE(close(fused, twin));
        EXPECT_TRUE(close(fused_weights, weights));
        const at::Tensor direction = cosines({350, 33}, 4, dtype);
        const auto of_fused = gradients_of(run(packed_attention), in, direction);
        const auto of_twin = gradients_of(run(packed_attention_composed), in, direction);
        for (size_t i = 0; i < in.size(); ++i) EXPECT_TRUE(close(of_fused[i], of_twin[i])) << i;
      }
}

}  // namespace
}  // namespace attend::ops
