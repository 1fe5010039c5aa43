// Scaled dot-product attention on kernels against its composed twin.
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>

#include <limits>
#include <string>

#include "attend/core/errors.h"
#include "attend/ops/attention.h"
#include "attend/ops/attention_heads.h"
#include "tests/ops/attention_cases.h"

namespace attend::ops {
namespace {

using ::testing::HasSubstr;

TEST(AttentionOnKernels, AgreesWithTheTwin) {
  for (const Case& c : cases())
    for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
      SCOPED_TRACE(c.name + (dtype == at::kFloat ? ", float" : ", double"));
      const auto in = inputs(c, dtype);
      const TensorFunction own = function(c, scaled_dot_product_attention);
      const TensorFunction twin = function(c, scaled_dot_product_attention_composed);
      const at::Tensor out = own(in);
      EXPECT_TRUE(close(out, twin(in)));
      EXPECT_LT(out.stride(1), out.stride(2)) << "heads are no view of rows";
      const Tolerance tolerance =
          dtype == at::kDouble ? Tolerance{1e-10, 1e-11} : Tolerance{1e-4, 2e-5};
      const auto found = gradients_of(own, in), expected = gradients_of(twin, in);
      for (size_t i = 0; i < in.size(); ++i)
        EXPECT_TRUE(close(found[i], expected[i], tolerance)) << "input " << i;
    }
}

TEST(AttentionOnKernels, GradientsAreThoseOfCentralDifferences) {
  for (const Mask& mask : {Mask::none(), Mask::causal() & Mask::padding({3, 0})}) {
    const TensorFunction f = [&](const auto& in) {
      return scaled_dot_product_attention(
                 in[0], in[1], in[2], mask,
                 {.dropout = {.probability = 0.3}, .bias = in[3], .distance_bias = in[4]})
          .output;
    };
    EXPECT_TRUE(check_gradients(f, {leaf({2, 2, 3, 3}), leaf({2, 1, 4, 3}, 1),
                                    leaf({2, 1, 4, 2}, 2), leaf({3, 1}, 3), leaf({2, 6}, 4)}));
  }
}

TEST(AttentionOnKernels, WeightsAreTheTwinsAndChangeNothing) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    auto in = inputs(c, at::kDouble);
    const auto weights = [&](decltype(scaled_dot_product_attention)* op) {
      AttentionOptions options = options_of(c, in);
      options.return_weights = true;
      const AttentionResult found = op(in[0], in[1], in[2], c.mask, options);
      EXPECT_TRUE(identical(found.output, function(c, op)(in)));
      return found.weights;
    };
    const at::Tensor with_graph = weights(scaled_dot_product_attention);
    EXPECT_TRUE(with_graph.requires_grad());
    const at::Tensor twin = weights(scaled_dot_product_attention_composed);
    EXPECT_TRUE(close(with_graph, twin));
    const c10::NoGradGuard no_grad;
    EXPECT_TRUE(close(weights(scaled_dot_product_attention), twin));
  }
}

TEST(AttentionOnKernels, LengthsUpToAThousand) {
  for (const int64_t n : {1, 2, 15, 31, 64, 129, 1030}) {
    const Case c{"", n, n, Mask::causal() & Mask::padding({n, n / 2})};
    const auto in = inputs(c, at::kFloat);
    EXPECT_TRUE(close(function(c, scaled_dot_product_attention)(in),
                      function(c, scaled_dot_product_attention_composed)(in)))
        << n;
  }
}

// The rows of q, k and v between those of one product of all three.
TEST(AttentionOnKernels, ReadsSlicesAsTheyLie) {
  const at::Tensor all = leaf({2, 5, 3, 2, 4});  // (B, T, 3, H, D)
  const auto of = [&](decltype(scaled_dot_product_attention)* op) {
    return [op](const std::vector<at::Tensor>& x) {
      const auto part = [&](int64_t n) { return x[0].select(2, n).transpose(1, 2); };
      return op(part(0), part(1), part(2), Mask::causal(), {}).output;
    };
  };
  const auto own = of(scaled_dot_product_attention),
             twin = of(scaled_dot_product_attention_composed);
  EXPECT_TRUE(close(own({all}), twin({all})));
  EXPECT_TRUE(close(gradients_of(own, {all})[0], gradients_of(twin, {all})[0]));
  // Columns that are no neighbours are copied.
  const at::Tensor turned = cosines({2, 2, 4, 5}).transpose(2, 3);
  EXPECT_TRUE(
      close(scaled_dot_product_attention(turned, turned, turned, Mask::none()).output,
            scaled_dot_product_attention_composed(turned, turned, turned, Mask::none()).output));
}

