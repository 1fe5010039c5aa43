// Lesson 17: soft attention learns by its gradient, hard attention by rewards for what it drew.
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/stack.h>

#include "attend/attention/attention.h"
#include "attend/attention/hard.h"
#include "attend/lessons/figures.h"
#include "attend/lessons/lesson.h"
#include "attend/lessons/measure.h"
#include "attend/training/adam.h"

namespace attend::lessons {
namespace {

struct Options {
  int64_t keys = 6;
  int64_t steps = 300;
  int64_t batch = 32;
  double rate = 0.05;
  int64_t seed = 1;
};

core::ConfigTable describe(Options& o) {
  core::ConfigTable table("hard-and-soft-attention", "Hard and soft attention");
  table.add("keys", o.keys, "Keys of each query, Tk.", 2, 12)
      .add("steps", o.steps, "Updates of the score.", 10, 2000)
      .add("batch", o.batch, "Examples an update, B.", 1, 256)
      .add("rate", o.rate, "Adam's step size.", 0.0001, 1)
      .add("seed", o.seed, "Of examples, parameters and draws.", 0, 1000000);
  return table;
}

enum class Way { kSoft, kHard, kHardWithoutBaseline };
constexpr int64_t kWidth = 8;

// The query is one of the keys under noise; its value, -1 to 1, is asked for.
struct Examples {
  at::Tensor queries, keys, values, targets;
};

Examples examples(const Options& o, int64_t batch, uint64_t step) {
  const at::Tensor keys = counted_normal({batch, o.keys, kWidth}, o.seed, 2 * step);
  const at::Tensor rest = counted_normal({batch, o.keys + kWidth, 1}, o.seed, 2 * step + 1);
  const at::Tensor values = rest.slice(1, 0, o.keys).tanh();  // (B, Tk, 1)
  const at::Tensor noise = rest.slice(1, o.keys).transpose(1, 2);  // (B, 1, D)
  return {keys.slice(1, 0, 1) + 0.3 * noise, keys, values, values.slice(1, 0, 1)};
}

struct Learned {
  render::Series losses;
  at::Tensor weights;  // (8, Tk), of eight examples that were not trained on
};

Learned learn(const Options& o, Way way, const std::string& name) {
  ParameterStore store;
  const AttentionWith<BilinearScore> attention(store.scope(), {.query_size = kWidth});
  store.allocate({.seed = static_cast<uint64_t>(o.seed), .dtype = at::kDouble});
  training::Adam adam(store.flat(), {});
  core::ThreadPool pool(1);
  at::Tensor flat = at::empty_like(store.flat());
  MovingBaseline baseline;
  Learned learned{{name, {}, {}, false}, {}};
  for (int64_t step = 0; step <= o.steps; ++step) {
    const auto number = static_cast<uint64_t>(step);
    const auto now = examples(o, o.batch, number + 1);
    const auto seen =
        attention.forward(now.queries, now.keys, now.values, Mask::none(), {.return_weights = true});
    at::Tensor loss = (seen.output - now.targets).square();  // (B, 1, 1)
    at::Tensor surrogate = loss.sum();
    if (way != Way::kSoft) {
      const auto drawn = hard_attention(seen.weights, now.values,
                                        {.seed = static_cast<uint64_t>(o.seed), .step = number});
      loss = (drawn.output - now.targets).square();
      const at::Tensor reward = -loss.detach().view({-1});  // (B)
      surrogate = reinforce_loss(drawn.log_probability, reward, baseline);
      if (way == Way::kHard) baseline.update(reward);
    }
