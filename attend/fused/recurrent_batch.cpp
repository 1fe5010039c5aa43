#include "attend/fused/recurrent_batch.h"

namespace attend::fused {

void RecurrentBatch::read(const data::Batch& batch, int64_t source_vocabulary,
                          int64_t target_vocabulary, int32_t begin_id) {
  lay_out(batch.source.offsets, source.layout);
  source.number(batch.source_rows);
  ids_.clear();
  for (const int64_t row : source.layout.packed_row)
    ids_.push_back(batch.source.ids[static_cast<size_t>(row)]);
  source.tokens.find(ids_, source_vocabulary);

  lay_out(batch.target.offsets, target.layout);
  target.number(batch.target_rows);
  ids_.clear();
  targets.clear();
  const int64_t first_step = target.layout.live.empty() ? 0 : target.layout.live.front();
  for (const int64_t row : target.layout.packed_row) {
    const bool first = static_cast<int64_t>(ids_.size()) < first_step;
    ids_.push_back(first ? begin_id : batch.target.ids[static_cast<size_t>(row - 1)]);
    targets.push_back(batch.target.ids[static_cast<size_t>(row)]);
  }
  target.tokens.find(ids_, target_vocabulary);
}

}  // namespace attend::fused
