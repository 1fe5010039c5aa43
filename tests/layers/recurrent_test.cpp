// Recurrent stacks of every cell, one way and both ways, against PyTorch's.
#include "attend/layers/recurrent.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <gmock/gmock.h>

#include "attend/core/errors.h"
#include "attend/layers/state_bridge.h"
#include "tests/support/golden.h"
#include "tests/support/gradcheck.h"

namespace attend {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;

struct Kind {
  CellKind cell;
  bool both_ways;
  std::string name() const {
    return std::string(cell_name(cell)) + (both_ways ? ".both_ways" : ".one_way");
  }
  friend void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name(); }
};

struct Stack {
  explicit Stack(const Kind& kind, int64_t layers = 2, at::ScalarType dtype = at::kDouble)
      : recurrent(store.scope("r"), {.cell = kind.cell,
                                     .inputs = 4,
                                     .hidden = 3,
                                     .layers = layers,
                                     .bidirectional = kind.both_ways}) {
    store.allocate({.seed = 4, .dtype = dtype});
  }
  ParameterStore store;
  Recurrent recurrent;
};

// PyTorch's name of one of ours: r.layers.0.weight_ih_reverse -> weight_ih_l0_reverse.
std::string peer_name(const std::string& name) {
  const std::string last = name.substr(name.rfind('.') + 1);
  const size_t reverse = last.find("_reverse");
  return last.substr(0, reverse) + "_l" + name.substr(name.find("layers.") + 7, 1) +
         (reverse == std::string::npos ? "" : "_reverse");
}

// Rows in the batch's order, then the final states under them, h before c.
struct Outcome {
  at::Tensor rows;
  std::vector<at::Tensor> hidden, cell;
};

Outcome run(const Recurrent& recurrent, const at::Tensor& x, const std::vector<int64_t>& offsets,
            const Recurrent::States& initial = {}) {
  const ops::TimeMajor layout = ops::time_major(offsets, at::kCPU);
  const Recurrent::Output output = recurrent.forward(
      x.index_select(0, layout.from_packed), layout,
      initial.empty() ? initial : select_rows(initial, layout.order_tensor), {}, {});
  Outcome result{output.rows.index_select(0, layout.to_packed), {}, {}};
  for (const ops::CellState& state : select_rows(output.final, layout.rank)) {
    result.hidden.push_back(state.hidden);
    if (state.cell.defined()) result.cell.push_back(state.cell);
  }
  return result;
}

const std::vector<int64_t> kOffsets = {0, 3, 3, 8, 9};  // unsorted, one empty, one of length 1

class RecurrentTest : public ::testing::TestWithParam<Kind> {
 protected:
  bool lstm() const { return GetParam().cell == CellKind::kLstm; }
  int64_t states() const { return GetParam().both_ways ? 4 : 2; }  // of two layers

  Recurrent::States states_of(const std::vector<at::Tensor>& leaves) const {
    Recurrent::States result;
    for (int64_t s = 0; s < states(); ++s)
      result.push_back({leaves[0][s], lstm() ? leaves[1][s] : at::Tensor()});
    return result;
  }
};

TEST_P(RecurrentTest, AgreesWithPyTorchInValuesAndGradients) {
  static const Goldens golden("layers/recurrent.safetensors");
  const auto get = [&](const std::string& name) {
    return golden.get(GetParam().name() + "." + name);
  };
  const Stack stack(GetParam());
  std::vector<std::string> names;
  for (const auto& slot : stack.store.slots()) {
    names.push_back(peer_name(slot->name));
    set_parameter(stack.store, slot->name, get(names.back()));
  }
  ASSERT_EQ(names.size(), GetParam().both_ways ? 16u : 8u);
  std::vector<at::Tensor> inputs = stack.store.tensors();
  std::vector<at::Tensor> initial = {get("initial_h").set_requires_grad(true)};
  if (lstm()) initial.push_back(get("initial_c").set_requires_grad(true));
  const at::Tensor x = get("x").set_requires_grad(true);
  const Outcome result = run(stack.recurrent, x, kOffsets, states_of(initial));
  EXPECT_TRUE(close(result.rows, get("rows")));
  at::Tensor loss = (result.rows * cosines(result.rows.sizes().vec(), 8)).sum();
  const auto add = [&](const std::vector<at::Tensor>& final, const std::string& name) {
    const at::Tensor expected = get(name), all = at::cat(final).view(expected.sizes());
    EXPECT_TRUE(close(all, expected)) << name;
    loss = loss + (all * cosines(expected.sizes().vec(), 9)).sum();
  };
  add(result.hidden, "final_h");
  if (lstm()) add(result.cell, "final_c");

  inputs.push_back(x);
  names.push_back("x");
  for (size_t i = 0; i < initial.size(); ++i) {
    inputs.push_back(initial[i]);
    names.push_back(i == 0 ? "initial_h" : "initial_c");
  }
  const auto gradients = torch::autograd::grad({loss}, inputs);
  for (size_t i = 0; i < gradients.size(); ++i)
    EXPECT_TRUE(close(gradients[i], get(names[i] == "x" ? "dx" : "d_" + names[i]))) << names[i];
}

