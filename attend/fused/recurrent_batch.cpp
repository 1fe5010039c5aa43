#include "attend/fused/recurrent_batch.h"

namespace attend::fused {

void read_rows(const data::PackedIds& sentences, int64_t vocabulary, std::vector<int32_t>& ids,
               TokenRows& rows) {
  lay_out(sentences.offsets, rows.layout);
  ids.clear();
  for (const int64_t row : rows.layout.packed_row)
    ids.push_back(sentences.ids[static_cast<size_t>(row)]);
  rows.tokens.find(ids, vocabulary);
}

void RecurrentBatch::read(const data::Batch& batch, int64_t source_vocabulary,
                          int64_t target_vocabulary, int32_t begin_id) {
  read_rows(batch.source, source_vocabulary, ids_, source);
  source.number(batch.source_rows);

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
