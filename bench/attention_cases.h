// What is timed of attention: one case a mechanism, at any length. bench/peers/attention_forms.py
// has the same cases, by name, as PyTorch has them.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace attend::bench {

/// Sizes that all cases share; small enough that a (B, T, T, D) tensor of T = 1024 still fits.
inline constexpr int64_t kBatch = 2;   // B
inline constexpr int64_t kWidth = 32;  // D of queries, keys and values without heads
inline constexpr int64_t kHeads = 4;   // H
inline constexpr int64_t kHead = 16;   // Dh
inline constexpr int64_t kModel = kHeads * kHead;

/// One case at one length: its leaves, in order, and the pass over them.
struct Work {
  std::vector<std::pair<std::string, at::Tensor>> inputs;
  std::function<at::Tensor()> run;

  std::vector<at::Tensor> leaves() const;
  /// Fills input i with cos(0.7 n + i), n counting its elements, so that no generator is needed to
  /// make it again.
  void fill();
};

struct AttentionCase {
  std::string name;
  std::function<Work(int64_t length)> prepare;
  /// Of one cell of the (Tq, Tk) table, summed over sentences and heads: the numbers that a tensor
  /// of every pair's features would hold. What the pass keeps has to stay below.
  int64_t pair_features = kBatch * kWidth;
};

/// All cases, in the order of the table of docs/performance.md.
const std::vector<AttentionCase>& attention_cases();

/// Throws InvalidArgument, naming the nearest, when there is none of this name.
const AttentionCase& find_case(const std::string& name);

/// Real keys of each sentence, for cases under a padding mask: T (b + 1) / B.
std::vector<int64_t> valid_lengths(int64_t length);

}  // namespace attend::bench