TEST_P(RecurrentTest, GradientsAreThoseOfCentralDifferences) {
  const Stack stack(GetParam());
  std::vector<at::Tensor> inputs = stack.store.tensors();
  inputs.push_back(leaf({6, 4}, 1));
  const auto function = [&](const std::vector<at::Tensor>& in) {
    const Outcome result = run(stack.recurrent, in.back(), {0, 2, 2, 5, 6});
    std::vector<at::Tensor> all = {result.rows.flatten()};
    for (const auto& h : result.hidden) all.push_back(h.flatten());
    for (const auto& c : result.cell) all.push_back(c.flatten());
    return at::cat(all);
  };
  EXPECT_TRUE(check_gradients(function, inputs));
}

TEST_P(RecurrentTest, ALongerNeighbourChangesNothing) {
  const Stack stack(GetParam(), 2, at::kFloat);
  const at::Tensor x = cosines({9, 4}, 0, at::kFloat);
  const Outcome together = run(stack.recurrent, x, kOffsets);
  for (size_t b = 0; b + 1 < kOffsets.size(); ++b) {
    const int64_t first = kOffsets[b], n = kOffsets[b + 1] - first;
    const Outcome alone = run(stack.recurrent, x.narrow(0, first, n), {0, n});
    EXPECT_TRUE(close(alone.rows, together.rows.narrow(0, first, n)));
    for (size_t s = 0; s < alone.hidden.size(); ++s)
      EXPECT_TRUE(close(alone.hidden[s][0], together.hidden[s][static_cast<int64_t>(b)]));
    for (size_t s = 0; s < alone.cell.size(); ++s)
      EXPECT_TRUE(close(alone.cell[s][0], together.cell[s][static_cast<int64_t>(b)]));
  }
}

TEST_P(RecurrentTest, ItsStepsAreThoseOfTheWhole) {
  const Stack stack(GetParam());
  const ops::CellState zero{at::zeros({2, 3}, at::kDouble), at::zeros({2, 3}, at::kDouble)};
  Recurrent::States states(static_cast<size_t>(this->states()), zero);
  const at::Tensor x = cosines({8, 4});  // time-major: two rows a step
  if (GetParam().both_ways) {
    EXPECT_THAT(message_of([&] { stack.recurrent.step(x.narrow(0, 0, 2), states); }),
                HasSubstr("has no steps"));
    return;
  }
  const Recurrent::Output whole =
      stack.recurrent.forward(x, ops::time_major({0, 4, 8}, at::kCPU), {}, {}, {});
  for (int64_t t = 0; t < 4; ++t)
    EXPECT_TRUE(
        close(stack.recurrent.step(x.narrow(0, 2 * t, 2), states), whole.rows.narrow(0, 2 * t, 2)));
  for (size_t l = 0; l < states.size(); ++l) {
    EXPECT_TRUE(close(states[l].hidden, whole.final[l].hidden));
    if (lstm()) {
      EXPECT_TRUE(close(states[l].cell, whole.final[l].cell));
    }
  }
}

