// Output projection and cross-entropy in blocks, against PyTorch and the twin that holds all
// logits.
#include "attend/ops/projected_cross_entropy.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>

#include "attend/core/errors.h"
#include "tests/support/golden.h"
#include "tests/support/gradcheck.h"

namespace attend::ops {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;

at::Tensor targets_of(int64_t n, int64_t vocabulary) {
  return at::arange(n, at::kLong).mul(5).add(2).remainder(vocabulary);
}

TEST(ProjectedCrossEntropy, AgreesWithPyTorch) {
  const Goldens golden("ops/sequences.safetensors");
  const auto get = [&](const std::string& name) { return golden.get("cross_entropy." + name); };
  const at::Tensor targets = get("targets");
  std::vector<at::Tensor> inputs = {get("hidden"), get("weight"), get("bias")};
  for (at::Tensor& input : inputs) input.set_requires_grad(true);
  const TensorFunction loss = [&](const auto& in) {
    return projected_cross_entropy(in[0], in[1], in[2], targets);
  };
  EXPECT_TRUE(close(loss(inputs).reshape({1}), get("loss")));
  const auto gradients = gradients_of(loss, inputs, at::ones({}, at::kDouble));
  EXPECT_TRUE(close(gradients[0], get("d_hidden")));
  EXPECT_TRUE(close(gradients[1], get("d_weight")));
  EXPECT_TRUE(close(gradients[2], get("d_bias")));
}

// N rows around the borders of blocks, which hold 2^18 / V rows, 16 at least and 1024 at most.
struct Case {
  int64_t rows, vocabulary;
};
const Case kCases[] = {{0, 7},     {1, 1},     {15, 7},     {16, 7},    {17, 7},
                       {1023, 7},  {1024, 7},  {1025, 7},   {1030, 1},  {1, 5000},
                       {52, 5000}, {53, 5000}, {105, 5000}, {17, 20000}};

TEST(ProjectedCrossEntropy, AgreesWithItsTwinAtEveryBorder) {
  for (const at::ScalarType dtype : {at::kDouble, at::kFloat})
    for (const auto& [rows, vocabulary] : kCases)
      for (const bool has_bias : {true, false}) {
        SCOPED_TRACE(std::to_string(rows) + " rows, " + std::to_string(vocabulary) + " entries, " +
                     c10::toString(dtype));
        const at::Tensor targets = targets_of(rows, vocabulary);
        std::vector<at::Tensor> inputs = {leaf({rows, 3}, 1, dtype),
                                          leaf({vocabulary, 3}, 2, dtype)};
        if (has_bias) inputs.push_back(leaf({vocabulary}, 3, dtype));
        const auto with = [&](auto op) {
          return [&, op](const std::vector<at::Tensor>& in) {
            return op(in[0], in[1], has_bias ? in[2] : at::Tensor(), targets);
          };
        };
        const TensorFunction blocked = with(projected_cross_entropy);
        const TensorFunction composed = with(projected_cross_entropy_composed);
        const Tolerance sums =
            dtype == at::kDouble ? Tolerance{1e-11, 1e-11} : Tolerance{2e-5, 2e-5};
        EXPECT_TRUE(close(blocked(inputs), composed(inputs), sums));
        const at::Tensor direction = at::ones({}, dtype).mul(0.5);
        const auto actual = gradients_of(blocked, inputs, direction);
        const auto expected = gradients_of(composed, inputs, direction);
        for (size_t i = 0; i < actual.size(); ++i)
          EXPECT_TRUE(close(actual[i], expected[i], sums)) << "input " << i;
      }
}

TEST(ProjectedCrossEntropy, GradientsAreThoseOfCentralDifferences) {
  const at::Tensor targets = targets_of(5, 4);
  EXPECT_TRUE(check_gradients(
      [&](const auto& in) { return projected_cross_entropy(in[0], in[1], in[2], targets); },
      {leaf({5, 3}, 1), leaf({4, 3}, 2), leaf({4}, 3)}));
}

TEST(ProjectedCrossEntropy, ValueIsTheSameWithoutGradients) {
  const at::Tensor targets = targets_of(9, 6);
  const at::Tensor hidden = leaf({9, 3}, 1), weight = leaf({6, 3}, 2), bias = leaf({6}, 3);
  const at::Tensor learning = projected_cross_entropy(hidden, weight, bias, targets);
  c10::NoGradGuard no_grad;
  const at::Tensor value = projected_cross_entropy(hidden, weight, bias, targets);
  EXPECT_TRUE(identical(value, learning));
  EXPECT_FALSE(value.requires_grad());
}

TEST(ProjectedCrossEntropy, LargeLogitsStayFinite) {
  const at::Tensor hidden = leaf({3, 2}, 1, at::kFloat), weight = leaf({5, 2}, 2, at::kFloat);
  const at::Tensor loss = projected_cross_entropy(hidden * 1e4, weight * 1e2, {}, targets_of(3, 5));
  EXPECT_TRUE(all_finite(loss));
  for (const at::Tensor& gradient : torch::autograd::grad({loss}, {hidden, weight}))
    EXPECT_TRUE(all_finite(gradient));
}

// By kernels and by blocks of LibTorch's operations.
TEST(ProjectedCrossEntropy, RefusesASecondDerivative) {
  for (const at::ScalarType dtype : {at::kDouble, at::kBFloat16}) {
    const at::Tensor hidden = leaf({3, 2}, 1, dtype), weight = leaf({5, 2}, 2, dtype);
    const auto twice = [&](decltype(projected_cross_entropy)* op) {
      torch::autograd::grad({op(hidden, weight, {}, targets_of(3, 5))}, {hidden}, {}, {},
                            /*create_graph=*/true);
    };
    EXPECT_THAT(message_of([&] { twice(projected_cross_entropy); }),
                HasSubstr("differentiable once"));
    EXPECT_NO_THROW(twice(projected_cross_entropy_composed));
  }
}

TEST(ProjectedCrossEntropy, RefusesWhatDoesNotFit) {
  const at::Tensor hidden = cosines({2, 3}), weight = cosines({4, 3}), bias = cosines({4});
  const at::Tensor targets = targets_of(2, 4);
  EXPECT_THAT(message_of([&] { projected_cross_entropy(hidden, cosines({4, 2}), bias, targets); }),
              HasSubstr("(4, 2)"));
  EXPECT_THROW(projected_cross_entropy(hidden, weight, cosines({3}), targets), InvalidArgument);
  EXPECT_THROW(projected_cross_entropy(hidden, weight, bias, targets_of(3, 4)), InvalidArgument);
  EXPECT_THROW(projected_cross_entropy(hidden, weight.to(at::kFloat), bias, targets),
               InvalidArgument);
  EXPECT_THROW(projected_cross_entropy(hidden, weight, bias, targets.to(at::kInt)),
               InvalidArgument);
  EXPECT_THAT(
      message_of([&] { projected_cross_entropy(hidden, weight, bias, targets.to(at::kMeta)); }),
      HasSubstr("targets on cpu, found them on meta"));
  EXPECT_THROW(projected_cross_entropy(hidden, weight, bias, {}), InvalidArgument);
  for (const int64_t bad : {-1, 4})
    for (const auto op : {projected_cross_entropy, projected_cross_entropy_composed})
      EXPECT_THAT(
          message_of([&] { op(hidden, weight, bias, at::tensor({int64_t{0}, bad}, at::kLong)); }),
          HasSubstr("found " + std::to_string(bad)));
}

}  // namespace
}  // namespace attend::ops
