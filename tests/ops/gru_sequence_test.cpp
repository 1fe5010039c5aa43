// A GRU over packed rows, against PyTorch's run on each sequence alone.
#include "attend/ops/gru_sequence.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/linear.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "attend/core/errors.h"
#include "attend/kernels/isa.h"
#include "tests/support/golden.h"
#include "tests/support/gradcheck.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace attend::ops {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;

// Inputs: rows and initial states in the batch's order, then the four weights. Output: states in
// the batch's order, and the final ones under them.
TensorFunction run(const TimeMajor& layout, decltype(gru_sequence)* op = gru_sequence) {
  return [layout, op](const std::vector<at::Tensor>& in) {
    const GruOutput output =
        op(in[0].index_select(0, layout.from_packed), layout,
           in[1].index_select(0, layout.order_tensor), {in[2], in[3], in[4], in[5]});
    return at::cat({output.rows.index_select(0, layout.to_packed),
                    output.final.index_select(0, layout.rank)});  // (N + B, H)
  };
}

class GruGolden : public ::testing::TestWithParam<std::string> {};

TEST_P(GruGolden, AgreesWithPyTorchInValuesAndGradients) {
  const Goldens golden("ops/sequences.safetensors");
  const auto get = [&](const std::string& name) { return golden.get(GetParam() + "." + name); };
  std::vector<int64_t> offsets = {0};
  const at::Tensor lengths = get("lengths");
  for (int64_t b = 0; b < lengths.numel(); ++b)
    offsets.push_back(offsets.back() + lengths[b].item<int64_t>());
  const TimeMajor layout = time_major(offsets, at::kCPU);
  std::vector<at::Tensor> inputs = {
      get("x"),          get("initial")[0], get("weight_ih_l0"), get("weight_hh_l0"),
      get("bias_ih_l0"), get("bias_hh_l0")};
  for (at::Tensor& input : inputs) input = input.clone().set_requires_grad(true);
  const at::Tensor rows = get("rows"), final = get("final")[0];
  EXPECT_TRUE(close(run(layout)(inputs), at::cat({rows, final})));

  const at::Tensor direction =
      at::cat({cosines(rows.sizes().vec(), 8), cosines(final.sizes().vec(), 9)});
  const auto gradients = gradients_of(run(layout), inputs, direction);
  const char* names[] = {"dx",           "d_initial",   "d_weight_ih_l0", "d_weight_hh_l0",
                         "d_bias_ih_l0", "d_bias_hh_l0"};
  for (size_t i = 0; i < gradients.size(); ++i)
    EXPECT_TRUE(close(gradients[i], i == 1 ? get(names[i])[0] : get(names[i]))) << names[i];
}

INSTANTIATE_TEST_SUITE_P(Cases, GruGolden, ::testing::Values("gru.ragged", "gru.even"),
                         [](const auto& info) { return info.param.substr(4); });

std::vector<at::Tensor> leaves(int64_t rows, int64_t sentences) {
  return {leaf({rows, 2}, 1), leaf({sentences, 3}, 2),
          leaf({9, 2}, 3),    leaf({9, 3}, 4),
          leaf({9}, 5),       leaf({9}, 6)};
}

TEST(GruSequence, GradientsAreThoseOfCentralDifferences) {
  EXPECT_TRUE(check_gradients(run(time_major({0, 2, 2, 5}, at::kCPU)), leaves(5, 3)));
}

TEST(GruSequence, AgreesWithItsComposedTwin) {
  for (const auto& offsets : {std::vector<int64_t>{0, 2, 2, 5}, {0, 3, 6}, {0, 1}}) {
    const TimeMajor layout = time_major(offsets, at::kCPU);
    for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
      std::vector<at::Tensor> in = leaves(offsets.back(), layout.size());
      for (at::Tensor& x : in) x = x.detach().to(type).clone().set_requires_grad(true);
      const TensorFunction composed = run(layout, gru_sequence_composed);
      EXPECT_TRUE(close(run(layout)(in), composed(in)));
      const auto actual = gradients_of(run(layout), in), expected = gradients_of(composed, in);
      for (size_t i = 0; i < in.size(); ++i)
        EXPECT_TRUE(close(actual[i], expected[i])) << "input " << i;
    }
  }
}

TEST(GruSequence, RefusesASecondDerivative) {
  if (!kernels::fused()) GTEST_SKIP() << "the composed twin has second derivatives";
  const auto in = leaves(5, 3);
  const TimeMajor layout = time_major({0, 2, 2, 5}, at::kCPU);
  const auto twice = [&](decltype(gru_sequence)* op) {
    torch::autograd::grad({run(layout, op)(in).sum()}, {in[0]}, {}, {}, /*create_graph=*/true);
  };
  EXPECT_THAT(message_of([&] { twice(gru_sequence); }), HasSubstr("differentiable once"));
  EXPECT_NO_THROW(twice(gru_sequence_composed));
}

