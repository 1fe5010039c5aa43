#include "attend/ops/mask_form.h"

#include <ATen/ops/empty.h>

#include <cstring>
#include <optional>

namespace attend::ops::detail {
namespace {

// Whether all `count` pieces of `size` bytes are the first once more.
bool repeats(const bool* from, int64_t count, int64_t size) {
  for (int64_t n = 1; n < count; ++n)
    if (std::memcmp(from, from + n * size, static_cast<size_t>(size)) != 0) return false;
  return true;
}

// `x` with its dimension narrowed to 1 where it only repeats along it.
at::Tensor without_repeats(const at::Tensor& x, int64_t dimension) {
  const int64_t count = x.size(dimension), size = x.stride(dimension);
  if (count == 1) return x;
  const int64_t outer = x.numel() / (count * size);
  for (int64_t n = 0; n < outer; ++n)
    if (!repeats(x.const_data_ptr<bool>() + n * count * size, count, size)) return x;
  return x.narrow(dimension, 0, 1).contiguous();
}

// How many keys a row sees, if they are the first ones.
std::optional<int64_t> prefix(const bool* hidden, int64_t keys) {
  const auto* bytes = reinterpret_cast<const char*>(hidden);
  const void* first = std::memchr(bytes, 1, static_cast<size_t>(keys));
  if (first == nullptr) return keys;
  const int64_t length = static_cast<const char*>(first) - bytes;
  if (std::memchr(first, 0, static_cast<size_t>(keys - length)) != nullptr) return std::nullopt;
  return length;
}

// (B or 1, 1 or Tq) if each row sees a prefix, else undefined.
at::Tensor prefixes(const at::Tensor& hidden) {
  const int64_t rows = hidden.size(0) * hidden.size(2), keys = hidden.size(3);
  at::Tensor lengths = at::empty({hidden.size(0), hidden.size(2)}, at::kLong);
  for (int64_t n = 0; n < rows; ++n) {
    const auto length = prefix(hidden.const_data_ptr<bool>() + n * keys, keys);
    if (!length) return {};
    lengths.mutable_data_ptr<int64_t>()[n] = *length;
  }
  return lengths;
}

std::vector<int32_t> seen_keys(const bool* hidden, int64_t keys) {
  std::vector<int32_t> seen;
  seen.reserve(static_cast<size_t>(keys));
  for (int64_t j = 0; j < keys; ++j)
    if (!hidden[j]) seen.push_back(static_cast<int32_t>(j));
  return seen;
}

}  // namespace

HiddenForm form_of(const at::Tensor& hidden, int64_t batch) {
  if (!hidden.device().is_cpu() || hidden.numel() == 0) return {{}, {}, hidden};
  const at::Tensor x = without_repeats(without_repeats(hidden.contiguous(), 2), 1);
  if (x.size(1) != 1) return {{}, {}, x};
  if (const at::Tensor lengths = prefixes(x); lengths.defined())
    return {lengths.expand({batch, lengths.size(1)}).contiguous(), {}, {}};
  if (x.size(2) != 1) return {{}, {}, x};
  HiddenForm form;
  for (int64_t b = 0; b < batch; ++b) {
    const int64_t row = x.size(0) == 1 ? 0 : b;
    form.seen.push_back(seen_keys(x.const_data_ptr<bool>() + row * x.size(3), x.size(3)));
  }
  return form;
}

}  // namespace attend::ops::detail