// Whoever may not see what is not finite gets the numbers of kernels, to the bit.
TEST(AttentionOnKernels, NaNUnderAMaskLeaksNowhere) {
  const Case c{"", 37, 70, Mask::causal(0), 2};
  const auto clean = inputs(c, at::kFloat);
  for (const size_t poisoned : {1, 2}) {
    std::vector<at::Tensor> in;
    for (const at::Tensor& x : clean) in.push_back(x.detach().clone());
    in[poisoned].select(2, 20).fill_(std::numeric_limits<float>::quiet_NaN());
    for (at::Tensor& x : in) x.set_requires_grad(true);
    const TensorFunction first = [&](const auto& x) {
      return function(c, scaled_dot_product_attention)(x).slice(2, 0, 20);
    };
    EXPECT_TRUE(identical(first(in), first(clean)));
    const at::Tensor rest = function(c, scaled_dot_product_attention)(in).slice(2, 20);
    EXPECT_TRUE(rest.isnan().all().item<bool>());
    const auto found = gradients_of(first, in), expected = gradients_of(first, clean);
    for (size_t i = 0; i < in.size(); ++i) EXPECT_TRUE(close(found[i], expected[i])) << i;
  }
}

// Long enough for threads of its own; biases whose gradient sentences, or heads too, share.
TEST(AttentionOnKernels, ThreadsChangeNothing) {
  const int before = at::get_num_threads();
  for (const int64_t bias_heads : {0, 1, 4}) {
    std::vector<at::Tensor> in = {heads(kHeads, 500, 16, 0, at::kFloat),
                                  heads(2, 500, 16, 1, at::kFloat),
                                  heads(2, 500, 16, 2, at::kFloat)};
    if (bias_heads > 0) in.push_back(leaf({bias_heads, 999}, 3, at::kFloat));
    const TensorFunction f = [](const auto& x) {
      return scaled_dot_product_attention(x[0], x[1], x[2], Mask::none(),
                                          {.distance_bias = x.size() > 3 ? x[3] : at::Tensor()})
          .output;
    };
    std::vector<std::vector<at::Tensor>> found;
    for (const int threads : {1, 2}) {
      at::set_num_threads(threads);
      found.push_back(gradients_of(f, in));
      found.back().push_back(f(in));
    }
    for (size_t i = 0; i < found[0].size(); ++i)
      EXPECT_TRUE(identical(found[0][i], found[1][i])) << bias_heads << " " << i;
  }
  at::set_num_threads(before);
}

TEST(AttentionOnKernels, SaysWhyItDeclines) {
  const at::Tensor x = cosines({1, 1, 2, 4}), half = x.to(at::kHalf);
  EXPECT_EQ(detail::heads_declined({x, x, x, {}, {}}), "");
  EXPECT_THAT(detail::heads_declined({half, half, half, {}, {}}), HasSubstr("Half"));
  EXPECT_TRUE(detail::heads_finite({x, x, x, {}, {}}));
  EXPECT_FALSE(detail::heads_finite({x, x, x, x / 0, {}}));
}

TEST(AttentionOnKernels, RefusesBiasesThatDoNotFit) {
  const at::Tensor x = cosines({1, 2, 3, 4});
  const auto error = [&](const AttentionOptions& options) {
    return message_of([&] { scaled_dot_product_attention(x, x, x, Mask::none(), options); });
  };
  EXPECT_THAT(error({.bias = cosines({4, 3})}), HasSubstr("repeated to the scores, (1, 2, 3, 3)"));
  EXPECT_THAT(error({.distance_bias = cosines({2, 4})}), HasSubstr("Tq + Tk - 1"));
  EXPECT_THAT(error({.distance_bias = cosines({3, 5})}), HasSubstr("(3, 5)"));
  EXPECT_THAT(message_of([&] {
                const at::Tensor three = cosines({1, 3, 3, 4});
                scaled_dot_product_attention(three, x, x, Mask::none());
              }),
              HasSubstr("a divisor of H"));
}

}  // namespace
}  // namespace attend::ops
