// Lesson 12: where a token stands: sinusoids, learned rows, and attention that is blind without.
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/flip.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros_like.h>

#include "attend/attention/multi_head.h"
#include "attend/attention/rotary.h"
#include "attend/layers/learned_positions.h"
#include "attend/layers/sinusoidal.h"
#include "attend/lessons/figures.h"
#include "attend/lessons/lesson.h"

namespace attend::lessons {
namespace {

struct Options {
  int64_t length = 60;
  int64_t width = 32;
  int64_t shift = 5;
  int64_t seed = 1;
};

core::ConfigTable describe(Options& o) {
  core::ConfigTable table("positions", "Positions of tokens");
  table.add("length", o.length, "Positions that are drawn.", 2, 200)
      .add("width", o.width, "Width D of a position's row; made a multiple of 4.", 4, 128)
      .add("shift", o.shift, "Distance by which positions are shifted.", 0, 100)
      .add("seed", o.seed, "Of the learned rows and the tokens.", 0, 1000000);
  return table;
}

at::Tensor table_of(int64_t first, int64_t count, int64_t width) {
  return sinusoidal_positions(first, count, width, {}, at::kDouble);
}

// The panel's row at a position, its row after a shift, and their dot product.
std::vector<double> by_library(const Inputs& in) {
  const auto p = static_cast<int64_t>(in.at("position")), s = static_cast<int64_t>(in.at("shift"));
  const at::Tensor here = table_of(p, 1, 16), there = table_of(p + s, 1, 16);
  return numbers(at::cat({here.view(-1), there.view(-1), (here * there).sum().view(1)}));
}

// How far self-attention's output for reversed tokens is from its output reversed.
std::string order_seen(const MultiHeadAttention& layer, const at::Tensor& x, const at::Tensor& p) {
  const at::Tensor a = x + p, b = x.flip({1}) + p;  // (B, T, D)
  const at::Tensor seen = layer.forward(a, a, a, Mask::none()).output;
  const at::Tensor turned = layer.forward(b, b, b, Mask::none()).output;
  return short_number((turned - seen.flip({1})).abs().max().item<double>());
}

void run(const Options& o, Notebook& book) {
  const int64_t width = o.width / 4 * 4;
  ParameterStore store;
  const LearnedPositions learned(store.scope("positions"), {.length = o.length, .width = width});
  const MultiHeadAttention attention(store.scope("attention"), {.query_size = width, .heads = 2});
  store.allocate({.seed = static_cast<uint64_t>(o.seed), .dtype = at::kDouble});
  const at::Tensor p = table_of(0, o.length, width);
  const at::Tensor l = learned.rows(0, o.length).detach();
  const at::Tensor x = counted_normal({1, o.length, width}, o.seed, 0);
  book.say(
      {"Self-attention looks at a set: shuffle the tokens and its outputs are shuffled, no "
       "more. So each token's vector gets a row added that says where it stands.",
       "自注意力看到的是集合：打乱词元，输出只是跟着打乱。因此要给每个词元的向量加上一行，"
       "说明它在什么位置。"});
  book.step("X", x, {"(B, T, D), tokens without positions", "(B, T, D)，没有位置的词元"});
  book.table({"Is order seen? |attend(reversed X) - reversed attend(X)|, the largest",
              "看得见顺序吗？|attend(倒序 X) - 倒序 attend(X)| 的最大值"},
             {"rows added 加上的行", "difference 差"},
             {{"none 无", order_seen(attention, x, at::zeros_like(p))},
              {"sinusoids 正弦余弦", order_seen(attention, x, p)},
              {"learned 可学习", order_seen(attention, x, l)}});
  book.step("P = sinusoidal_positions(0, T, D)", p,
            {"P[t, 2j] = sin(t / 10000^(2j/D)), P[t, 2j+1] = cos of the same",
             "P[t, 2j] 为正弦，P[t, 2j+1] 为余弦，频率沿列递减"});
  HeatMapLabels names{labels("", o.length, 0), labels("", width, 0), "position", "column"};
  const MapLook look{.scaling = render::Scaling::kDiverging, .quantity = "value"};
  book.map({"P: slower waves to the right", "P：越往右频率越低"}, heat_map(p, names), look);
  render::Curves columns;
  columns.x_axis = "position", columns.y_axis = "value";
  for (int64_t c = std::min<int64_t>(6, width - 4), end = c + 4; c < end; ++c)
    columns.series.push_back(
        series("column " + std::to_string(c), at::arange(o.length, at::kDouble), p.select(1, c)));
  book.curves({"Two pairs of columns: sine and cosine", "两对列：正弦和余弦"}, columns);

  book.heading({"A shift is a rotation", "平移就是旋转"});
  // Each row on its own, turned as if it stood at position -shift: (T, 1, D).
  const at::Tensor turned = rotary(p.unsqueeze(1), -o.shift).squeeze(1);
  book.step("|R(shift) P[t] - P[t + shift]|, the largest",
            (turned - table_of(o.shift, o.length, width)).abs().max(),
            {"one rotation for all positions", "所有位置用同一个旋转"});
  const at::Tensor unit = l / l.norm(2, {-1}, true);  // rows of length 1; P's are sqrt(D / 2) long
  names = {names.rows, names.rows, "position", "position", {"sinusoids", "learned, untrained"}};
  book.map({"Cosines of rows: with sinusoids they hang on the distance alone",
            "各行之间的余弦：正弦余弦编码的只取决于距离"},
           heat_map(at::stack({p.matmul(p.t()) * 2 / width, unit.matmul(unit.t())}), names), look);
  book.notice(
      {"Sinusoids go on for any length and need no training. Learned rows end where the "
       "table ends: later tokens all get its last row.",
       "正弦余弦可以延伸到任意长度，无需训练。可学习的行到表尾为止：之后的词元都用最后一行。"});
  Panel panel{{"A position shifted: its row is turned, pair by pair", "平移位置：每对列各自旋转"},
              "positions",
              {{"position", {"position", "位置"}, 0, 60, 1, 4},
               {"shift", {"shift", "平移"}, 0, 60, 1, 6},
               {"pair", {"pair of columns", "第几对列"}, 0, 7, 1, 2}}};
  panel.library = by_library;
  book.panel(std::move(panel));
}

}  // namespace

Lesson positions_lesson() {
  const Bilingual what{"Sinusoids, learned rows, and attention that is blind to order.",
                       "正弦余弦、可学习的位置，以及看不见顺序的注意力。"};
  return make_lesson<Options>({12, "positions", {"Positions", "位置编码"}, what}, describe, run);
}

}  // namespace attend::lessons
