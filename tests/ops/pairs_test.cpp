// What is computed of all pairs: products of matrices, squared distances, additive scores by head.
#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "attend/core/errors.h"
#include "attend/ops/additive_scores.h"
#include "attend/ops/batched_product.h"
#include "attend/ops/squared_distances.h"
#include "tests/support/compare.h"
#include "tests/support/gradcheck.h"
#include "tests/support/rounding.h"

namespace attend::ops {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)

TEST(BatchedProduct, IsAProductOfEachMatrix) {
  const TensorFunction f = [](const auto& x) { return batched_product(x[0], x[1]); };
  for (const auto dtype : {at::kDouble, at::kFloat, at::kHalf, at::kBFloat16}) {
    const at::Tensor a = cosines({2, 3, 4, 5}, 0, dtype), b = cosines({2, 3, 5, 6}, 1, dtype);
    EXPECT_TRUE(close(f({a, b}), at::matmul(a.to(at::kDouble), b.to(at::kDouble)).to(dtype)));
    EXPECT_TRUE(close(f({a[0], b[0]}), at::matmul(a[0], b[0])));
    // A transposed view is no copy's twin to bmm.
    EXPECT_TRUE(
        close(f({b.transpose(2, 3), a.transpose(2, 3)}), f({a, b}).transpose(2, 3).contiguous()));
  }
  EXPECT_TRUE(check_gradients(f, {leaf({2, 3, 4}), leaf({2, 4, 5}, 1)}));
  EXPECT_TRUE(check_gradients(f, {leaf({2, 2, 3, 4}), leaf({2, 2, 4, 1}, 1)}));
}

TEST(BatchedProduct, AnySizeMayBeZero) {
  EXPECT_EQ(batched_product(cosines({0, 2, 3}), cosines({0, 3, 4})).sizes(),
            at::IntArrayRef({0, 2, 4}));
  EXPECT_EQ(batched_product(cosines({2, 0, 1, 3}), cosines({2, 0, 3, 4})).sizes(),
            at::IntArrayRef({2, 0, 1, 4}));
  EXPECT_TRUE(identical(batched_product(cosines({1, 2, 0}), cosines({1, 0, 4})),
                        at::zeros({1, 2, 4}, at::kDouble)));
}

TEST(BatchedProduct, NamesBothShapesItRefuses) {
  EXPECT_EQ(message_of([] { batched_product(cosines({2, 3, 4}), cosines({2, 5, 6})); }),
            "[batched_product] expected (B, [H,] M, K) and (B, [H,] K, N), found (2, 3, 4) and "
            "(2, 5, 6)");
  const auto refused = [](const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
    EXPECT_THROW(batched_product(cosines(a), cosines(b)), InvalidArgument);
  };
  refused({2, 3, 4}, {1, 4, 6});  // nothing is broadcast
  refused({2, 3, 4, 5}, {2, 1, 5, 6});
  refused({2, 3, 4, 5}, {2, 5, 6});
  refused({3, 4}, {4, 5});
  EXPECT_THROW(batched_product(cosines({1, 2, 3}), cosines({1, 3, 2}, 0, at::kFloat)),
               InvalidArgument);
  EXPECT_THROW(batched_product({}, {}), InvalidArgument);
}

const TensorFunction kDistances = [](const auto& x) { return squared_distances(x[0], x[1]); };

at::Tensor direct(const at::Tensor& a, const at::Tensor& b) {
  return (a.unsqueeze(-2) - b.unsqueeze(-3)).square().sum(-1);
}

// What |x|^2 + |y|^2 - 2 x y may be off by in float, about the mean of all b.
double product_rounding(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor wide = b.to(at::kDouble), centre = wide.reshape({-1, b.size(-1)}).mean(0);
  const double x = (a.to(at::kDouble) - centre).norm(2, -1).max().item<double>();
  const double y = (wide - centre).norm(2, -1).max().item<double>();
  return gamma(at::kFloat, b.size(-1) + 3) * (x + y) * (x + y);
}

TEST(SquaredDistances, AreThoseOfTheFormula) {
  for (const auto dtype : {at::kDouble, at::kFloat, at::kHalf, at::kBFloat16})
    for (const int64_t width : {1, 2, 7, 40}) {
      const at::Tensor a = cosines({2, 3, 4, width}, 0, dtype),
                       b = cosines({2, 3, 5, width}, 1, dtype);
      const at::Tensor expected = direct(a.to(at::kDouble), b.to(at::kDouble)).to(dtype);
      Tolerance tolerance = tolerance_of(dtype);
      if (width == 40 && dtype != at::kDouble)
        tolerance.absolute = std::max(tolerance.absolute, product_rounding(a, b));
      EXPECT_TRUE(close(kDistances({a, b}), expected, tolerance));
      EXPECT_TRUE(close(kDistances({a[0], b[0]}), expected[0], tolerance));
    }
  EXPECT_TRUE(check_gradients(kDistances, {leaf({2, 3, 4}), leaf({2, 5, 4}, 1)}));
  EXPECT_TRUE(check_gradients(kDistances, {leaf({1, 2, 3, 1}), leaf({1, 2, 4, 1}, 1)}));
  EXPECT_TRUE(check_gradients(kDistances, {leaf({1, 3, 17}), leaf({1, 4, 17}, 1)}));
}

