// Sequences step by step: step t holds token t of all sequences longer than t, longest first, as
// recurrent layers want them.
#pragma once

#include <cstdint>
#include <vector>

namespace attend::fused {

struct TimeMajor {
  std::vector<int64_t> order;       ///< B: sequences by falling length (stable)
  std::vector<int64_t> place;       ///< B: where each sequence stands in `order`
  std::vector<int64_t> live;        ///< [t]: how many sequences are longer than t
  std::vector<int64_t> starts;      ///< steps + 1: the first row of each step
  std::vector<int64_t> packed_row;  ///< N: time-major row -> sentence-major row
  std::vector<int64_t> step_row;    ///< N: sentence-major row -> time-major row
  bool sorted = false;              ///< `order` is 0, 1, 2, ...

  int64_t size() const { return static_cast<int64_t>(order.size()); }
  int64_t steps() const { return static_cast<int64_t>(live.size()); }
  int64_t rows() const { return starts.back(); }
};

/// `offsets` (B + 1) begin at 0 and never fall. Fills `layout`, keeping its memory.
void lay_out(const std::vector<int64_t>& offsets, TimeMajor& layout);

/// first[b] + t for the row of token t of sequence b: dropout's row numbers, time-major.
void number_rows(const TimeMajor& layout, const std::vector<int64_t>& first,
                 std::vector<int64_t>& numbers);

}  // namespace attend::fused
