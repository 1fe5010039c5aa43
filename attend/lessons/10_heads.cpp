// Lesson 10: several heads: their shapes, what each looks at, and which could go.
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "attend/attention/multi_head.h"
#include "attend/lessons/embedding_starts.h"
#include "attend/lessons/figures.h"
#include "attend/lessons/head_report.h"
#include "attend/lessons/lesson.h"
#include "attend/lessons/looking.h"

namespace attend::lessons {
namespace {

struct Options {
  std::string sentence = "The book is on the table.";
  int64_t pairs = 250;
};

core::ConfigTable describe(Options& o) {
  core::ConfigTable table("heads", "What the heads of a Transformer look at");
  table.add("sentence", o.sentence, "What the maps are of.")
      .add("pairs", o.pairs, "Measure on at most this many held-out pairs.", 1, 100000);
  return table;
}

void show_shapes(Notebook& book) {
  ParameterStore store;
  const MultiHeadAttention attention(store.scope(), {.query_size = 100, .heads = 5});
  store.allocate({.seed = 1});
  const at::NoGradGuard no_gradients;
  const auto random = [](int64_t rows, uint64_t key) {
    return counted_normal({2, rows, 100}, 1, key).to(at::kFloat);
  };
  const at::Tensor queries = random(4, 1), keys = random(6, 2);  // (2, 4, 100), (2, 6, 100)
  const auto seen =
      attention.forward(queries, keys, keys, Mask::padding({3, 2}), {.return_weights = true});
  book.step("queries", queries, {"(B, Tq, D)", ""});
  book.step("keys, values", keys,
            {"(B, Tk, D); 3 and 2 of them are real", "有效的只有 3 个和 2 个"});
  book.step("multi_head(queries, keys, values)", seen.output, {"(B, Tq, D)", ""});
  book.step("its weights", seen.weights,
            {"(B, H, Tq, Tk): each of 5 heads compares 20 of 100 projected features",
             "5 个头，各自比较投影后 100 个特征中的 20 个"});
}

void run(const Options& o, Notebook& book, Models& models) {
  book.say(
      {"One softmax gives one set of weights, so one mean. Several heads, each over its own "
       "projections, can look at several things at once, at the cost of one of full width.",
       "一次 softmax 只给出一组权重，也就只有一个平均。多个头各有自己的投影，可以同时看几样东西，"
       "代价与一个全宽的头相同。"});
  show_shapes(book);

  const auto loaded = models.trained(ModelKind::kTransformer);
  std::vector<data::Pair> pairs = models.held_out_pairs();
  pairs.resize(std::min(pairs.size(), static_cast<size_t>(o.pairs)));
  std::vector<HeadReport> heads = report_heads(loaded, pairs);
  book.heading({"What they learned to look at", "它们学会了看什么"});
  book.table(
      {"Each head (kind.layer:head): sharp, the largest weight; diagonal, the weight within "
       "one token of it; mark, that on the end mark (decoder-self: begin mark); cost, what "
       "the held-out loss gains without it, in nats per token",
       "每个头（类型.层:头）：sharp 是最大权重；diagonal 是离对角线一个词元以内的权重；mark "
       "是句末标记上的权重（解码器自注意力：句首标记）；cost 是去掉它以后留出集损失的增加量，"
       "单位 nat / 词元"},
      {"head", "sharp", "diagonal", "mark", "cost"}, head_rows(heads));

  std::vector<size_t> order(heads.size());  // the dearest first
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return heads[a].cost > heads[b].cost; });
  const Translation seen = look_at(Translator::share(loaded), o.sentence);
  render::AttentionMap map;  // panels are in the order of heads
  for (const size_t i : {order[0], order[1], order[2], order.back()}) {
    map.panels.push_back(seen.map.panels[i]);
    map.panels.back().title = fmt::format("{}, {:+.3f}", to_text(heads[i].head), heads[i].cost);
  }
  Bilingual caption = pair_caption(seen);
  caption.en = "The three heads that cost most, and the one that costs least: " + caption.en;
  caption.zh = "去掉后损失增加最多的三个头，和最少的一个" + caption.zh;
  book.map(caption, map, {.columns = 2});

  std::vector<HeadId> cheapest, dearest;
  for (const size_t i : order) dearest.push_back(heads[i].head);
  cheapest.assign(dearest.rbegin(), dearest.rend());
  const auto losses = losses_without(loaded, pairs, cheapest);
  book.curves({"The loss as heads go, one after the other", "逐个去掉注意力头时的损失"},
              {.x_axis = "heads taken out",
               .y_axis = "held-out loss (nats per token)",
               .series = {series("cheapest first", losses),
                          series("dearest first", losses_without(loaded, pairs, dearest))}});
  book.notice(heads_finding(heads, losses));
  book.notice({"`attend evaluate --rank-heads` ranks the heads of any model.",
               "`attend evaluate --rank-heads` 可以给任何模型的头排序。"});
  compare_starts(book, models, pairs);
}

}  // namespace

Lesson heads_lesson() {
  return make_lesson<Options>(
      {10,
       "heads",
       {"Multi-head attention", "多头注意力"},
       {"What each head looks at, and which heads could go.", "每个头在看什么，哪些头可以去掉。"}},
      describe, run);
}

}  // namespace attend::lessons