TEST_P(RecurrentTest, DropoutActsBetweenTheLayersAloneAndByRow) {
  const ops::DropoutState dropout{.probability = 0.5, .seed = 1, .step = 1};
  const ops::TimeMajor layout = ops::time_major({0, 2, 5}, at::kCPU);
  const auto rows = ops::row_numbers(layout, {0, 2});
  const at::Tensor x = cosines({5, 4});
  for (const int64_t layers : {1, 2}) {
    const Stack stack(GetParam(), layers);
    const at::Tensor plain = stack.recurrent.forward(x, layout, {}, {}, {}).rows;
    const at::Tensor dropped = stack.recurrent.forward(x, layout, {}, dropout, rows).rows;
    EXPECT_EQ(static_cast<bool>(close(dropped, plain)), layers == 1);
    EXPECT_TRUE(identical(stack.recurrent.forward(x, layout, {}, dropout, rows).rows, dropped));
    // The second sentence alone, with its numbers in the batch.
    const ops::TimeMajor alone = ops::time_major({0, 3}, at::kCPU);
    const at::Tensor second = x.index_select(0, layout.to_packed.narrow(0, 2, 3));
    EXPECT_TRUE(close(
        stack.recurrent.forward(second, alone, {}, dropout, ops::row_numbers(alone, {2})).rows,
        dropped.index_select(0, layout.to_packed.narrow(0, 2, 3))));
  }
}

TEST_P(RecurrentTest, TakesNoSequencesAndEmptyOnes) {
  const Stack stack(GetParam());
  const Outcome none = run(stack.recurrent, cosines({0, 4}), {0});
  EXPECT_EQ(none.rows.sizes(), at::IntArrayRef({0, stack.recurrent.width()}));
  const at::Tensor h = cosines({states(), 2, 3}), c = cosines({states(), 2, 3}, 1);
  const Outcome empty = run(stack.recurrent, cosines({0, 4}), {0, 0, 0}, states_of({h, c}));
  for (int64_t s = 0; s < states(); ++s) {
    EXPECT_TRUE(identical(empty.hidden[static_cast<size_t>(s)], h[s]));
    if (lstm()) {
      EXPECT_TRUE(identical(empty.cell[static_cast<size_t>(s)], c[s]));
    }
  }
}

TEST_P(RecurrentTest, RefusesWhatDoesNotFit) {
  const Stack stack(GetParam());
  Recurrent::States one(1, {at::zeros({1, 3}, at::kDouble), at::zeros({1, 3}, at::kDouble)});
  EXPECT_THAT(message_of([&] { run(stack.recurrent, cosines({1, 4}), {0, 1}, one); }),
              HasSubstr(std::to_string(states()) + " states"));
  EXPECT_THROW(stack.recurrent.step(cosines({1, 4}), one), InvalidArgument);
  EXPECT_THAT(message_of([&] { run(stack.recurrent, cosines({1, 5}), {0, 1}); }),
              HasSubstr("(1, 5)"));
  ParameterStore store;
  EXPECT_THROW(Recurrent(store.scope(), {.cell = GetParam().cell, .layers = 0}), InvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(Cells, RecurrentTest,
                         ::testing::Values(Kind{CellKind::kRnn, false}, Kind{CellKind::kRnn, true},
                                           Kind{CellKind::kLstm, false},
                                           Kind{CellKind::kLstm, true}, Kind{CellKind::kGru, false},
                                           Kind{CellKind::kGru, true}),
                         [](const auto& info) {
                           return std::string(cell_name(info.param.cell)) +
                                  (info.param.both_ways ? "_both" : "_one");
                         });

TEST(StateBridge, IsTanhOfAProductAndForTheMemoryTheProductAlone) {
  ParameterStore store;
  const StateBridge bridge(store.scope("b"), {CellKind::kLstm, 2, 1});
  store.allocate({.dtype = at::kDouble});
  const at::Tensor w = cosines({2, 4}), v = cosines({2, 4}, 3), b = cosines({2}, 5);
  set_parameter(store, "b.layers.0.hidden.weight", w);
  set_parameter(store, "b.layers.0.cell.weight", v);
  set_parameter(store, "b.layers.0.hidden.bias", b);
  const ops::CellState forth{cosines({3, 2}, 7), cosines({3, 2}, 8)};
  const ops::CellState back{cosines({3, 2}, 9), cosines({3, 2}, 10)};
  const Recurrent::States one = bridge({forth, back});
  ASSERT_EQ(one.size(), 1u);
  EXPECT_TRUE(close(one[0].hidden, (forth.hidden.matmul(w.narrow(1, 0, 2).t()) +
                                    back.hidden.matmul(w.narrow(1, 2, 2).t()) + b)
                                       .tanh()));
  EXPECT_TRUE(close(one[0].cell, forth.cell.matmul(v.narrow(1, 0, 2).t()) +
                                     back.cell.matmul(v.narrow(1, 2, 2).t())));
  EXPECT_THAT(message_of([&] { bridge({forth}); }), HasSubstr("2 states, two a layer, found 1"));
}

}  // namespace
}  // namespace attend
