#include "attend/data/batches.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "attend/core/errors.h"
#include "attend/core/random.h"

namespace attend::data {
namespace {

void check(const BatchOptions& options, int64_t epoch) {
  const auto expect = [](bool holds, const char* what, int64_t found) {
    if (!holds)
      throw InvalidArgument(std::string("[batches] expected ") + what + ", found " +
                            std::to_string(found));
  };
  expect(options.sentences >= 1, "1 sentence or more in a batch", options.sentences);
  expect(options.tokens >= 0, "a limit of tokens of 0 or more", options.tokens);
  expect(options.pool >= 1, "1 batch or more in a pool", options.pool);
  expect(epoch >= 0, "an epoch of 0 or more", epoch);
}

/// Sorts each stretch of `pool` sentences by target length, then source length, keeping the drawn
/// order among equals.
void sort_within_pools(const Dataset& dataset, int64_t pool, std::vector<int64_t>& order) {
  const auto n = static_cast<int64_t>(order.size());
  const auto lengths = [&](int64_t i) {
    return std::pair(dataset.target.length(i), dataset.source.length(i));
  };
  for (int64_t begin = 0; begin < n; begin += pool) {
    const int64_t end = begin + std::min(pool, n - begin);
    std::stable_sort(order.begin() + begin, order.begin() + end,
                     [&](int64_t a, int64_t b) { return lengths(a) < lengths(b); });
  }
}

/// Where each batch begins, and the end.
std::vector<int64_t> cut(const Dataset& dataset, const BatchOptions& options,
                         const std::vector<int64_t>& order) {
  std::vector<int64_t> offsets = {0};
  int64_t sentences = 0;
  int64_t tokens = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const int64_t length = dataset.target.length(order[i]);
    const bool too_long = options.tokens > 0 && tokens + length > options.tokens;
    if (sentences > 0 && (sentences == options.sentences || too_long)) {
      offsets.push_back(static_cast<int64_t>(i));
      sentences = 0;
      tokens = 0;
    }
    ++sentences;
    tokens += length;
  }
  if (sentences > 0) offsets.push_back(static_cast<int64_t>(order.size()));
  return offsets;
}

/// The same batches in another order.
void shuffle_batches(uint64_t key, std::vector<int64_t>& order, std::vector<int64_t>& offsets) {
  const std::vector<int64_t> drawn =
      core::permutation(static_cast<int64_t>(offsets.size()) - 1, key);
  std::vector<int64_t> new_order;
  new_order.reserve(order.size());
  std::vector<int64_t> new_offsets = {0};
  for (const int64_t b : drawn) {
    const auto at = static_cast<size_t>(b);
    new_order.insert(new_order.end(), order.begin() + offsets[at], order.begin() + offsets[at + 1]);
    new_offsets.push_back(static_cast<int64_t>(new_order.size()));
  }
  order = std::move(new_order);
  offsets = std::move(new_offsets);
}

}  // namespace

Epoch::Epoch(const Dataset& dataset, const BatchOptions& options, uint64_t seed, int64_t epoch)
    : dataset_(&dataset) {
  check(options, epoch);
  const int64_t n = dataset.size();
  const uint64_t key = core::combine(core::combine(seed, core::hash_name("data.batches")),
                                     static_cast<uint64_t>(epoch));
  if (options.shuffle) {
    order_ = core::permutation(n, key);
  } else {
    order_.resize(static_cast<size_t>(n));
    std::iota(order_.begin(), order_.end(), int64_t{0});
  }
  if (options.bucket) {
    // A pool larger than the data set is the data set: no overflow for absurd settings.
    const int64_t sentences = std::min(options.sentences, std::max<int64_t>(n, 1));
    const int64_t pool = std::min(options.pool, std::max<int64_t>(n, 1));
    sort_within_pools(dataset, sentences * pool, order_);
  }
  offsets_ = cut(dataset, options, order_);
  if (options.bucket && options.shuffle)
    shuffle_batches(core::combine(key, core::hash_name("order of batches")), order_, offsets_);
}

std::span<const int64_t> Epoch::indices(int64_t i) const {
  if (i < 0 || i >= size())
    throw InvalidArgument("[batches] expected a batch in [0, " + std::to_string(size()) +
                          "), found " + std::to_string(i));
  const auto at = static_cast<size_t>(i);
  return std::span(order_).subspan(static_cast<size_t>(offsets_[at]),
                                   static_cast<size_t>(offsets_[at + 1] - offsets_[at]));
}

Batch Epoch::batch(int64_t i) const { return gather(*dataset_, indices(i)); }

Batch gather(const Dataset& dataset, std::span<const int64_t> indices) {
  const auto at = [&](int64_t i) { return indices[static_cast<size_t>(i)]; };
  return make_batch(
      static_cast<int64_t>(indices.size()), [&](int64_t i) { return dataset.source_ids(at(i)); },
      [&](int64_t i) { return dataset.target_ids(at(i)); });
}

}  // namespace attend::data