// |a|^2 + |b|^2 - 2 a b has no right digit here in float.
TEST(SquaredDistances, KeepTheirDigitsFarFromTheOrigin) {
  for (const int64_t width : {3, 40}) {
    const at::Tensor a = cosines({1, 6, width}, 0, at::kFloat).mul(1e-2).add(1e4),
                     b = cosines({1, 7, width}, 1, at::kFloat).mul(1e-2).add(1e4);
    const auto expected = [&] {
      return direct(a.to(at::kDouble), b.to(at::kDouble)).to(at::kFloat);
    };
    EXPECT_TRUE(close(squared_distances(a, b), expected(), {1e-5, 1e-12})) << width;
    b[0][6].fill_(-1e4);  // one that has no centre with the others
    EXPECT_TRUE(close(squared_distances(a, b), expected(), {1e-5, 1e-12})) << width;
    b[0][6].fill_(std::nan(""));
    EXPECT_TRUE(
        close(squared_distances(a, b).slice(2, 0, 6), expected().slice(2, 0, 6), {1e-5, 1e-12}))
        << width;
  }
}

TEST(SquaredDistances, AreZeroBetweenEquals) {
  const std::vector<at::Tensor> in{leaf({1, 5, 3}), leaf({1, 5, 3})};
  EXPECT_EQ(kDistances(in).diagonal(0, 1, 2).abs().max().item<double>(), 0.0);
  for (const at::Tensor& g : gradients_of(kDistances, in)) EXPECT_TRUE(all_finite(g));
}

// A hidden key is never so far away that the others' gradients suffer.
TEST(SquaredDistances, AnEntryWithoutGradientSpoilsNone) {
  at::Tensor b = cosines({1, 4, 2}, 1, at::kFloat);
  b[0][3].fill_(1e30);
  const std::vector<at::Tensor> in{leaf({1, 3, 2}, 0, at::kFloat), b.set_requires_grad(true)};
  at::Tensor direction = cosines({1, 3, 4}, 2, at::kFloat);
  direction.select(2, 3).zero_();
  const auto found = gradients_of(kDistances, in, direction);
  EXPECT_TRUE(all_finite(found[0]) && all_finite(found[1]));
}

TEST(SquaredDistances, EmptyAndWrong) {
  EXPECT_EQ(kDistances({leaf({2, 0, 3}), leaf({2, 4, 3})}).numel(), 0);
  EXPECT_EQ(kDistances({leaf({2, 3, 3}), leaf({2, 0, 3})}).sizes(), at::IntArrayRef({2, 3, 0}));
  EXPECT_TRUE(identical(gradients_of(kDistances, {leaf({2, 3, 3}), leaf({2, 0, 3})})[0],
                        at::zeros({2, 3, 3}, at::kDouble)));
  EXPECT_EQ(message_of([] { squared_distances(cosines({2, 3, 4}), cosines({2, 3, 5})); }),
            "[squared_distances] expected (B, [H,] M, D) and (B, [H,] N, D), found (2, 3, 4) and "
            "(2, 3, 5)");
  EXPECT_THROW(squared_distances(cosines({2, 3}), cosines({2, 3})), InvalidArgument);
}

TEST(AdditiveScoresByHead, AreThoseOfEachHeadAlone) {
  for (const bool own : {true, false}) {
    const std::vector<at::Tensor> in{leaf({2, 3, 4, 5}), leaf({2, 3, 6, 5}, 1),
                                     own ? leaf({3, 5}, 2) : leaf({5}, 2)};
    const TensorFunction f = [](const auto& x) { return additive_scores(x[0], x[1], x[2]); };
    const TensorFunction twin = [](const auto& x) {
      return additive_scores_composed(x[0], x[1], x[2]);
    };
    for (int64_t h = 0; h < 3; ++h)
      EXPECT_TRUE(close(f(in).select(1, h),
                        f({in[0].select(1, h), in[1].select(1, h), own ? in[2][h] : in[2]})));
    EXPECT_TRUE(close(f(in), twin(in)));
    EXPECT_TRUE(check_gradients(f, in));
    EXPECT_TRUE(check_gradients(twin, in));
  }
  EXPECT_THROW(additive_scores(cosines({2, 3, 4, 5}), cosines({2, 3, 6, 5}), cosines({2, 5})),
               InvalidArgument);
}

TEST(AdditiveScoresByHead, MayBeNone) {
  const TensorFunction f = [](const auto& x) { return additive_scores(x[0], x[1], x[2]); };
  const std::vector<at::Tensor> in{leaf({2, 0, 4, 5}), leaf({2, 0, 6, 5}), leaf({0, 5})};
  EXPECT_EQ(f(in).sizes(), at::IntArrayRef({2, 0, 4, 6}));
  EXPECT_EQ(gradients_of(f, in)[2].sizes(), at::IntArrayRef({0, 5}));
}

TEST(OnCuda, PairsAreThoseOfTheCpu) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device";
  const std::vector<at::Tensor> in{leaf({2, 3, 4, 5}), leaf({2, 3, 6, 5}, 1), leaf({3, 5}, 2)};
  std::vector<at::Tensor> there;
  for (const at::Tensor& x : in) there.push_back(x.detach().to(at::kCUDA).set_requires_grad(true));
  const TensorFunction additive = [](const auto& x) { return additive_scores(x[0], x[1], x[2]); };
  for (const TensorFunction& f : {additive, kDistances}) {
    EXPECT_TRUE(close(f(there).cpu(), f(in)));
    const auto found = gradients_of(f, there), expected = gradients_of(f, in);
    for (size_t i = 0; i < in.size(); ++i) EXPECT_TRUE(close(found[i].cpu(), expected[i])) << i;
  }
}

}  // namespace
}  // namespace attend::ops
