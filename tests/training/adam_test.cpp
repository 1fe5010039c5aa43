#include "attend/training/adam.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/sin.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "attend/core/errors.h"
#include "attend/core/files.h"
#include "tests/training/tiny_model.h"

namespace attend::training {
namespace {

// Against PyTorch's Adam and clip_grad_norm_ (tools/make_training_goldens.py).
void compare_with_golden(at::ScalarType dtype, double tolerance) {
  const auto golden =
      nlohmann::json::parse(core::read_file(ATTEND_TEST_DATA "/training/adam.json"));
  const int64_t n = golden.at("size");
  core::ThreadPool pool(2);
  ASSERT_EQ(golden.at("cases").size(), 3u);
  for (const auto& want : golden.at("cases")) {
    const at::Tensor index = at::arange(n, at::kDouble);
    const at::Tensor parameters = index.cos().to(dtype);
    const at::Tensor gradient = at::empty({n}, dtype);
    Adam adam(parameters,
              {want.at("beta1"), want.at("beta2"), want.at("epsilon"), want.at("clip")});
    const auto steps = static_cast<int64_t>(want.at("norms").size());
    for (int64_t step = 1; step <= steps; ++step) {
      const at::Tensor fresh = index.mul(step).sin().mul(step).to(dtype);
      const double norm = sum_parts({fresh}, 1.0, gradient, pool);
      EXPECT_NEAR(norm, want["norms"][static_cast<size_t>(step - 1)], tolerance * norm);
      ASSERT_TRUE(adam.update(parameters, gradient, norm, want.at("learning_rate"), pool));
      const std::vector<double> found = values_of(parameters);
      const std::vector<double> expected = want["parameters"][static_cast<size_t>(step - 1)];
      EXPECT_THAT(found, testing::Pointwise(testing::DoubleNear(tolerance), expected))
          << "step " << step;
    }
    EXPECT_EQ(adam.updates(), steps);
  }
}

TEST(Adam, EqualsPyTorchInDouble) { compare_with_golden(at::kDouble, 1e-12); }
TEST(Adam, EqualsPyTorchInFloat) { compare_with_golden(at::kFloat, 2e-6); }
// A dtype without a loop of its own takes the composed way; with bfloat16's 8 bits.
TEST(Adam, EqualsPyTorchInComposedForm) { compare_with_golden(at::kBFloat16, 0.2); }

TEST(Adam, SkipsAGradientThatIsNotFinite) {
  core::ThreadPool pool(1);
  const at::Tensor parameters = at::arange(5, at::kFloat).cos();
  const at::Tensor gradient = at::arange(5, at::kFloat);
  Adam adam(parameters, {});
  ASSERT_TRUE(adam.update(parameters, gradient, 1.0, 0.1, pool));
  const auto before = values_of(parameters);
  const auto first = values_of(adam.first_moment());
  for (const double bad : {std::numeric_limits<double>::infinity(), std::nan("")})
    EXPECT_FALSE(adam.update(parameters, gradient, bad, 0.1, pool));
  EXPECT_EQ(values_of(parameters), before);
  EXPECT_EQ(values_of(adam.first_moment()), first);
  EXPECT_EQ(adam.updates(), 1);
}

TEST(Adam, RestoredGoesOnWithTheSameBits) {
  core::ThreadPool pool(1);
  const at::Tensor gradient = at::arange(100, at::kFloat).sin();
  const at::Tensor a = at::arange(100, at::kFloat).cos();
  Adam one(a, {});
  one.update(a, gradient, 1.0, 0.1, pool);
  const at::Tensor b = a.clone();
  Adam other(b, {});
  other.restore(one.first_moment(), one.second_moment(), one.updates());
  one.update(a, gradient, 1.0, 0.1, pool);
  other.update(b, gradient, 1.0, 0.1, pool);
  EXPECT_EQ(values_of(a), values_of(b));
}

TEST(Adam, RefusesOtherSizes) {
  core::ThreadPool pool(1);
  const at::Tensor four = at::arange(4, at::kFloat);
  const at::Tensor five = at::arange(5, at::kFloat);
  Adam adam(four, {});
  EXPECT_THROW(adam.update(five, five, 1.0, 0.1, pool), InvalidArgument);
  EXPECT_THROW(adam.update(four, five, 1.0, 0.1, pool), InvalidArgument);
  EXPECT_THROW(adam.restore(five, five, 1), InvalidArgument);
}

// Sizes around the block of 8,192 and beyond the 8 blocks from which on threads are used.
TEST(SumParts, HasTheSameBitsAtAnyNumberOfThreads) {
  for (const int64_t n : {0, 1, 7, 8, 9, 8191, 8192, 8193, 600001}) {
    const at::Tensor a = at::arange(n, at::kFloat).sin();
    const at::Tensor b = at::arange(n, at::kFloat).cos();
    const at::Tensor reference = at::empty({n}, at::kFloat);
    core::ThreadPool one(1);
    const double norm = sum_parts({a, b}, 0.25, reference, one);
    EXPECT_NEAR(norm, reference.to(at::kDouble).norm().item<double>(), 1e-9 * (1.0 + norm));
    EXPECT_TRUE((a + b).mul(0.25).equal(reference));
    for (const int threads : {2, 3}) {
      core::ThreadPool pool(threads);
      const at::Tensor total = at::empty({n}, at::kFloat);
      EXPECT_EQ(sum_parts({a, b}, 0.25, total, pool), norm) << n;
      EXPECT_TRUE(total.equal(reference)) << n;
    }
  }
}

TEST(SumParts, RefusesPartsOfOtherSizes) {
  core::ThreadPool pool(1);
  const at::Tensor total = at::arange(4, at::kFloat);
  EXPECT_THROW(sum_parts({}, 1.0, total, pool), InvalidArgument);
  EXPECT_THROW(sum_parts({at::arange(5, at::kFloat)}, 1.0, total, pool), InvalidArgument);
}

}  // namespace
}  // namespace attend::training
