// Lesson 5: softmax over the keys that are real.
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>

#include "attend/lessons/figures.h"
#include "attend/lessons/findings.h"
#include "attend/lessons/lesson.h"
#include "attend/ops/masked_softmax.h"

namespace attend::lessons {
namespace {

struct Options {
  int64_t keys = 4;
  int64_t seed = 1;
};

core::ConfigTable describe(Options& o) {
  core::ConfigTable table("masked-softmax", "Softmax under a mask");
  table.add("keys", o.keys, "Keys of each query, Tk.", 1, 12)
      .add("seed", o.seed, "Of the scores.", 0, 1000000);
  return table;
}

void run(const Options& o, Notebook& book) {
  book.say(
      {"Sentences of one batch are of different lengths, and what fills them up must not be "
       "attended to. The mask says which keys are real; softmax runs over those alone.",
       "同一批里的句子长短不一，用来填充的词元不应被注意。掩码说明哪些键是真的，softmax "
       "只在它们上面计算。"});
  const at::Tensor scores =
      counted_normal(2 * 2 * o.keys, static_cast<uint64_t>(o.seed)).view({2, 2, o.keys});
  book.step("scores", scores,
            {"(B, Tq, Tk): two examples, two queries each", "两个样本，每个两个查询"});

  const int64_t half = (o.keys + 1) / 2;
  const Mask by_example = Mask::padding({half, o.keys});
  const at::Tensor weights = ops::masked_softmax(scores, by_example);  // (2, 2, Tk)
  book.step("masked_softmax(scores, lengths)", weights,
            {"one length an example: " + std::to_string(half) + " and " + std::to_string(o.keys),
             "每个样本一个长度"});
  HeatMapLabels names{.rows = labels("q", 2), .columns = labels("k", o.keys)};
  names.panels = {"example 1", "example 2"};
  book.map({"A length for each example", "每个样本一个有效长度"}, heat_map(weights, names));
  if (half < o.keys)
    book.notice({"Hidden keys have weight exactly 0, and each row still sums to 1.",
                 "被遮住的键权重恰好为 0，而每一行的和仍然是 1。"});

  const at::Tensor lengths = at::arange(4, at::kLong).view({2, 2}).clamp_max(o.keys);
  const at::Tensor by_query = ops::masked_softmax(scores, Mask::padding(lengths));  // (2, 2, Tk)
  const Bilingual those = listed(labels(lengths.view(-1), 0));
  book.map({"A length for each query: " + those.en, "每个查询一个有效长度：" + those.zh},
           heat_map(by_query, names));
  book.notice(
      {"The first query may look at nothing: its weights are zeros, so its output is zero. "
       "Filling up with -1e6 before softmax, as is often done, would give it equal weights "
       "on the padding.",
       "第一个查询什么也不能看：权重全为 0，输出也为 0。常见的做法是在 softmax 前填 -1e6，那样它会"
       "平均地注意填充。"});
  const at::Tensor causal = ops::masked_softmax(
      counted_normal(o.keys * o.keys, static_cast<uint64_t>(o.seed) + 1).view({1, o.keys, o.keys}),
      Mask::causal());  // (1, Tk, Tk)
  book.map({"The decoder's mask: a token sees itself and what came before",
            "解码器的掩码：每个词元只看自己和之前的词元"},
           heat_map(causal.squeeze(0),
                    {.row_axis = "token that looks", .column_axis = "token that is looked at"}));

  Panel panel{
      {"Scores and a length, moved by hand", "亲手移动分数和有效长度"}, "masked_softmax", {}};
  for (int i = 1; i <= 4; ++i)
    panel.controls.push_back(
        {"s" + std::to_string(i),
         {"score of k" + std::to_string(i), "键 k" + std::to_string(i) + " 的分数"},
         -5,
         5,
         0.1,
         1.5 - 0.5 * i});
  panel.controls.push_back({"length", {"real keys", "有效长度"}, 0, 4, 1, 3});
  panel.library = [](const Inputs& in) {
    at::Tensor s = at::arange(4, at::kDouble).view({1, 1, 4});
    for (int64_t i = 0; i < 4; ++i) s.select(2, i).fill_(in.at("s" + std::to_string(i + 1)));
    return numbers(ops::masked_softmax(s, Mask::padding({static_cast<int64_t>(in.at("length"))})));
  };
  book.panel(std::move(panel));
}

}  // namespace

Lesson masked_softmax_lesson() {
  return make_lesson<Options>(
      {5,
       "masked-softmax",
       {"Masked softmax", "掩蔽 softmax"},
       {"Weights over the keys that are real, and over no others.", "只在真实的键上分配权重。"}},
      describe, run);
}

}  // namespace attend::lessons
