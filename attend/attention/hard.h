// Hard attention: one key is drawn and looked at alone; Xu et al. 2015, "Show, Attend and Tell",
// 4.1. A draw has no gradient, so what led to it learns from a reward (REINFORCE, Williams 1992).
//
//   const auto soft = attention.forward(q, k, v, mask, {.return_weights = true});
//   const HardResult seen = hard_attention(soft.weights, v, {.seed = 1, .step = step});
//   const at::Tensor reward = ...;  // (B), log p(y | what was seen), detached
//   loss = -log_likelihood.sum() + reinforce_loss(seen.log_probability, reward, baseline);
//   baseline.update(reward);
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace attend {

struct HardOptions {
  bool draw = true;   ///< false: the key of most weight, the first of equals (evaluation)
  uint64_t seed = 0;  ///< with step and site the whole state of the draw
  uint64_t step = 0;
  uint32_t site = 0;               ///< of the draw in the model
  std::vector<int64_t> rows = {};  ///< (B) sentences' numbers in the batch; empty = 0 .. B-1
};

struct HardResult {
  at::Tensor output;           ///< (B, [H,] Tq, Dv), the chosen values; zeros where there is none
  at::Tensor chosen;           ///< int64 (B, [H,] Tq); -1 where a query may attend to nothing
  at::Tensor log_probability;  ///< (B, [H,] Tq), log of the chosen weight, with its gradient; 0
                               ///< where there is none
};

/// Draws a key for each query from the weights of any soft attention: weights (B, [H,] Tq, Tk) with
/// rows that sum to 1 (rescaled if not quite) or are all zero, values (B, [H,] Tk, Dv). The same
/// counters give the same draw, on any device, whatever the padding and neighbours. Values that are
/// not chosen are not read. Gradients flow from the output to the chosen values, and from
/// log_probability to the weights. Throws InvalidArgument for other shapes, and for weights that
/// are negative or not finite.
HardResult hard_attention(const at::Tensor& weights, const at::Tensor& values,
                          const HardOptions& options = {});

/// The moving average of rewards, which lowers the variance of the gradient and not its mean: Xu et
/// al. 2015, b_k = 0.9 b_(k-1) + 0.1 reward. The first update sets it.
struct MovingBaseline {
  double decay = 0.9;
  double value = 0.0;
  bool started = false;

  void update(const at::Tensor& reward);  ///< with the mean of the rewards
};

/// -sum over sentences of (reward - baseline) times its log-probabilities: a loss whose gradient is
/// the REINFORCE estimate of that of -sum of expected rewards. log_probability (B, ...), reward
/// (B), taken as a constant; larger is better.
at::Tensor reinforce_loss(const at::Tensor& log_probability, const at::Tensor& reward,
                          const MovingBaseline& baseline);

/// -sum_j w_j log w_j: weights (..., Tk) -> (...). Xu et al. 2015 add it to what is maximised, so
/// that draws stay varied. Zero weights count 0.
at::Tensor attention_entropy(const at::Tensor& weights);

}  // namespace attend
