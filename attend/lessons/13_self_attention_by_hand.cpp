// Lesson 13: self-attention on three tokens, step by step, and the layer that does the same.
#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <c10/core/GradMode.h>

#include <cmath>

#include "attend/attention/multi_head.h"
#include "attend/lessons/figures.h"
#include "attend/lessons/lesson.h"
#include "attend/ops/masked_softmax.h"

namespace attend::lessons {
namespace {

enum class Heads { kOne, kTwo, kFour };

struct Options {
  Heads heads = Heads::kTwo;
  bool causal = false;
};

core::ConfigTable describe(Options& o) {
  core::ConfigTable table("self-attention-by-hand", "Self-attention on three tokens");
  table
      .add_choice("heads", o.heads, "Heads H that share the width of 4.",
                  {{"1", Heads::kOne}, {"2", Heads::kTwo}, {"4", Heads::kFour}})
      .add("causal", o.causal, "Let each token see itself and those before it alone.");
  return table;
}

// Whole numbers, so that each step can be checked on paper.
at::Tensor matrix(const std::vector<double>& rows) {
  return at::tensor(rows, at::kDouble).view({-1, 4});
}

void run(const Options& o, Notebook& book) {
  const int64_t heads = o.heads == Heads::kOne ? 1 : o.heads == Heads::kTwo ? 2 : 4;
  const int64_t width = 4 / heads;
  const Mask mask = o.causal ? Mask::causal() : Mask::none();
  const std::vector<std::string> tokens{"I 我", "drink 喝", "tea 茶"};
  const at::Tensor x = matrix({1, 0, 1, 0, 0, 2, 0, 1, 1, 1, 0, 1}).unsqueeze(0);  // (1, 3, 4)
  const at::Tensor w_q = matrix({1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 0, 0, 1});
  const at::Tensor w_k = matrix({0, 1, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 1, 0, 1, 0});
  const at::Tensor w_v = matrix({0, 2, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 1, 1, 0, 0});
  const at::Tensor w_o = matrix({1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0});

  book.say(
      {"Three tokens, each a row of four numbers. In self-attention they are at once queries, keys "
       "and values, by three projections. A prime means transposed, so an element of Q is the dot "
       "product of a row of X and a row of W_Q.",
       "三个词元，每个是一行四个数。在自注意力里，它们经过三个投影，同时充当查询、键和值。撇号表示"
       "转置，所以 Q 的每个元素是 X 的一行与 W_Q 的一行的点积。"});
  book.step("X", x, {"(B, T, D): I, drink, tea", "(B, T, D)：我、喝、茶"});
  for (const auto& [name, weight] : std::vector<std::pair<std::string, at::Tensor>>{
           {"W_Q", w_q}, {"W_K", w_k}, {"W_V", w_v}, {"W_O", w_o}})
    book.step(name, weight, {"(out, in)", "(输出，输入)"});
  const at::Tensor q = x.matmul(w_q.t()), k = x.matmul(w_k.t()), v = x.matmul(w_v.t());
  const std::string last = dot_text(x[0][2], w_q[3]);
  book.step("Q = X W_Q'", q,
            {"what each token looks for; tea's last number: " + last,
             "每个词元要找什么；“茶”的最后一个数：" + last});
  book.step("K = X W_K'", k, {"what each token can be found by", "每个词元凭什么被找到"});
  book.step("V = X W_V'", v, {"what each token hands over", "每个词元交出什么"});
  const auto split = [&](const at::Tensor& all) {
    return all.view({1, 3, heads, width}).transpose(1, 2);  // (1, H, 3, D / H)
  };
  const at::Tensor scores =
      split(q).matmul(split(k).transpose(2, 3)) / std::sqrt(width);  // (1, H, 3, 3)
  const std::string over = ", over sqrt(" + std::to_string(width) + ")";
  const std::string dot = dot_text(split(q)[0][0][1], split(k)[0][0][0]) + over;
  book.step("scores = Q_h K_h' / sqrt(D / H)", scores,
            {"(B, H, T, T): each head has columns of Q and K; drink at I, in the first: " + dot,
             "(B, H, T, T)：每个头有 Q 和 K 中自己的列；第一个头里“喝”看“我”：" + dot});
  const at::Tensor weights = ops::masked_softmax(scores, mask);  // (1, H, 3, 3)
  book.step("weights = masked_softmax(scores)", weights,
            {"e^score over the row's sum; what the mask hides counts 0",
             "e^分数，除以该行之和；被遮住的算 0"});
  book.map({"Who looks at whom, in each head", "每个头里谁在看谁"},
           heat_map(weights.squeeze(0), {tokens, tokens, "token that looks", "token looked at"}));
  const at::Tensor pooled = weights.matmul(split(v));  // (1, H, 3, D / H)
  book.step("heads = weights V_h", pooled, {"(B, H, T, D / H)", "每个头各自的加权平均"});
  const at::Tensor joined = pooled.transpose(1, 2).reshape({1, 3, 4});  // (1, 3, D)
  book.step("joined = heads side by side", joined, {"(B, T, D)", "把各个头并排拼接"});
  const at::Tensor output = joined.matmul(w_o.t());  // (1, 3, D)
  book.step("output = joined W_O'", output,
            {"W_O lets the columns of all heads mix", "W_O 让所有头的列混合"});

  ParameterStore store;
  const MultiHeadAttention layer(store.scope(), {.query_size = 4, .heads = heads});
  store.allocate({.dtype = at::kDouble});
  const c10::NoGradGuard no_grad;
  layer.query().weight().copy_(w_q);
  layer.key().weight().copy_(w_k);
  layer.value().weight().copy_(w_v);
  layer.output().weight().copy_(w_o);
  const at::Tensor same = layer.forward(x, x, x, mask).output;
  book.step("|MultiHeadAttention(X, X, X) - output|, the largest", (same - output).abs().max(),
            {"the layer does just this", "库里的多头注意力层做的正是这些"});
  book.notice(
      {"Output and X are of one shape: layers can be stacked.", "输出与 X 形状相同，可以叠加。"});
  if (heads > 1)
    book.notice({"Without W_O each output column would come from only one head.",
                 "没有 W_O，每一列输出就只来自一个头。"});
}

}  // namespace

Lesson self_attention_by_hand_lesson() {
  return make_lesson<Options>({13,
                               "self-attention-by-hand",
                               {"Self-attention by hand", "手算自注意力"},
                               {"Three tokens through Q, K, V, scores, softmax, heads and W_O.",
                                "三个词元，依次经过 Q、K、V、分数、softmax、多个头和 W_O。"}},
                              describe, run);
}

}  // namespace attend::lessons
