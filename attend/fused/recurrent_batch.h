// A batch as the recurrent translators read it: both sides time-major.
#pragma once

#include "attend/data/batch.h"
#include "attend/fused/gru_stack.h"

namespace attend::fused {

/// Lays out sentences as a stack reads them; without row numbers. `ids` is scratch.
void read_rows(const data::PackedIds& sentences, int64_t vocabulary, std::vector<int32_t>& ids,
               TokenRows& rows);

/// Keeps its memory from batch to batch.
struct RecurrentBatch {
  TokenRows source;
  TokenRows target;              ///< what the decoder reads: the begin mark, then all but the last
  std::vector<int32_t> targets;  ///< what it predicts, time-major

  void read(const data::Batch& batch, int64_t source_vocabulary, int64_t target_vocabulary,
            int32_t begin_id);

 private:
  std::vector<int32_t> ids_;
};

/// From (B, width) in one layout's order to another's of the same sentences.
template <class T>
void reorder_rows(const TimeMajor& from, const TimeMajor& to, const T* x, T* y, int64_t width) {
  for (int64_t i = 0; i < to.size(); ++i) {
    const int64_t sentence = to.order[static_cast<size_t>(i)];
    const T* row = x + from.place[static_cast<size_t>(sentence)] * width;
    for (int64_t j = 0; j < width; ++j) y[i * width + j] = row[j];
  }
}

}  // namespace attend::fused
