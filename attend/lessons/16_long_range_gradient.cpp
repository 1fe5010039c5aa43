// Lesson 16: how much of a loss at the last token reaches a token far before it.
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <c10/core/GradMode.h>

#include "attend/attention/multi_head.h"
#include "attend/layers/recurrent.h"
#include "attend/lessons/figures.h"
#include "attend/lessons/findings.h"
#include "attend/lessons/lesson.h"
#include "attend/lessons/measure.h"
#include "attend/ops/packed.h"

namespace attend::lessons {
namespace {

struct Options {
  int64_t length = 100;
  int64_t width = 32;
  double gain = 1;
  double gate_bias = 0;
  int64_t seed = 1;
};

core::ConfigTable describe(Options& o) {
  core::ConfigTable table("long-range-gradient", "Gradients over long distances");
  table.add("length", o.length, "Tokens in the sequence, T.", 3, 400)
      .add("width", o.width, "Width D of tokens and states.", 2, 128)
      .add("gain", o.gain, "Factor on the recurrent weights; above 1 gradients may explode.", 0, 4)
      .add("gate_bias", o.gate_bias, "Of the LSTM's forget and the GRU's update gate.", -5, 10)
      .add("seed", o.seed, "Of parameters and tokens.", 0, 1000000);
  return table;
}

constexpr int64_t kSequences = 8;

// Mean over the sequences of |d loss / d x_t|, for t = T - 1, T - 2, ..., 0: by distance from the
// last token, whose outputs (B, D) a loss pulls in some direction. Leaf x (T, B, D).
at::Tensor by_distance(const at::Tensor& last, const at::Tensor& x, const at::Tensor& direction) {
  return gradient(last * direction, x).norm(2, {-1}).mean({1}).flip({0});  // (T)
}

at::Tensor through_cell(CellKind cell, const Options& o, const at::Tensor& x,
                        const at::Tensor& direction) {
  ParameterStore store;
  const Recurrent layer(store.scope(), {.cell = cell, .inputs = o.width, .hidden = o.width});
  store.allocate({.seed = static_cast<uint64_t>(o.seed), .dtype = at::kDouble});
  const ops::RecurrentWeights weights = layer.weights(0);
  {
    const c10::NoGradGuard no_grad;
    weights.hidden.mul_(o.gain);
    // The second block of rows: an LSTM's forget gate, a GRU's update gate.
    if (cell != CellKind::kRnn)
      weights.input_bias.slice(0, o.width, 2 * o.width).fill_(o.gate_bias);
  }
  std::vector<int64_t> offsets;
  for (int64_t b = 0; b <= kSequences; ++b) offsets.push_back(b * o.length);
  const at::Tensor rows =
      layer.forward(x.view({-1, o.width}), ops::time_major(offsets, at::kCPU), {}, {}, {}).rows;
  return by_distance(rows.slice(0, -kSequences), x, direction);
}

at::Tensor through_attention(const Options& o, const at::Tensor& x, const at::Tensor& direction) {
  ParameterStore store;
  const MultiHeadAttention layer(store.scope(), {.query_size = o.width, .heads = 2});
  store.allocate({.seed = static_cast<uint64_t>(o.seed), .dtype = at::kDouble});
  const at::Tensor batch = x.transpose(0, 1);                                        // (B, T, D)
  const at::Tensor out = layer.forward(batch, batch, batch, Mask::causal()).output;  // (B, T, D)
  return by_distance(out.select(1, -1), x, direction);
}

void run(const Options& o, Notebook& book) {
  book.say(
      {"A loss at the last token should teach the first. In a recurrent layer its gradient "
       "goes back through every step between; in attention it goes there at once.",
       "最后一个词元处的损失要能教会第一个词元。在循环层里，梯度必须逐步穿过中间的每一步；"
       "在注意力里，它一步就到。"});
  const at::Tensor x =
      counted_normal({o.length, kSequences, o.width}, o.seed, 0).requires_grad_();  // (T, B, D)
  const at::Tensor direction = counted_normal({kSequences, o.width}, o.seed, 1);
  book.step("x", x, {"(T, B, D): 8 sequences, averaged below", "(T, B, D)：8 个序列，下面取平均"});
  const std::vector<std::pair<std::string, at::Tensor>> found = {
      {"RNN", through_cell(CellKind::kRnn, o, x, direction)},
      {"LSTM", through_cell(CellKind::kLstm, o, x, direction)},
      {"GRU", through_cell(CellKind::kGru, o, x, direction)},
      {"attention", through_attention(o, x, direction)}};
  book.step("|d loss / d x_t| by distance", found[0].second, {"(T), of the RNN", "(T)，RNN 的"});
  render::Curves curves;
  curves.x_axis = "distance (tokens)", curves.y_axis = "|d loss / d token|", curves.log_y = true;
  std::vector<std::vector<std::string>> rows;
  std::vector<ReachedGradient> ends;
  const at::Tensor distance = at::arange(1, o.length, at::kDouble);
  for (const auto& [name, reached] : found) {
    curves.series.push_back(series(name, distance, reached.slice(0, 1).clamp_min(1e-30)));
    const double near = reached[1].item<double>(), far = reached[-1].item<double>();
    rows.push_back(
        {name, short_number(near), short_number(far), near == 0 ? "-" : short_number(far / near)});
    ends.push_back({name, near, far});
  }
  book.curves(
      {"The gradient that reaches a token, by its distance", "到达某个词元的梯度随距离的变化"},
      curves);
  book.table({"From the nearest to the first token", "从最近的词元到第一个词元"},
             {"layer 层", "distance 1", "first token 最远", "ratio 比值"}, rows);
  book.notice(gradient_finding(ends, o.length - 1));
}

}  // namespace

Lesson long_range_gradient_lesson() {
  return make_lesson<Options>({16,
                               "long-range-gradient",
                               {"Gradients over long distances", "长距离的梯度"},
                               {"What reaches the first token through RNN, LSTM, GRU, attention.",
                                "通过 RNN、LSTM、GRU 和注意力，有多少梯度能到达第一个词元。"}},
                              describe, run);
}

}  // namespace attend::lessons
