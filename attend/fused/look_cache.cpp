#include "attend/fused/look_cache.h"

#include <algorithm>
#include <numeric>

#include "attend/fused/look_attention.h"

namespace attend::fused {

LookCache::LookCache(int64_t layers, int64_t sentences, int64_t features)
    : layers_(layers), features_(features), slots_(static_cast<size_t>(sentences)) {
  std::iota(slots_.begin(), slots_.end(), int64_t{0});
}

LookCache::LookCache(const LookCache& other)
    : layers_(other.layers_), features_(other.features_), tokens_(other.tokens_) {
  slots_ = other.slots_;
  slot_count_ = other.slot_count_;
  capacity_ = other.capacity_;
  const int64_t size = layers_ * slot_count_ * 2 * capacity_ * features_;
  memory_ = std::make_unique_for_overwrite<float[]>(static_cast<size_t>(size));
  std::copy_n(other.memory_.get(), size, memory_.get());
}

void LookCache::rebuild(int64_t capacity) {
  const auto count = static_cast<int64_t>(slots_.size());
  auto memory = std::make_unique_for_overwrite<float[]>(
      static_cast<size_t>(layers_ * count * 2 * capacity * features_));
  for (int64_t l = 0; l < layers_; ++l)
    for (int64_t row = 0; row < count; ++row) {
      if (tokens_ == 0) continue;
      const float* from = place(l, slots_[static_cast<size_t>(row)]);
      float* to = memory.get() + (l * count + row) * 2 * capacity * features_;
      std::copy_n(from, kernels::look_keys(tokens_) * features_, to);
      std::copy_n(from + capacity_ * features_, tokens_ * features_, to + capacity * features_);
    }
  memory_ = std::move(memory);
  capacity_ = capacity;
  slot_count_ = count;
  std::iota(slots_.begin(), slots_.end(), int64_t{0});
}

void LookCache::reorder(const std::vector<int64_t>& rows) {
  std::vector<int64_t> slots;
  for (const int64_t row : rows) slots.push_back(slots_[static_cast<size_t>(row)]);
  slots_ = std::move(slots);
  std::vector<int64_t> sorted = slots_;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) rebuild(capacity_);
}

void LookCache::grow() {
  if (tokens_ == capacity_) rebuild(std::max(2 * capacity_, kernels::kLookBlock));
  ++tokens_;
}

kernels::LookMemory LookCache::put(int64_t layer, int64_t row, const float* key,
                                   const float* value) {
  float* keys = place(layer, slots_[static_cast<size_t>(row)]);
  float* values = keys + capacity_ * features_;
  put_key(key, features_, tokens_ - 1, keys);
  std::copy_n(value, features_, values + (tokens_ - 1) * features_);
  return {keys, values, features_, tokens_};
}

}  // namespace attend::fused
