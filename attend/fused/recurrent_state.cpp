#include "attend/fused/recurrent_state.h"

#include <algorithm>

#include "attend/fused/recurrent_batch.h"

namespace attend::fused {

GruStack<float>::Trace encode(const Pass<float>& pass, const GruStack<float>& encoder,
                              const data::PackedIds& source, TokenRows& rows,
                              RecurrentState& state) {
  std::vector<int32_t> ids;
  read_rows(source, encoder.vocabulary(), ids, rows);
  const int64_t count = source.size(), width = encoder.width();
  std::vector<float*> last;
  for (size_t l = 0; l < encoder.layers(); ++l) last.push_back(pass.zeros(count, width));
  GruStack<float>::Trace trace = encoder.forward(pass, rows, last, nullptr);
  state.count = count;
  state.width = width;
  for (const float* layer : last) {
    std::vector<float>& own = state.layers.emplace_back(static_cast<size_t>(count * width));
    for (int64_t b = 0; b < count; ++b)
      std::copy_n(layer + rows.layout.place[static_cast<size_t>(b)] * width, width,
                  own.data() + b * width);
  }
  return trace;
}

}  // namespace attend::fused
