// Counted randomness: every number is a pure function of a key and a counter, so the whole state of
// a run's randomness is (seed, step). Nothing in the library draws from a global generator.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace attend::core {

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection on 64 bits.
constexpr uint64_t mix64(uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

/// Folds another word into a key.
constexpr uint64_t combine(uint64_t key, uint64_t word) { return mix64(key ^ mix64(word)); }

/// FNV-1a, then mixed: a key from a name.
constexpr uint64_t hash_name(std::string_view name) {
  uint64_t h = 0xCBF29CE484222325ull;
  for (char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  return mix64(h);
}

/// Uniform in [0, 1), with 53 bits.
constexpr double uniform01(uint64_t key, uint64_t counter) {
  return static_cast<double>(combine(key, counter) >> 11) * 0x1.0p-53;
}

/// 32-bit mixer (lowbias32, Wellons 2018) for the per-element draw of dropout: cheap in SIMD.
constexpr uint32_t mix32(uint32_t x) {
  x ^= x >> 16;
  x *= 0x7FEB352Du;
  x ^= x >> 15;
  x *= 0x846CA68Bu;
  return x ^ (x >> 16);
}

/// Key of one row of one dropout site at one step. `row` is numbered in the whole batch.
constexpr uint32_t dropout_row_key(uint64_t seed, uint64_t step, uint32_t site, uint64_t row) {
  return static_cast<uint32_t>(combine(combine(combine(seed, step), site), row) >> 32);
}

/// The number of a row of attention weights: what is drawn for it hangs neither on padding nor on
/// neighbours.
constexpr uint64_t weight_row(uint64_t sentence, uint64_t head, uint64_t query) {
  return combine(combine(sentence, head), query);
}

/// True when element `column` of the row with this key is kept; `threshold` = dropout_threshold(p).
constexpr bool dropout_keeps(uint32_t row_key, uint32_t column, uint32_t threshold) {
  return mix32(row_key ^ (column * 0x9E3779B9u)) >= threshold;
}

/// p in [0, 1) -> the threshold below which an element is dropped.
constexpr uint32_t dropout_threshold(double p) { return static_cast<uint32_t>(p * 4294967296.0); }

/// Everything random about one pass through a model. Default: no dropout (evaluation).
struct DropoutState {
  double probability = 0.0;  ///< in [0, 1); 0 switches dropout off
  uint64_t seed = 0;
  uint64_t step = 0;

  bool active() const { return probability > 0.0; }
};

/// Fisher-Yates permutation of 0..n-1 given by the key alone.
inline std::vector<int64_t> permutation(int64_t n, uint64_t key) {
  std::vector<int64_t> order(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) order[static_cast<size_t>(i)] = i;
  for (int64_t i = n - 1; i > 0; --i) {
    const uint64_t r = combine(key, static_cast<uint64_t>(i)) % static_cast<uint64_t>(i + 1);
    std::swap(order[static_cast<size_t>(i)], order[static_cast<size_t>(r)]);
  }
  return order;
}

}  // namespace attend::core
