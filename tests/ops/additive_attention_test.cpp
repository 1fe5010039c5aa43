#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>

#include "attend/core/errors.h"
#include "attend/ops/additive_scores.h"
#include "attend/ops/attention.h"
#include "tests/support/compare.h"
#include "tests/support/golden.h"
#include "tests/support/gradcheck.h"

namespace attend::ops {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;

at::Tensor golden(const std::string& name) { return ops_goldens().get("additive." + name); }

at::Tensor projected(const std::string& x, const std::string& w) {
  return at::matmul(golden(x), golden(w).t());
}

// tensorflow/nmt#57: a tanh that was left out; keon/seq2seq#28: a relu.
TEST(AdditiveScores, ByHand) {
  const at::Tensor q = at::tensor({0.5, -1.0}, at::kDouble).view({1, 1, 2});
  const at::Tensor k = at::tensor({1.0, 2.0, -0.5, 1.0}, at::kDouble).view({1, 2, 2});
  const at::Tensor w = at::tensor({2.0, -3.0}, at::kDouble);
  EXPECT_TRUE(close(
      additive_scores(q, k, w),
      at::tensor({2 * std::tanh(1.5) - 3 * std::tanh(1.0), 0.0}, at::kDouble).view({1, 1, 2})));
}

TEST(AdditiveScores, AgreesWithTheFormulaInEveryDtype) {
  const at::Tensor q = projected("q", "wq"), k = projected("k", "wk");
  for (const auto dtype : {at::kDouble, at::kFloat, at::kHalf, at::kBFloat16})
    EXPECT_TRUE(close(additive_scores(q.to(dtype), k.to(dtype), golden("w").to(dtype)),
                      golden("scores").to(dtype),
                      dtype == at::kBFloat16 ? Tolerance{0.06, 0.06} : tolerance_of(dtype)));
}

TEST(AdditiveScores, GradientsInDoubleAndOfTheTwin) {
  for (const auto& sizes :
       std::vector<std::vector<int64_t>>{{2, 3, 4, 5}, {3, 1, 4, 2}, {1, 1, 1, 1}}) {
    const std::vector<at::Tensor> in{leaf({sizes[0], sizes[1], sizes[3]}),
                                     leaf({sizes[0], sizes[2], sizes[3]}, 1), leaf({sizes[3]}, 2)};
    const TensorFunction own = [](const auto& x) { return additive_scores(x[0], x[1], x[2]); };
    const TensorFunction twin = [](const auto& x) {
      return additive_scores_composed(x[0], x[1], x[2]);
    };
    EXPECT_TRUE(check_gradients(own, in));
    EXPECT_TRUE(close(own(in), twin(in)));
    const auto found = gradients_of(own, in), expected = gradients_of(twin, in);
    for (size_t i = 0; i < in.size(); ++i) EXPECT_TRUE(close(found[i], expected[i])) << i;
  }
}

TEST(AdditiveScores, NoHeadsAtAll) {
  const std::vector<at::Tensor> in{leaf({2, 0, 3, 4}), leaf({2, 0, 5, 4}), leaf({0, 4})};
  const TensorFunction own = [](const auto& x) { return additive_scores(x[0], x[1], x[2]); };
  EXPECT_EQ(own(in).sizes(), (std::vector<int64_t>{2, 0, 3, 5}));
  for (const at::Tensor& gradient : gradients_of(own, in)) EXPECT_EQ(gradient.numel(), 0);
}

TEST(AdditiveAttention, AgreesWithTheFormula) {
  const auto found =
      additive_attention(projected("q", "wq"), projected("k", "wk"), golden("w"), golden("values"),
                         Mask::padding(golden("lengths")), {.return_weights = true});
  EXPECT_TRUE(close(found.output, golden("output")));
  EXPECT_TRUE(close(found.weights, golden("weights")));
}

TensorFunction under(const Mask& mask, const AttentionOptions& options = {}) {
  return [=](const std::vector<at::Tensor>& in) {
    return additive_attention(in[0], in[1], in[2], in[3], mask, options).output;
  };
}

std::vector<at::Tensor> inputs(at::ScalarType dtype = at::kDouble) {
  return {leaf({2, 3, 5}, 0, dtype), leaf({2, 4, 5}, 1, dtype), leaf({5}, 2, dtype),
          leaf({2, 4, 6}, 3, dtype)};
}

TEST(AdditiveAttention, GradientsInDouble) {
  for (const Mask& mask : {Mask::none(), Mask::padding({2, 0}), Mask::causal(-1)})
    EXPECT_TRUE(check_gradients(under(mask), inputs()));
  EXPECT_TRUE(check_gradients(
      under(Mask::padding({2, 4}), {.dropout = {.probability = 0.5, .seed = 1}}), inputs()));
}

TEST(AdditiveAttention, NothingUnderTheMaskLeaks) {
  for (const auto dtype : {at::kDouble, at::kFloat, at::kHalf, at::kBFloat16}) {
    const auto clean = inputs(dtype);
    std::vector<at::Tensor> dirty;
    for (const at::Tensor& x : clean) dirty.push_back(x.detach().clone());
    dirty[1].slice(1, 3).fill_(std::nan(""));
    dirty[3].slice(1, 3).fill_(INFINITY);
    for (at::Tensor& x : dirty) x.set_requires_grad(true);
    const TensorFunction f = under(Mask::padding({3, 0}));
    EXPECT_TRUE(identical(f(dirty), f(clean)));
    EXPECT_TRUE(identical(f(clean).select(0, 1), at::zeros({3, 6}, dtype)));
    const auto found = gradients_of(f, dirty), expected = gradients_of(f, clean);
    for (size_t i = 0; i < clean.size(); ++i) EXPECT_TRUE(identical(found[i], expected[i])) << i;
  }
}

TEST(AdditiveAttention, NoKeysAtAll) {
  const std::vector<at::Tensor> in{leaf({2, 3, 5}), leaf({2, 0, 5}), leaf({5}), leaf({2, 0, 6})};
  EXPECT_TRUE(identical(under(Mask::padding({0, 0}))(in), at::zeros({2, 3, 6}, at::kDouble)));
  for (const at::Tensor& g : gradients_of(under(Mask::none()), in)) EXPECT_TRUE(all_finite(g));
}

TEST(AdditiveAttention, WrongShapesNameWhatWasExpected) {
  EXPECT_THAT(
      message_of([] {
        additive_attention(cosines({2, 3, 5}), cosines({2, 4, 6}), cosines({5}), cosines({2, 4, 6}),
                           Mask::none());
      }),
      HasSubstr("[additive_attention] expected q (B, Tq, A), k (B, Tk, A), w (A) and values (B, "
                "Tk, Dv), found (2, 3, 5), (2, 4, 6), (5) and (2, 4, 6)"));
  EXPECT_THROW(additive_scores(cosines({2, 3, 5}), cosines({2, 4, 5}), cosines({5, 1})),
               InvalidArgument);
  EXPECT_THROW(additive_attention(cosines({2, 3, 5}), cosines({2, 4, 5}), cosines({5}),
                                  cosines({2, 3, 6}), Mask::none()),
               InvalidArgument);
  EXPECT_THROW(
      additive_attention(cosines({2, 3, 5}), cosines({2, 4, 5}), cosines({5}), cosines({2, 4, 6}),
                         Mask::dense(at::ones({2, 2, 3, 4}, at::kBool))),
      InvalidArgument);
}

TEST(AttendWithScores, PoolsGivenScores) {
  const auto found =
      attend_with_scores(golden("scores"), golden("values"), Mask::padding(golden("lengths")));
  EXPECT_TRUE(close(found.output, golden("output")));
  EXPECT_THAT(
      message_of([] { attend_with_scores(cosines({2, 3, 4}), cosines({2, 5, 4}), Mask::none()); }),
      HasSubstr("found (2, 3, 4) and (2, 5, 4)"));
}

}  // namespace
}  // namespace attend::ops
