#include "attend/attention/hard.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/gather.h>

#include <cmath>
#include <string>

#include "attend/core/errors.h"
#include "attend/core/random.h"
#include "attend/ops/attention.h"
#include "attend/ops/batched_product.h"
#include "attend/ops/check.h"

namespace attend {
namespace {

constexpr auto kOp = "hard_attention";

void check(const at::Tensor& weights, const at::Tensor& values, const HardOptions& options) {
  ops::check_floating(kOp, {weights, values});
  if (!ops::leading_sizes_agree(weights, values) || weights.size(-1) != values.size(-2))
    ops::refuse(kOp, "weights (B, [H,] Tq, Tk) and values (B, [H,] Tk, Dv)", {weights, values});
  if (!options.rows.empty() && static_cast<int64_t>(options.rows.size()) != weights.size(0))
    ops::refuse(kOp,
                "as many row numbers as sentences (" + std::to_string(options.rows.size()) + ")",
                {weights});
}

double total_of(const double* row, int64_t keys) {
  double total = 0.0;
  for (int64_t j = 0; j < keys; ++j) {
    if (!(row[j] >= 0.0 && std::isfinite(row[j])))
      throw InvalidArgument(std::string("[") + kOp +
                            "] expected weights that are finite and at least 0, found " +
                            std::to_string(row[j]));
    total += row[j];
  }
  return total;
}

int64_t largest(const double* row, int64_t keys) {
  int64_t best = 0;
  for (int64_t j = 1; j < keys; ++j)
    if (row[j] > row[best]) best = j;
  return best;
}

// The key in whose share of [0, total) the mark falls; never one without weight.
int64_t at_mark(const double* row, int64_t keys, double mark) {
  int64_t last = 0;
  double sum = 0.0;
  for (int64_t j = 0; j < keys; ++j) {
    if (row[j] <= 0.0) continue;
    last = j;
    sum += row[j];
    if (mark < sum) return j;
  }
  return last;
}

// (B, [H,] Tq), on the CPU.
at::Tensor choose(const at::Tensor& weights, const HardOptions& options) {
  const at::Tensor w = weights.detach().to(at::kCPU, at::kDouble).contiguous();
  const at::IntArrayRef sizes = weights.sizes();
  at::Tensor chosen = at::empty(sizes.slice(0, sizes.size() - 1), at::kLong);
  const int64_t keys = sizes.back();
  const std::vector<int64_t> rows = ops::weight_rows(sizes, options.rows);
  const uint64_t site =
      core::combine(core::combine(options.seed, options.step), uint64_t{options.site});
  int64_t* out = chosen.data_ptr<int64_t>();
  for (size_t i = 0; i < rows.size(); ++i) {
    const double* row = w.const_data_ptr<double>() + static_cast<int64_t>(i) * keys;
    const double total = total_of(row, keys);
    if (total <= 0.0)
      out[i] = -1;
    else if (!options.draw)
      out[i] = largest(row, keys);
    else
      out[i] = at_mark(row, keys, total * core::uniform01(site, static_cast<uint64_t>(rows[i])));
  }
  return chosen;
}

}  // namespace

HardResult hard_attention(const at::Tensor& weights, const at::Tensor& values,
                          const HardOptions& options) {
  check(weights, values, options);
  const at::Tensor chosen = choose(weights, options).to(weights.device());
  if (weights.size(-1) == 0)
    return {ops::attend_with_scores(weights, values, Mask::none()).output, chosen,
            weights.sum(-1)};                                  // no key at all: zeros
  const at::Tensor nothing = chosen.lt(0).unsqueeze(-1);       // (B, [H,] Tq, 1)
  const at::Tensor index = chosen.clamp_min(0).unsqueeze(-1);  // (B, [H,] Tq, 1)
  std::vector<int64_t> wide = index.sizes().vec();
  wide.back() = values.size(-1);
  const at::Tensor output =
      values.gather(-2, index.expand(wide)).masked_fill(nothing, 0.0);  // (B, [H,] Tq, Dv)
  const at::Tensor weight = weights.gather(-1, index).masked_fill(nothing, 1.0);
  return {output, chosen, weight.log().squeeze(-1)};
}

void MovingBaseline::update(const at::Tensor& reward) {
  if (!reward.defined() || reward.numel() == 0) ops::refuse("baseline", "rewards", {reward});
  const double mean = reward.detach().mean().item<double>();
  value = started ? decay * value + (1.0 - decay) * mean : mean;
  started = true;
}

at::Tensor reinforce_loss(const at::Tensor& log_probability, const at::Tensor& reward,
                          const MovingBaseline& baseline) {
  ops::check_floating("reinforce_loss", {log_probability, reward});
  if (log_probability.dim() < 1 || reward.dim() != 1 || reward.size(0) != log_probability.size(0))
    ops::refuse("reinforce_loss", "log-probabilities (B, ...) and a reward (B)",
                {log_probability, reward});
  const at::Tensor advantage = reward.detach() - baseline.value;
  const at::Tensor of_sentence =
      log_probability.dim() == 1 ? log_probability : log_probability.flatten(1).sum(1);  // (B)
  return -(of_sentence * advantage).sum();
}

at::Tensor attention_entropy(const at::Tensor& weights) {
  ops::check_floating("attention_entropy", {weights});
  if (weights.dim() < 1) ops::refuse("attention_entropy", "weights (..., Tk)", {weights});
  const double least = weights.scalar_type() == at::kHalf ? 6e-8 : 1e-30;
  return -(weights * weights.clamp_min(least).log()).sum(-1);
}

}  // namespace attend
