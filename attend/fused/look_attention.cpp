#include "attend/fused/look_attention.h"

#include <algorithm>
#include <cmath>

namespace attend::fused {
namespace {

// Queries of a sentence that look at once: more would want more memory for their weights.
constexpr int64_t kQueries = 16;

}  // namespace

LookAttention::LookAttention(const AttentionPlaces& places, Panels<float>& panels)
    : own_(places.cross ? std::vector{places.query}
                        : std::vector{places.query, places.key, places.value},
           panels),
      output_(places.output.weight, places.output.bias, panels),
      heads_(places.heads) {
  if (places.cross) memory_ = Projections<float>({places.key, places.value}, panels);
}

Rows<float> LookAttention::project(const Pass<float>& pass, Rows<const float> x) const {
  const Rows<float> own(pass.take(x.count, own_.outputs()), x.count, own_.outputs());
  own_.forward(pass, x, own);
  return own;
}

const float* LookAttention::attend(const Pass<float>& pass, Rows<const float> queries,
                                   const kernels::LookMemory* memory, int64_t longest,
                                   float* out) const {
  const int64_t n = queries.count, stride = kernels::look_keys(longest), head = width() / heads_;
  float* weights = pass.take(n, heads_ * stride);
  kernels::attention_look(kernels::AttentionLookRows{
      queries.data, queries.stride, memory, n, heads_, head,
      static_cast<float>(1.0 / std::sqrt(static_cast<double>(head))), weights, stride, out});
  return weights;
}

const float* LookAttention::look(const Pass<float>& pass, Rows<const float> queries,
                                 const kernels::LookMemory* memory, int64_t longest,
                                 Rows<float> y) const {
  const Rows<float> seen(pass.take(queries.count, width()), queries.count, width());
  const float* weights = attend(pass, queries, memory, longest, seen.data);
  output_.forward(pass, seen, y);
  return weights;
}

void LookAttention::among(const Pass<float>& pass, const std::vector<int64_t>& offsets,
                          int64_t longest, Rows<const float> x, Rows<float> y,
                          float* weights) const {
  const int64_t d = width();
  const Rows<float> own = project(pass, x), seen(pass.take(x.count, d), x.count, d);
  float* keys = pass.take(kernels::look_keys(longest), d);
  for (size_t b = 0; b + 1 < offsets.size(); ++b) {
    const int64_t first = offsets[b], length = offsets[b + 1] - first;
    for (int64_t t = 0; t < length; ++t) put_key(own.row(first + t) + d, d, t, keys);
    kernels::LookMemory memory[kQueries];
    std::fill_n(memory, kQueries,
                kernels::LookMemory{keys, own.row(first) + 2 * d, own.stride, length});
    for (int64_t t = 0; t < length; t += kQueries) {
      const Workspace::Scope scope(pass.work);
      const int64_t n = std::min(kQueries, length - t), stride = kernels::look_keys(length);
      const float* w = attend(pass, Rows<const float>(own.row(first + t), n, d, own.stride), memory,
                              length, seen.row(first + t));
      if (weights == nullptr) continue;
      for (int64_t i = 0; i < n; ++i)
        for (int64_t h = 0; h < heads_; ++h)
          std::copy_n(
              w + (i * heads_ + h) * stride, length,
              weights + ((static_cast<int64_t>(b) * heads_ + h) * longest + t + i) * longest);
    }
  }
  output_.forward(pass, seen, y);
}

}  // namespace attend::fused
