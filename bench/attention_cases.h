// What is timed of attention: one case a mechanism, at any length. bench/peers/attention_forms.py
// has the same cases, by name, as PyTorch has them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/work.h"

namespace attend::bench {

/// Sizes that all cases share; small enough that a (B, T, T, D) tensor of T = 1024 still fits.
inline constexpr int64_t kBatch = 2;   // B
inline constexpr int64_t kWidth = 32;  // D of queries, keys and values without heads
inline constexpr int64_t kHeads = 4;   // H
inline constexpr int64_t kHead = 16;   // Dh
inline constexpr int64_t kModel = kHeads * kHead;

struct AttentionCase {
  std::string name;
  std::function<Work(int64_t length)> prepare;
  /// What a tensor of the features of every pair would hold for one pair, over all sentences and
  /// heads. The whole pass has to need less.
  int64_t pair_features = kBatch * kWidth;
};

/// All cases, in the order of the table of docs/performance.md.
const std::vector<AttentionCase>& attention_cases();

/// Throws InvalidArgument, naming the nearest, when there is none of this name.
const AttentionCase& find_case(const std::string& name);

/// Those of one source file each, in order.
std::vector<AttentionCase> score_cases();     // scores, normalisers and pooling, without heads
std::vector<AttentionCase> head_cases();      // multi-head attention
std::vector<AttentionCase> position_cases();  // positions, windows and linear attention, in heads

/// queries, keys and values: (B, T, D), and (B, H, T, Dh).
Shapes sequences(int64_t length);
Shapes head_sequences(int64_t length);

}  // namespace attend::bench
