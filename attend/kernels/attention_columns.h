// The element-wise part of attention on a block of scores that lies key by key, a query a column:
// then a query's shift, sum and limits are lanes of a vector, and nothing is summed across one.
// What attention.h is made of.
#pragma once

#include <cstdint>

namespace attend::kernels {

/// Scores s (keys, stride) of `columns` queries, in units of log 2; row i is key first_key + i.
/// Columns and stride are a multiple of kAttentionColumns, so that all vectors are whole; at most
/// 32 columns.
template <class T>
struct ScoreColumns {
  T* scores;
  int64_t stride, columns;
  int64_t first_key, keys;
  /// Bit c of hidden[i] is set where query c does not see row i, (keys); null: all see all.
  const uint32_t* hidden;
  /// Added to the scores, (keys, stride); or null.
  const T* bias;
  /// Added to them too: by_distance[c - p] for query column c and a key at position p (it points
  /// behind the distances below 0); or null.
  const T* by_distance;
  /// Dropout: query c keeps what core::dropout_keeps(row_keys[c], p, threshold); null: all.
  const uint32_t* row_keys;
  uint32_t threshold;
  /// Where each row's key stands, (keys); null: row i at first_key + i.
  const int32_t* positions = nullptr;

  int64_t position(int64_t i) const { return positions != nullptr ? positions[i] : first_key + i; }
};

/// Widths of blocks are multiples of this many numbers.
template <class T>
inline constexpr int64_t kAttentionColumns = 64 / sizeof(T);

/// What pack_hidden() reads, up to 32 rows of which `columns` bytes each say who is hidden (not 0).
struct HiddenRows {
  const bool* hidden;
  int64_t stride;  ///< from row to row
  int64_t rows, columns;
};

/// Bit j % 32 of words[32 (j / 32) + i] = hidden[i][j], for i < rows, j < columns; bits beyond the
/// columns are 0, words beyond the rows are left alone.
void pack_hidden(const HiddenRows& p, uint32_t* words);

/// Turns 32 words of 32 bits: bit i of words[j] becomes bit j of words[i].
void transpose_bits(uint32_t* words);

/// One block more of an online softmax: moves shift (columns), the greatest score so far (-infinity
/// at first), and sum (columns), of 2^(s - shift), on; overwrites scores by 2^(s - shift) where not
/// hidden or dropped, else 0; correction (columns) is what 2^(s - the old shift) is to be
/// multiplied by.
void attention_weigh(const ScoreColumns<float>& p, float* shift, float* sum, float* correction);
void attention_weigh(const ScoreColumns<double>& p, double* shift, double* sum, double* correction);

/// The same weights again from the final shift; those before dropout if the row keys are null.
void attention_weigh_again(const ScoreColumns<float>& p, const float* shift);
void attention_weigh_again(const ScoreColumns<double>& p, const double* shift);

/// Overwrites scores by w' = 2^(s - shift) as far as kept, and d (keys, stride), the gradient of
/// w', by that of the scores: w (d - mean), w before dropout, mean (columns).
void attention_take_back(const ScoreColumns<float>& p, const float* shift, const float* mean,
                         float* d);
void attention_take_back(const ScoreColumns<double>& p, const double* shift, const double* mean,
                         double* d);

/// x (rows, stride): column c times factor[c].
void multiply_columns(float* x, int64_t rows, int64_t stride, int64_t columns, const float* factor);
void multiply_columns(double* x, int64_t rows, int64_t stride, int64_t columns,
                      const double* factor);

/// by_distance[c - j] += x[j - first_key][c] for the block's `rows` queries: the gradient of
/// ScoreColumns::by_distance.
void add_by_distance(const ScoreColumns<float>& p, const float* x, int64_t rows,
                     float* by_distance);
void add_by_distance(const ScoreColumns<double>& p, const double* x, int64_t rows,
                     double* by_distance);

}  // namespace attend::kernels
