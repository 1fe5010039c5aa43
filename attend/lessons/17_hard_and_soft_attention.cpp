// Lesson 17: soft attention learns by its gradient, hard attention by rewards for what it drew.
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/stack.h>

#include "attend/attention/attention.h"
#include "attend/attention/hard.h"
#include "attend/lessons/figures.h"
#include "attend/lessons/findings.h"
#include "attend/lessons/lesson.h"
#include "attend/lessons/measure.h"
#include "attend/training/adam.h"

namespace attend::lessons {
namespace {

struct Options {
  int64_t keys = 6;
  int64_t steps = 300;
  double rate = 0.05;
  int64_t seed = 1;
};

core::ConfigTable describe(Options& o) {
  core::ConfigTable table("hard-and-soft-attention", "Hard and soft attention");
  table.add("keys", o.keys, "Keys of each query, Tk.", 2, 12)
      .add("steps", o.steps, "Updates of the score.", 10, 2000)
      .add("rate", o.rate, "Adam's step size.", 0.0001, 1)
      .add("seed", o.seed, "Of examples, parameters and draws.", 0, 1000000);
  return table;
}

constexpr int64_t kWidth = 8, kBatch = 32;

// The query is the first key under noise, and that key's value is asked for.
struct Examples {
  at::Tensor queries, keys, values;
};

Examples examples(const Options& o, int64_t batch, uint64_t stream) {
  const auto keys = counted_normal({batch, o.keys, kWidth}, o.seed, 2 * stream);
  const auto more = counted_normal({batch, 1, o.keys + kWidth}, o.seed, 2 * stream + 1);
  const auto values = more.slice(2, 0, o.keys).transpose(1, 2);  // (B, Tk, 1)
  return {keys.slice(1, 0, 1) + 0.3 * more.slice(2, o.keys), keys, values};
}

// The squared errors (B), the soft weights (B, 1, Tk), and the draw's log-probability (B, 1).
std::array<at::Tensor, 3> look(const Attention& attention, const Examples& e, bool hard,
                               const HardOptions& draw) {
  const auto seen =
      attention.forward(e.queries, e.keys, e.values, Mask::none(), {.return_weights = true});
  const auto drawn = hard_attention(seen.weights, e.values, draw);
  const auto error = (hard ? drawn.output : seen.output) - e.values.slice(1, 0, 1);  // (B, 1, 1)
  return {error.square().view({-1}), seen.weights, drawn.log_probability};
}

enum Way { kSoft, kHard, kHardWithoutBaseline };
const std::vector<std::string> kWays{"soft", "hard", "hard, no baseline"};

// Trains a score; gives the losses on examples held out, and the weights (8, Tk) of eight of them.
at::Tensor learn(const Options& o, Way way, render::Series& losses) {
  ParameterStore store;
  const AttentionWith<BilinearScore> attention(store.scope(), {.query_size = kWidth});
  store.allocate({.seed = static_cast<uint64_t>(o.seed), .dtype = at::kDouble});
  training::Adam adam(store.flat(), {});
  core::ThreadPool pool(1);
  MovingBaseline baseline;
  const Examples held_out = examples(o, 256, 0);
  HardOptions draw{.seed = static_cast<uint64_t>(o.seed)};
  for (int64_t step = 0; step <= o.steps; ++step) {
    draw.step = static_cast<uint64_t>(step);
    if (step % 10 == 0) {
      losses.x.push_back(static_cast<double>(step));
      losses.y.push_back(numbers(look(attention, held_out, way != kSoft, draw)[0].mean())[0]);
    }
    const auto [losses_now, weights, log_probability] =
        look(attention, examples(o, kBatch, draw.step + 1), way != kSoft, draw);
    auto loss = losses_now.sum();
    if (way != kSoft) loss = reinforce_loss(log_probability, -losses_now.detach(), baseline);
    if (way == kHard) baseline.update(-losses_now);
    at::Tensor flat = at::empty_like(store.flat());
    store.gather(gradients(loss / kBatch, store.tensors()), flat);
    adam.update(store.flat(), flat, flat.norm().item<double>(), o.rate, pool);
  }
  return look(attention, held_out, false, draw)[1].detach().slice(0, 0, 8).squeeze(1);
}

void run(const Options& o, Notebook& book) {
  book.say(
      {"Soft attention mixes all values, and its weights get a gradient. Hard attention draws "
       "one: no gradient comes through, but a reward can make the draw more likely.",
       "软注意力混合所有的值，权重因此有梯度。硬注意力只抽一个值：梯度穿不过抽样，但可以奖励好的抽"
       "样。"});
  const Examples some = examples(o, kBatch, 1);
  book.step("queries", some.queries, {"(B, 1, D): the first key, and noise", "第一个键加噪声"});
  book.step("keys", some.keys, {"(B, Tk, D)", "(B, Tk, D)：键"});
  book.step("values", some.values, {"(B, Tk, 1): the first is asked for", "要答出第一个值"});
  render::Curves curves;
  curves.x_axis = "update", curves.y_axis = "squared error";
  std::vector<at::Tensor> weights;
  for (size_t way = 0; way < kWays.size(); ++way) {
    curves.series.push_back({kWays[way], {}, {}, false});
    weights.push_back(learn(o, static_cast<Way>(way), curves.series.back()));
  }
  book.curves({"Loss on 256 examples held out", "在 256 个留出样本上的损失"}, curves);
  book.map({"Weights after training: all should look at key 1", "训练后的权重：都应看第 1 个键"},
           heat_map(at::stack(weights), {.row_axis = "example", .panels = kWays}));
  book.notice(rewards_finding(curves.series, weights));
}

}  // namespace

Lesson hard_and_soft_attention_lesson() {
  const Bilingual what{"Draw one value and be rewarded, or mix all.", "抽一个值，或混合所有值。"};
  const Bilingual title{"Hard and soft attention", "硬注意力与软注意力"};
  return make_lesson<Options>({17, "hard-and-soft-attention", title, what}, describe, run);
}

}  // namespace attend::lessons
