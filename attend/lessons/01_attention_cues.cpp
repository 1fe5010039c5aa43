// Lesson 1: what draws attention; who is query, key and value; a heat map of any matrix.
#include <ATen/TensorOperators.h>
#include <ATen/ops/eye.h>

#include "attend/lessons/figures.h"
#include "attend/lessons/lesson.h"

namespace attend::lessons {
namespace {

using Kind = render::DiagramBox::Kind;

struct Options {
  int64_t size = 10;
  int64_t seed = 1;
};

core::ConfigTable describe(Options& o) {
  core::ConfigTable table("attention-cues", "Queries, keys and values");
  table.add("size", o.size, "Rows and columns of the matrices that are drawn.", 1, 40)
      .add("seed", o.seed, "Of the signed matrix.", 0, 1000000);
  return table;
}

render::Diagram cues() {
  return {"",
          {{"nonvolitional", "keys\nwhat stands out\n非自主性提示", 0, 0, Kind::kData},
           {"values", "values\nwhat is perceived\n感官输入", 1, 0, Kind::kData},
           {"query", "query\nwhat is looked for\n自主性提示", 0, 1, Kind::kData},
           {"pooling", "attention pooling\n注意力汇聚", 1, 1, Kind::kFocus},
           {"output", "output\n输出", 2, 1, Kind::kData}},
          {{"nonvolitional", "pooling", ""},
           {"values", "pooling", ""},
           {"query", "pooling", ""},
           {"pooling", "output", ""}}};
}

void run(const Options& o, Notebook& book) {
  book.say(
      {"What stands out draws the eye without our will: a red cup among grey ones. What we look "
       "for draws it by our will: the book, once we want to read. A layer without a query "
       "(fully connected, pooling) has the first kind of cue alone; attention adds the second.",
       "显眼的东西会不由自主地吸引目光：一堆灰色里的红杯子。想找的东西则按意志吸引目光：想读书时的"
       "那本书。"
       "没有查询的层（全连接层、汇聚层）只有前一种提示；注意力加上了后一种。"});
  book.diagram({"Cues and what they select", "提示与选择"}, cues());
  book.notice(
      {"Keys and values come in pairs: the key says when its value matters, the query which "
       "keys matter now.",
       "键和值成对出现：键说明它的值何时重要，查询说明此刻哪些键重要。"});

  book.table(
      {"Who is who in each model", "每个模型里谁是谁"},
      {"model", "query 查询", "keys 键", "values 值", "lesson"},
      {{"average pooling", "none", "none", "the y of all pairs", "2"},
       {"kernel regression", "x to predict at", "x of the training pairs",
        "y of the training pairs", "3, 4"},
       {"Bahdanau", "decoder's last hidden state", "encoder's hidden states", "the same states",
        "9"},
       {"Transformer, encoder self", "each source token", "all source tokens", "the same tokens",
        "15"},
       {"Transformer, decoder self", "each target token", "target tokens up to it",
        "the same tokens", "15"},
       {"Transformer, cross", "each target token", "encoder's outputs", "the same outputs", "15"}});
  book.notice({"In self-attention all three are the same tokens, projected three ways.",
               "在自注意力里三者都是同一串词元，只是用了三个不同的投影。"});

  book.heading({"A heat map of any matrix", "画任意矩阵的热图"});
  const at::Tensor identity = at::eye(o.size, at::kDouble);  // (Tq, Tk)
  book.map({"Weights of a query that equals one key: the identity",
            "查询只等于一个键时的权重：单位矩阵"},
           heat_map(identity));
  const at::Tensor signed_matrix =
      counted_normal(o.size * o.size, static_cast<uint64_t>(o.seed)).view({o.size, o.size});
  book.map({"Scores may have either sign: blue below zero, orange above",
            "分数可正可负：蓝色小于零，橙色大于零"},
           heat_map(signed_matrix, {.row_axis = "query", .column_axis = "key"}),
           {.scaling = render::Scaling::kDiverging, .quantity = "score"});
  book.notice({"`attend map --from FILE` draws a matrix of yours so: .csv, .npy, .npz or .json.",
               "`attend map --from 文件` 可以这样画出自己的矩阵：.csv、.npy、.npz 或 .json。"});
}

}  // namespace

Lesson attention_cues_lesson() {
  return make_lesson<Options>({1,
                               "attention-cues",
                               {"Queries, keys and values", "查询、键和值"},
                               {"What draws attention, who is who in each model, and heat maps.",
                                "什么吸引注意力，每个模型里谁是谁，以及热图。"}},
                              describe, run);
}

}  // namespace attend::lessons
