// Sinusoidal positions (Vaswani et al. 2017, section 3.5). Five tables are in use among toolkits;
// the options name what sets them apart.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace attend {

struct SinusoidalOptions {
  enum class Layout {
    kInterleaved,  ///< column 2i a sine, 2i + 1 a cosine: the paper, the chapter, JoeyNMT,
                   ///< OpenNMT-py
    kHalves,       ///< sines in the first half, cosines in the second: Sockeye, HF Marian, fairseq
  };
  enum class Exponent {
    kWidth,         ///< frequency 10000^(-2i / D): the paper
    kHalfMinusOne,  ///< 10000^(-i / (D/2 - 1)): Tensor2Tensor, Marian, fairseq
  };
  Layout layout = Layout::kInterleaved;
  Exponent exponent = Exponent::kWidth;
  int64_t offset = 0;  ///< the number of the first position: fairseq padding id + 1, CTranslate2 1
};

/// Rows first .. first + count - 1 of the table, (count, width), computed in double. Any width >=
/// 1: where it is odd, interleaved ends with a sine and halves with a zero column. Throws
/// InvalidArgument for sizes below these.
at::Tensor sinusoidal_positions(int64_t first, int64_t count, int64_t width,
                                const SinusoidalOptions& options,
                                at::ScalarType dtype = at::kFloat);

/// The table with its first rows computed once; rows beyond them are computed when asked for. Const
/// and safe from many threads.
class PositionTable {
 public:
  PositionTable() = default;
  PositionTable(int64_t width, const SinusoidalOptions& options, const at::TensorOptions& tensor);
  /// Rows first .. first + count - 1, (count, width). Errors as above.
  at::Tensor rows(int64_t first, int64_t count) const;

 private:
  int64_t width_ = 0;
  SinusoidalOptions options_;
  at::Tensor table_;
};

}  // namespace attend
