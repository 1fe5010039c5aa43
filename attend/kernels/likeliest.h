// The likeliest column of each row of logits, and what softmax divides by, a block of columns at a
// time: decoding needs no more than these of a vocabulary.
#pragma once

#include <cstdint>
#include <limits>

namespace attend::kernels {

/// What is known of a row so far.
struct Likeliest {
  float greatest = -std::numeric_limits<float>::infinity();
  double sum = 0;      ///< of exp(logit - greatest); NaN once a logit was
  int32_t column = 0;  ///< where the greatest stands, the first of equal ones
};

/// A block of columns more, of which the first is number `first`.
struct LikeliestRows {
  const float* logits;  ///< (rows, columns)
  int64_t stride;       ///< from row to row
  int64_t rows, columns, first;
  Likeliest* found;  ///< (rows): moves on
};
void likeliest(const LikeliestRows& p);

}  // namespace attend::kernels
