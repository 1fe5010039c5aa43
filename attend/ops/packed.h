// Layouts of packed rows. A batch of B sequences lies in one (N, D) tensor, N = all real tokens:
//   sentence-major: sequence after sequence, the order of data::PackedIds;
//   time-major: step after step, step t holding the sequences longer than t, longest first, as
//   recurrent layers want them.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "attend/fused/time_major.h"

namespace attend::ops {

/// A sentence-major layout, with the index tensors that pad it to a rectangle and back.
struct PackedLayout {
  std::vector<int64_t> offsets;  ///< B + 1
  int64_t longest = 0;           ///< T
  bool even = false;             ///< all sequences have length T: padding is a view
  at::Tensor cell_of_row;        ///< (N) int64: the row's cell in the (B * T) rectangle
  at::Tensor real;               ///< (B, T) bool: true where a token is

  int64_t size() const { return static_cast<int64_t>(offsets.size()) - 1; }
  int64_t rows() const { return offsets.back(); }
  int64_t first_row(int64_t b) const { return offsets[static_cast<size_t>(b)]; }
  int64_t length(int64_t b) const { return first_row(b + 1) - first_row(b); }
};

/// Throws InvalidArgument when offsets do not begin at 0 or fall.
PackedLayout packed_layout(std::vector<int64_t> offsets, at::Device device);

/// (N, D) -> (B, T, D), zeros beyond each sequence's end. Differentiable.
at::Tensor pad(const at::Tensor& rows, const PackedLayout& layout);

/// (B, T, D) -> (N, D). Differentiable.
at::Tensor unpad(const at::Tensor& padded, const PackedLayout& layout);

/// A time-major layout of the same sequences, with its indices as tensors.
struct TimeMajor : fused::TimeMajor {
  at::Tensor live_tensor;   ///< `live` as int64 on the CPU, what at::gru calls batch_sizes
  at::Tensor from_packed;   ///< (N): time-major row -> sentence-major row
  at::Tensor to_packed;     ///< (N): sentence-major row -> time-major row
  at::Tensor rank;          ///< (B): where each sequence stands in `order`
  at::Tensor order_tensor;  ///< `order` as a tensor
};

/// Throws InvalidArgument when offsets do not begin at 0 or fall.
TimeMajor time_major(const std::vector<int64_t>& offsets, at::Device device);

/// (N): for the row of token t of a sequence of length n, the row of its token n - 1 - t, both
/// time-major. Selecting by it turns each sequence round, and selecting once more turns it back.
at::Tensor reversed_rows(const TimeMajor& layout);

/// Row numbers for dropout's counter: first[b] + t for each real token, sentence-major. Throws
/// InvalidArgument unless there is one first row a sentence.
std::vector<int64_t> row_numbers(const std::vector<int64_t>& offsets,
                                 const std::vector<int64_t>& first);

/// The same numbers, in time-major order.
std::vector<int64_t> row_numbers(const TimeMajor& layout, const std::vector<int64_t>& first);

/// int64 values on `device`.
at::Tensor index_tensor(const std::vector<int64_t>& values, at::Device device);

/// Token ids on `device`, int64, as at::embedding wants them.
at::Tensor id_tensor(const std::vector<int32_t>& ids, at::Device device);

}  // namespace attend::ops
