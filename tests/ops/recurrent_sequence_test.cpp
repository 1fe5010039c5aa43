// RNN and LSTM layers over packed rows; PyTorch's numbers are held by tests/layers.
#include "attend/ops/recurrent_sequence.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>

#include "attend/core/errors.h"
#include "tests/support/gradcheck.h"

namespace attend::ops {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;

using Op = decltype(lstm_sequence)*;

// Inputs: rows and the states in the batch's order, then the four weights. Output: states in the
// batch's order, and the final ones under them.
TensorFunction run(const TimeMajor& layout, Op op) {
  return [layout, op](const std::vector<at::Tensor>& in) {
    const CellState start{in[1].index_select(0, layout.order_tensor),
                          in[2].index_select(0, layout.order_tensor)};
    const SequenceOutput output =
        op(in[0].index_select(0, layout.from_packed), layout, start, {in[3], in[4], in[5], in[6]});
    std::vector<at::Tensor> all = {output.rows.index_select(0, layout.to_packed),
                                   output.final.hidden.index_select(0, layout.rank)};
    if (output.final.cell.defined()) all.push_back(output.final.cell.index_select(0, layout.rank));
    return at::cat(all);  // (N + B, H) or (N + 2B, H)
  };
}

struct Case {
  const char* name;
  Op op, composed;
  int64_t blocks;
  friend void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
};

std::vector<at::Tensor> leaves(int64_t blocks, int64_t rows, int64_t sentences) {
  return {leaf({rows, 2}, 1),       leaf({sentences, 3}, 2),  leaf({sentences, 3}, 7),
          leaf({blocks * 3, 2}, 3), leaf({blocks * 3, 3}, 4), leaf({blocks * 3}, 5),
          leaf({blocks * 3}, 6)};
}

class RecurrentSequence : public ::testing::TestWithParam<Case> {
 protected:
  std::vector<at::Tensor> inputs() const { return leaves(GetParam().blocks, 5, 3); }
  const TimeMajor layout_ = time_major({0, 2, 2, 5}, at::kCPU);
};

TEST_P(RecurrentSequence, GradientsAreThoseOfCentralDifferences) {
  EXPECT_TRUE(check_gradients(run(layout_, GetParam().op), inputs()));
}

TEST_P(RecurrentSequence, AgreesWithItsComposedTwin) {
  for (const auto& offsets : {std::vector<int64_t>{0, 2, 2, 5}, {0, 3, 6}, {0, 1}}) {
    const TimeMajor layout = time_major(offsets, at::kCPU);
    for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
      std::vector<at::Tensor> in = leaves(GetParam().blocks, offsets.back(), layout.size());
      for (at::Tensor& x : in) x = x.detach().to(type).clone().set_requires_grad(true);
      const TensorFunction written = run(layout, GetParam().op);
      const TensorFunction composed = run(layout, GetParam().composed);
      EXPECT_TRUE(close(written(in), composed(in)));
      const auto actual = gradients_of(written, in), expected = gradients_of(composed, in);
      for (size_t i = 0; i < in.size(); ++i)
        EXPECT_TRUE(close(actual[i], expected[i])) << "input " << i;
    }
  }
}

TEST_P(RecurrentSequence, RefusesASecondDerivative) {
  const auto in = inputs();
  const auto twice = [&](Op op) {
    torch::autograd::grad({run(layout_, op)(in).sum()}, {in[0]}, {}, {}, /*create_graph=*/true);
  };
  EXPECT_THAT(message_of([&] { twice(GetParam().op); }), HasSubstr("differentiable once"));
  EXPECT_NO_THROW(twice(GetParam().composed));
}

TEST_P(RecurrentSequence, TakesWhatIsNotContiguous) {
  const auto in = inputs();
  std::vector<at::Tensor> odd;
  for (const at::Tensor& x : in)
    odd.push_back(x.dim() == 2 ? x.detach().t().contiguous().t() : x.detach());
  EXPECT_TRUE(close(run(layout_, GetParam().op)(odd), run(layout_, GetParam().op)(in)));
}

TEST_P(RecurrentSequence, LeavesItsInputsAlone) {
  const auto in = inputs();
  std::vector<at::Tensor> before;
  for (const at::Tensor& x : in) before.push_back(x.detach().clone());
  gradients_of(run(layout_, GetParam().op), in);
  for (size_t i = 0; i < in.size(); ++i) EXPECT_TRUE(identical(in[i], before[i])) << i;
}

TEST_P(RecurrentSequence, RefusesWhatDoesNotFit) {
  const auto in = inputs();
  const RecurrentWeights weights{in[3], in[4], in[5], in[6]};
  const Op op = GetParam().op;
  EXPECT_THAT(message_of([&] { op(cosines({4, 2}), layout_, {}, weights); }), HasSubstr("(4, 2)"));
  EXPECT_THROW(op(cosines({5, 3}), layout_, {}, weights), InvalidArgument);
  EXPECT_THROW(op(in[0], layout_, {cosines({2, 3}), {}}, weights), InvalidArgument);
  EXPECT_THROW(op(in[0], layout_, {}, {in[3], in[3], in[5], in[6]}), InvalidArgument);
  EXPECT_THROW(op(in[0].to(at::kFloat), layout_, {}, weights), InvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(Cells, RecurrentSequence,
                         ::testing::Values(Case{"Rnn", rnn_sequence, rnn_sequence_composed, 1},
                                           Case{"Lstm", lstm_sequence, lstm_sequence_composed, 4}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(LstmSequence, RefusesACellStateOfAnotherShape) {
  const auto in = leaves(4, 5, 3);
  EXPECT_THAT(message_of([&] {
                lstm_sequence(in[0], time_major({0, 2, 2, 5}, at::kCPU), {in[1], cosines({3, 2})},
                              {in[3], in[4], in[5], in[6]});
              }),
              HasSubstr("(3, 2)"));
}

TEST(LstmSequence, KeepsWhatItsForgetGateLetsPass) {
  // With f = 1 and i = 0 (biases of +-50) the memory stays; h = sigmoid(0) tanh(c).
  const at::Tensor bias = at::cat({at::zeros({3}, at::kDouble) - 50,
                                   at::zeros({3}, at::kDouble) + 50, at::zeros({6}, at::kDouble)});
  const at::Tensor zeros = at::zeros({12, 3}, at::kDouble), c = cosines({1, 3});
  const SequenceOutput output =
      lstm_sequence(cosines({4, 3}), time_major({0, 4}, at::kCPU), {{}, c},
                    {zeros, zeros, bias, at::zeros({12}, at::kDouble)});
  EXPECT_TRUE(close(output.final.cell, c));
  EXPECT_TRUE(close(output.rows[3], 0.5 * c[0].tanh()));
}

TEST(ReversedRows, TurnEachSequenceRoundAndBack) {
  const TimeMajor layout = time_major({0, 2, 2, 5}, at::kCPU);  // lengths 2, 0, 3
  const at::Tensor packed = at::tensor({1, 2, 11, 12, 13}, at::kLong);
  const at::Tensor turned =
      packed.index_select(0, layout.from_packed).index_select(0, reversed_rows(layout));
  EXPECT_TRUE(identical(turned.index_select(0, layout.to_packed),
                        at::tensor({2, 1, 13, 12, 11}, at::kLong)));
  EXPECT_TRUE(identical(reversed_rows(layout).index_select(0, reversed_rows(layout)),
                        at::tensor({0, 1, 2, 3, 4}, at::kLong)));
}

}  // namespace
}  // namespace attend::ops
