// Lesson 14: why sequences are normalised by layer: BatchNorm sees padding and neighbours.
#include <ATen/TensorOperators.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <cmath>

#include "attend/layers/layer_norm.h"
#include "attend/lessons/figures.h"
#include "attend/lessons/lesson.h"

namespace attend::lessons {
namespace {

struct Options {
  int64_t width = 8;
  int64_t length = 6;
  int64_t padding = 24;
  double neighbour = 3;
  int64_t seed = 1;
};

core::ConfigTable describe(Options& o) {
  core::ConfigTable table("layer-and-batch-norm", "LayerNorm and BatchNorm");
  table.add("width", o.width, "Features D of a token.", 2, 64)
      .add("length", o.length, "Real tokens of the sentence that is watched.", 1, 64)
      .add("padding", o.padding, "Longest padding behind it.", 1, 200)
      .add("neighbour", o.neighbour, "How many times larger its neighbour's numbers are.", 0, 100)
      .add("seed", o.seed, "Of the numbers.", 0, 1000000);
  return table;
}

// Each feature over all rows (N, D): mean 0 and variance 1, as while training.
at::Tensor batch_norm(const at::Tensor& rows) {
  return at::batch_norm(rows, {}, {}, {}, {}, /*training=*/true, 0.1, 1e-5, false);
}

void run(const Options& o, Notebook& book) {
  ParameterStore store;
  const LayerNorm layer_norm(store.scope("large"), {.width = o.width});
  const LayerNorm of_two(store.scope("small"), {.width = 2});
  store.allocate({.dtype = at::kDouble});
  book.say(
      {"LayerNorm gives each token mean 0 and variance 1 over its own features. BatchNorm "
       "gives that to each feature, over all tokens of the batch.",
       "层规范化让每个词元在自己的各个特征上均值为 0、方差为 1；批量规范化则让每个特征在整批"
       "词元上如此。"});
  const at::Tensor x = at::tensor({1.0, 2.0, 2.0, 3.0}, at::kDouble).view({2, 2});
  book.step("X", x, {"(N, D): two tokens of two features", "(N, D)：两个词元，各两个特征"});
  book.step("LayerNorm(X)", of_two(x), {"along rows", "沿着行"});
  book.step("BatchNorm(X)", batch_norm(x), {"along columns", "沿着列"});

  book.heading({"A sentence is padded more and more", "一个句子，填充越来越长"});
  const at::Tensor sentence = counted_normal({o.length, o.width}, o.seed, 0) + 1;  // (T, D)
  book.step("sentence", sentence, {"(T, D), with mean 1", "(T, D)，均值为 1"});
  const auto padded = [&](int64_t more) {
    return at::cat({sentence, at::zeros({more, o.width}, at::kDouble)});  // (T + more, D)
  };
  // The mean over the first token's features of |value - value without padding|.
  std::vector<double> extra, layer, batch;
  const at::Tensor layer_alone = layer_norm(sentence)[0], batch_alone = batch_norm(sentence)[0];
  for (int64_t more = 0; more <= o.padding; ++more) {
    const at::Tensor rows = padded(more);
    extra.push_back(static_cast<double>(more));
    layer.push_back((layer_norm(rows)[0] - layer_alone).abs().mean().item<double>());
    batch.push_back((batch_norm(rows)[0] - batch_alone).abs().mean().item<double>());
  }
  book.curves({"How far the first token moves as padding grows", "填充变长时第一个词元改变多少"},
              {"",
               "padding tokens",
               "mean |change|",
               false,
               false,
               {{"LayerNorm", extra, layer}, {"BatchNorm", extra, batch}},
               {}});
  const MapLook look{.scaling = render::Scaling::kDiverging, .quantity = "value"};
  const at::Tensor rows = padded(o.length);
  HeatMapLabels names{.row_axis = "token", .column_axis = "feature"};
  names.panels = {"LayerNorm", "BatchNorm"};
  book.map({"The sentence and as much padding behind it, normalised",
            "句子和它后面同样长的填充，规范化之后"},
           heat_map(at::stack({layer_norm(rows), batch_norm(rows)}), names), look);

  book.heading({"The neighbours in the batch", "同一批里的邻居"});
  const at::Tensor neighbour = counted_normal({o.length, o.width}, o.seed, 1) * o.neighbour;
  const at::Tensor crowd = at::cat({sentence, neighbour});  // (2 T, D), without padding
  const auto first = [](const at::Tensor& normalised) {
    return short_number(std::round(1000 * normalised[0][0].item<double>()) / 1000 + 0.0);
  };
  book.table(
      {"First feature of the first token, padding left out", "第一个词元的第一个特征，不含填充"},
      {"batch 批", "LayerNorm", "BatchNorm"},
      {{"the sentence 只有这个句子", first(layer_norm(sentence)), first(batch_norm(sentence))},
       {"and a neighbour 加一个邻居", first(layer_norm(crowd)), first(batch_norm(crowd))},
       {"the token alone 只有这个词元", first(layer_norm(sentence.slice(0, 0, 1))),
        first(batch_norm(sentence.slice(0, 0, 1)))}});
  book.notice(
      {"LayerNorm's answer hangs on the token alone. BatchNorm's changes with padding and "
       "with neighbours; of a single token it makes zeros, and what it is to use in "
       "translation, where batches are small, has to be carried over from training.",
       "层规范化的结果只取决于词元自己。批量规范化的结果随填充和邻居而变；只有一个词元时全为 "
       "0。翻译时批很小，它只能沿用训练时的统计量。"});
}

}  // namespace

Lesson layer_and_batch_norm_lesson() {
  return make_lesson<Options>({14,
                               "layer-and-batch-norm",
                               {"LayerNorm and BatchNorm", "层规范化与批量规范化"},
                               {"Why sequences of changing length are normalised token by token.",
                                "为什么长度变化的序列要逐个词元地规范化。"}},
                              describe, run);
}

}  // namespace attend::lessons