// Each time takes memory of its own and gives it back; threads may do so at once.
TEST(GruSequence, AKeptGraphIsGoneThroughAnyNumberOfTimes) {
  const auto in = leaves(5, 3);
  const at::Tensor loss = run(time_major({0, 2, 2, 5}, at::kCPU))(in).square().sum();
  const auto gradients = [&] { return torch::autograd::grad({loss}, in, {}, true); };
  const auto first = gradients();
  const auto same = [&] {
    const auto again = gradients();
    return std::equal(first.begin(), first.end(), again.begin(),
                      [](const at::Tensor& a, const at::Tensor& b) { return a.equal(b); });
  };
  EXPECT_TRUE(same());
  std::atomic<int> other = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) other += same() ? 0 : 1;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(other, 0);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
  const auto held = [] {
    const auto info = mallinfo2();
    return static_cast<int64_t>(info.uordblks + info.hblkhd);
  };
  const int64_t before = held();
  for (int i = 0; i < 2000; ++i) gradients();
  EXPECT_LT(held() - before, int64_t{1} << 18);
#endif
}

TEST(GruSequence, TakesWhatIsNotContiguous) {
  const auto in = leaves(5, 3);
  const TimeMajor layout = time_major({0, 2, 2, 5}, at::kCPU);
  std::vector<at::Tensor> odd;
  for (const at::Tensor& x : in)
    odd.push_back(x.dim() == 2 ? x.detach().t().contiguous().t() : x.detach());
  EXPECT_TRUE(close(run(layout)(odd), run(layout)(in)));
}

TEST(GruSequence, ItsStepsAreThoseOfTheCell) {
  const auto in = leaves(3, 1);
  const TimeMajor layout = time_major({0, 3}, at::kCPU);
  const GruOutput whole = gru_sequence(in[0], layout, in[1], {in[2], in[3], in[4], in[5]});
  at::Tensor hidden = in[1];
  for (int64_t t = 0; t < 3; ++t) {
    hidden = gru_cell(at::linear(in[0].narrow(0, t, 1), in[2], in[4]),
                      at::linear(hidden, in[3], in[5]), hidden);
    EXPECT_TRUE(close(hidden, whole.rows.narrow(0, t, 1)));
  }
  EXPECT_TRUE(close(hidden, whole.final));
}

TEST(GruSequence, WithoutAnInitialStateItStartsAtZero) {
  const auto in = leaves(5, 3);
  const TimeMajor layout = time_major({0, 3, 3, 5}, at::kCPU);
  const RecurrentWeights weights{in[2], in[3], in[4], in[5]};
  const GruOutput plain = gru_sequence(in[0], layout, {}, weights);
  const GruOutput zeros = gru_sequence(in[0], layout, at::zeros({3, 3}, at::kDouble), weights);
  EXPECT_TRUE(identical(plain.rows, zeros.rows));
  EXPECT_TRUE(identical(plain.final, zeros.final));
}

TEST(GruSequence, TakesNoSequencesAndEmptyOnes) {
  const auto in = leaves(0, 2);
  const RecurrentWeights weights{in[2], in[3], in[4], in[5]};
  const GruOutput empty = gru_sequence(in[0], time_major({0, 0, 0}, at::kCPU), in[1], weights);
  EXPECT_TRUE(identical(empty.rows, at::zeros({0, 3}, at::kDouble)));
  EXPECT_TRUE(identical(empty.final, in[1]));
  const GruOutput none = gru_sequence(in[0], time_major({0}, at::kCPU), {}, weights);
  EXPECT_TRUE(identical(none.final, at::zeros({0, 3}, at::kDouble)));
}

TEST(GruSequence, RefusesWhatDoesNotFit) {
  const auto in = leaves(5, 3);
  const TimeMajor layout = time_major({0, 3, 3, 5}, at::kCPU);
  const RecurrentWeights weights{in[2], in[3], in[4], in[5]};
  EXPECT_THAT(message_of([&] { gru_sequence(cosines({4, 2}), layout, {}, weights); }),
              HasSubstr("(4, 2)"));
  EXPECT_THROW(gru_sequence(cosines({5, 3}), layout, {}, weights), InvalidArgument);
  EXPECT_THROW(gru_sequence(in[0], layout, cosines({2, 3}), weights), InvalidArgument);
  EXPECT_THROW(gru_sequence(in[0], layout, {}, {in[2], in[2], in[4], in[5]}), InvalidArgument);
  EXPECT_THROW(gru_sequence(in[0].to(at::kFloat), layout, {}, weights), InvalidArgument);
}

}  // namespace
}  // namespace attend::ops
