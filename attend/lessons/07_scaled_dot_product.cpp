// Lesson 7: why the dot product is divided by sqrt(d).
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>

#include <cmath>

#include "attend/lessons/figures.h"
#include "attend/lessons/lesson.h"
#include "attend/lessons/measure.h"
#include "attend/ops/attention.h"

namespace attend::lessons {
namespace {

struct Options {
  int64_t width = 64;
  int64_t keys = 10;
  int64_t seed = 1;
};

core::ConfigTable describe(Options& o) {
  core::ConfigTable table("scaled-dot-product", "Dot products and their scale");
  table.add("width", o.width, "Length d of queries and keys in the maps.", 1, 1024)
      .add("keys", o.keys, "Keys of each query, Tk.", 2, 16)
      .add("seed", o.seed, "Of queries and keys.", 0, 1000000);
  return table;
}

// Of scores q.k / d^power: their variance, the mean largest weight, the mean gradient.
std::array<double, 3> measured(const Options& o, int64_t d, double power) {
  const int64_t queries = std::max<int64_t>(2000 / d, 200);
  const auto q = counted_normal({queries, 1, d}, o.seed, 3);
  const auto k = counted_normal({queries, o.keys, d}, o.seed, 4);
  const auto v = counted_normal({queries, o.keys, 1}, o.seed, 5);
  const auto scores =
      (q.matmul(k.transpose(1, 2)) * std::pow(d, -power)).requires_grad_();  // (queries, 1, Tk)
  const auto seen = ops::attend_with_scores(scores, v, Mask::none(), {.return_weights = true});
  return {scores.var().item<double>(), seen.weights.amax({-1}).mean().item<double>(),
          gradient(seen.output, scores).norm(2, {-1}).mean().item<double>()};
}

// The panel's q and four keys, of which it takes the first d numbers.
at::Tensor vectors() { return (counted_normal({5, 256}, 7, 0) * 1000).round() / 1000; }

std::vector<double> by_library(const Inputs& in) {
  const auto d = static_cast<int64_t>(in.at("width"));
  const auto q_and_k = vectors().slice(1, 0, d).view({1, 1, 5, d});
  const auto k = q_and_k.slice(2, 1);
  const auto seen = ops::scaled_dot_product_attention(
      q_and_k.slice(2, 0, 1), k, k, Mask::none(),
      {.return_weights = true, .scale = std::pow(in.at("width"), -in.at("power"))});
  const auto largest = seen.weights.amax();
  return numbers(at::cat({seen.weights.view(-1), (largest * (1 - largest)).view(1)}));
}

void run(const Options& o, Notebook& book) {
  book.say(
      {"The cheapest score is the dot product of query and key. If their d elements are "
       "independent, with mean 0 and variance 1, it has mean 0 and variance d.",
       "最便宜的分数是查询与键的点积。若它们的 d 个元素相互独立、均值为 0、方差为 1，"
       "点积的均值就是 0，方差就是 d。"});
  const auto q = counted_normal({1, 1, 8, o.width}, o.seed, 1);
  const auto k = counted_normal({1, 1, o.keys, o.width}, o.seed, 2);
  book.step("queries", q, {"(B, H, Tq, d)", "一个样本，一个头"});
  book.step("keys", k, {"(B, H, Tk, d)", "键的长度必须与查询相同"});
  ops::AttentionOptions options{.return_weights = true};
  const auto scaled = ops::scaled_dot_product_attention(q, k, k, Mask::none(), options);
  book.step("scaled_dot_product_attention(queries, keys, values)", scaled.output,
            {"the keys serve as values too", "这里键同时当作值"});
  options.scale = 1;
  const auto raw = ops::scaled_dot_product_attention(q, k, k, Mask::none(), options);
  const std::string d = std::to_string(o.width);
  HeatMapLabels names{.rows = labels("q", 8), .columns = labels("k", o.keys)};
  names.panels = {"q·k", "q·k / sqrt(d)"};
  book.map(
      {"Weights at d = " + d + ": as they are, and scaled", "d = " + d + " 时的权重：缩放前后"},
      heat_map(at::cat({raw.weights[0], scaled.weights[0]}), names));
  const std::vector<Bilingual> captions = {
      {"The variance of the scores is d, or 1", "分数的方差：d，或者 1"},
      {"The largest weight (mean): softmax saturates", "最大的权重（平均）：softmax 饱和"},
      {"The gradient through softmax (mean) vanishes", "穿过 softmax 的梯度（平均）消失"}};
  const std::vector<std::string> axes{"variance", "largest weight", "|d output / d scores|"};
  std::vector<std::string> grown;  // of each figure and line: "0.31 to 0.97"
  for (size_t i = 0; i < 3; ++i) {
    const auto curves = measured_curves(
        "d (length of q and k)", axes[i], names.panels,
        {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024},
        [&](size_t line, int64_t size) { return measured(o, size, line == 0 ? 0 : 0.5)[i]; });
    book.curves(captions[i], curves);
    for (const auto& line : curves.series)
      grown.push_back(short_number(line.y.front()) + " → " + short_number(line.y.back()));
  }
  book.notice({"From d = 1 to 1024 the largest weight goes " + grown[2] + " and the gradient " +
                   grown[4] +
                   ": long vectors make softmax pick one key, and the gradient that could change "
                   "the choice "
                   "dies out. With the scale they go " +
                   grown[3] + " and " + grown[5] + ".",
               "d 从 1 到 1024，最大权重 " + grown[2] + "，梯度 " + grown[4] +
                   "：向量一长，softmax 就只选一个键，梯度随之消失。缩放之后是 " + grown[3] +
                   " 和 " + grown[5] + "。"});
  Panel panel{{"Scores q·k / d^power: move both", "分数 q·k / d^power：拖动 d 和指数"},
              "scaled_dot_product",
              {{"width", {"length d", "长度 d"}, 1, 256, 1, 64},
               {"power", {"power (0.5: the root)", "指数（0.5 即开方）"}, 0, 1, 0.05, 0.5}}};
  panel.data = matrix_json(vectors());
  panel.library = by_library;
  book.panel(std::move(panel));
}

}  // namespace

Lesson scaled_dot_product_lesson() {
  const Bilingual why{"Why the dot product is divided by the root of its length.",
                      "点积为什么要除以长度的平方根。"};
  return make_lesson<Options>(
      {7, "scaled-dot-product", {"Scaled dot product", "缩放点积注意力"}, why}, describe, run);
}

}  // namespace attend::lessons
