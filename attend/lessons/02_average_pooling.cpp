// Lesson 2: the plainest pooling, and the batch product that carries it out.
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/full.h>

#include "attend/attention/pooling.h"
#include "attend/lessons/figures.h"
#include "attend/lessons/lesson.h"

namespace attend::lessons {
namespace {

struct Options {
  int64_t examples = 2;
  int64_t pairs = 10;
  int64_t seen = 0;
};

core::ConfigTable describe(Options& o) {
  core::ConfigTable table("average-pooling", "Pooling with equal weights");
  table.add("examples", o.examples, "Examples in the batch, B.", 1, 8)
      .add("pairs", o.pairs, "Keys with their values, Tk.", 1, 40)
      .add("seen", o.seen, "Average the first N alone, under a mask; 0: all.", 0, 40);
  return table;
}

void run(const Options& o, Notebook& book) {
  book.say(
      {"Attention pooling is a mean of values with weights. Without looking at any query or key "
       "the only fair weights are equal ones: 1 / Tk each.",
       "注意力汇聚是对值的加权平均。如果不看查询和键，公平的权重只有一种：每个都是 1 / Tk。"});
  const at::Tensor values = at::arange(o.examples * o.pairs, at::kDouble)
                                .reshape({o.examples, o.pairs, 1});  // (B, Tk, 1)
  const at::Tensor weights =
      at::full({o.examples, 1, o.pairs}, 1.0 / static_cast<double>(o.pairs), at::kDouble);
  book.step("values", values.squeeze(-1), {"one row an example", "每行一个样本"});
  book.step("weights = 1 / Tk", weights, {"one query for each example", "每个样本一个查询"});
  // A batch of matrices times a batch of matrices: (B, 1, Tk) by (B, Tk, 1).
  book.step("output = bmm(weights, values)", at::bmm(weights, values),  // (B, 1, 1)
            {"each example's weighted mean", "每个样本的加权平均"});

  const int64_t seen = o.seen > 0 ? std::min(o.seen, o.pairs) : o.pairs;
  const std::vector<int64_t> lengths(static_cast<size_t>(o.examples), seen);
  const auto pooled = average_pooling(values, 1, Mask::padding(lengths), {.return_weights = true});
  book.step("average_pooling(values, mask)", pooled.output,  // (B, 1, 1)
            {"the library's, which takes a mask as well", "库里的函数，还可以带掩码"});
  const std::string count = std::to_string(seen);
  book.map(seen == o.pairs ? Bilingual{"Weights of average pooling: every pair counts the same",
                                       "平均汇聚的权重：每一对都一样重要"}
                           : Bilingual{"Weights of average pooling under a mask: the first " +
                                           count + " count the same, the others nothing",
                                       "带掩码的平均汇聚：前 " + count + " 对一样重要，其余为 0"},
           heat_map(pooled.weights.squeeze(1), {.rows = labels("example ", o.examples),
                                                .row_axis = "example",
                                                .column_axis = "pair (key and value)"}));
  book.notice(
      {"The batch product of weights and values is a weighted mean, one for each example. All "
       "that later lessons change is where the weights come from.",
       "权重与值的批量矩阵乘法就是加权平均，每个样本一个。后面的课只改变一件事：权重从哪里来。"});

  Panel panel{{"One value and one weight moved by hand", "亲手移动一个值和一个权重"},
              "average_pooling",
              {{"value", {"the moved value", "被移动的值"}, -10, 10, 0.5, 8},
               {"extra", {"its extra weight", "额外的权重"}, 0, 5, 0.1, 0},
               {"pairs", {"pairs", "键值对的数目"}, 2, 12, 1, 6}}};
  panel.library = [](const Inputs& in) {
    const auto n = static_cast<int64_t>(in.at("pairs"));
    const at::Tensor v = at::arange(n, at::kDouble);
    at::Tensor w = at::full({n}, 1.0, at::kDouble);
    v.select(0, n - 1).fill_(in.at("value"));
    w.select(0, n - 1).fill_(1 + in.at("extra"));
    w = w / w.sum();
    std::vector<double> out = numbers(w);
    out.push_back(at::bmm(w.view({1, 1, n}), v.view({1, n, 1})).item<double>());
    return out;
  };
  book.panel(std::move(panel));
}

}  // namespace

Lesson average_pooling_lesson() {
  return make_lesson<Options>({2,
                               "average-pooling",
                               {"Average pooling", "平均汇聚"},
                               {"Equal weights, and the batch product as a weighted mean.",
                                "相等的权重，以及作为加权平均的批量矩阵乘法。"}},
                              describe, run);
}

}  // namespace attend::lessons
