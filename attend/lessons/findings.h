// What lessons conclude, in words that are made from the run's own numbers: another option, seed or
// text gives another conclusion, and not a sentence that contradicts the picture above it.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "attend/lessons/bilingual.h"
#include "attend/lessons/notebook.h"
#include "attend/render/curves.h"

namespace attend::lessons {

/// "a", "a and b", "a, b and c"; in Chinese "a、b、c".
Bilingual listed(const std::vector<std::string>& names);

/// Lesson 15: whether the encoder's self-attention uses its whole square.
Bilingual square_finding(const render::AttentionMap& map);

/// Lesson 16: of each layer the gradient at the nearest token and at the first, `tokens` away.
struct ReachedGradient {
  std::string layer;
  double near = 0, far = 0;
};
Bilingual gradient_finding(const std::vector<ReachedGradient>& found, int64_t tokens);

/// Lesson 17: the losses of each way of learning, and the weights (examples, keys) at the end; the
/// first key is asked for. The last two ways are hard, with a baseline and without.
Bilingual rewards_finding(const std::vector<render::Series>& losses,
                          const std::vector<at::Tensor>& weights);

/// Lesson 18: the loss of the pair, and how sharp its map is, by epoch; then the last frame.
Bilingual watching_finding(const render::Series& loss, const render::Series& sharp,
                           const Frame& last);

/// Lesson 19: how many of a model's parameters belong to words, and how many to attention.
struct ParameterShares {
  std::string model;
  int64_t all = 0, words = 0, attention = 0;
};
Bilingual parameters_finding(const std::vector<ParameterShares>& models);

}  // namespace attend::lessons
