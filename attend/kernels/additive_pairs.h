// Additive scores of all pairs (Bahdanau et al. 2015, A.1.2), forward and backward:
//
//   s_ij = sum_a w_a tanh(q_ia + k_ja)
//
// Since tanh(q + k) = 1 - 2 / (1 + e^2q e^2k), exponentials are taken of queries and keys alone; a
// pair costs a product and a reciprocal for each feature.
#pragma once

#include <cstdint>

namespace attend::kernels {

/// Beyond this much of a feature on one side, tanh(q + k) is +-1 wherever the other side stays
/// within kAdditiveReach: clamping there changes nothing. The exponentials' product is finite.
template <class T>
inline constexpr T kAdditiveReach = sizeof(T) == 4 ? 17 : 160;
template <class T>
inline constexpr T kAdditiveClamp = sizeof(T) == 4 ? 26 : 180;

/// The greatest |x| of n numbers, 0 for none; NaN if one of them is.
float greatest_magnitude(const float* x, int64_t n);
double greatest_magnitude(const double* x, int64_t n);

/// x = e^(2 x), x clamped to +-kAdditiveClamp, in place.
void additive_exponentials(float* x, int64_t n);
void additive_exponentials(double* x, int64_t n);

/// Numbers in a row of keys_t: Tk rounded up to whole vectors of any instruction set.
template <class T>
constexpr int64_t additive_stride(int64_t keys) {
  constexpr int64_t kStep = 64 / sizeof(T);
  return (keys + kStep - 1) / kStep * kStep;
}

template <class T>
struct AdditivePairs {
  const T* queries;  ///< (Tq, A): e^2q
  const T* keys_t;   ///< (A, stride): e^2k of feature a, finite up to the stride
  const T* score;    ///< (A): w
  int64_t query_count, key_count, features;  ///< Tq, Tk, A
  int64_t stride;                            ///< additive_stride(Tk)
};

/// Fills scores (Tq, Tk).
void additive_pairs_forward(const AdditivePairs<float>& p, float* scores);
void additive_pairs_forward(const AdditivePairs<double>& p, double* scores);

template <class T>
struct AdditivePairGradients {
  const T* d_scores;  ///< (Tq, Tk)
  T* d_queries;       ///< (Tq, A): written
  T* d_keys_t;        ///< (A, stride): written
  T* d_score;         ///< (A): added to
};
void additive_pairs_backward(const AdditivePairs<float>& p, const AdditivePairGradients<float>& g);
void additive_pairs_backward(const AdditivePairs<double>& p,
                             const AdditivePairGradients<double>& g);

}  // namespace attend::kernels
