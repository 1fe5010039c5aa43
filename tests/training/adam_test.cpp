#include "attend/training/adam.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "attend/core/errors.h"
#include "attend/core/files.h"
#include "tests/training/tiny_model.h"

namespace attend::training {
namespace {

enum class Layout { kDense, kStrided };

// A vector, of which every second element in memory is another's where it is strided.
at::Tensor laid_out(const at::Tensor& values, Layout layout) {
  if (layout == Layout::kDense) return values.clone();
  at::Tensor column = at::empty({values.numel(), 2}, values.options()).select(1, 0);
  column.copy_(values);
  return column;
}

double farthest(const std::vector<double>& a, const std::vector<double>& b) {
  double distance = 0.0;
  for (size_t i = 0; i < a.size(); ++i) distance = std::max(distance, std::abs(a[i] - b[i]));
  return distance;
}

// Against PyTorch's Adam and clip_grad_norm_ (tools/make_training_goldens.py), in the cases whose
// updates move the parameters by more than five times the tolerance: in others a test that bears so
// much would bear no update at all. Returns how many those are.
int compare_with_golden(at::ScalarType dtype, Layout layout, double tolerance) {
  const auto golden =
      nlohmann::json::parse(core::read_file(ATTEND_TEST_DATA "/training/adam.json"));
  const int64_t n = golden.at("size");
  const at::Tensor index = at::arange(n, at::kDouble);
  core::ThreadPool pool(2);
  int compared = 0;
  for (const auto& want : golden.at("cases")) {
    if (farthest(values_of(index.cos()), want["parameters"].back()) < 5 * tolerance) continue;
    ++compared;
    const at::Tensor parameters = laid_out(index.cos().to(dtype), layout);
    const at::Tensor gradient = laid_out(at::zeros({n}, dtype), layout);
    Adam adam(parameters,
              {want.at("beta1"), want.at("beta2"), want.at("epsilon"), want.at("clip")});
    const auto steps = static_cast<int64_t>(want.at("norms").size());
    for (int64_t step = 1; step <= steps; ++step) {
      const at::Tensor fresh = index.mul(step).sin().mul(step).to(dtype);
      const double norm = sum_parts({fresh}, 1.0, gradient, pool);
      EXPECT_NEAR(norm, want["norms"][static_cast<size_t>(step - 1)], tolerance * norm);
      EXPECT_TRUE(adam.update(parameters, gradient, norm, want.at("learning_rate"), pool));
      const std::vector<double> found = values_of(parameters);
      const std::vector<double> expected = want["parameters"][static_cast<size_t>(step - 1)];
      EXPECT_THAT(found, testing::Pointwise(testing::DoubleNear(tolerance), expected))
          << "step " << step;
    }
    EXPECT_EQ(adam.updates(), steps);
  }
  return compared;
}

TEST(Adam, EqualsPyTorchInDouble) {
  EXPECT_EQ(compare_with_golden(at::kDouble, Layout::kDense, 1e-12), 3);
}
TEST(Adam, EqualsPyTorchInFloat) {
  EXPECT_EQ(compare_with_golden(at::kFloat, Layout::kDense, 2e-6), 3);
}
// What is not dense takes the composed way, in doubles here.
TEST(Adam, EqualsPyTorchInComposedForm) {
  EXPECT_EQ(compare_with_golden(at::kDouble, Layout::kStrided, 1e-12), 3);
}
// So does a dtype without a loop of its own. With bfloat16's 8 bits only large steps can be seen.
TEST(Adam, EqualsPyTorchInBfloat16) {
  EXPECT_EQ(compare_with_golden(at::kBFloat16, Layout::kDense, 0.1), 1);
}

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
