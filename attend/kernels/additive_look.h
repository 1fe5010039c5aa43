// Additive attention of one query a sentence over a memory (Bahdanau et al. 2015, A.1.2), forward
// and backward: a step of a recurrent decoder.
//
//   f_s = tanh(q + k_s)   e_s = v . f_s   w = softmax(e)   c = sum_s w_s m_s value_s
//
// over the cells s that are not hidden; m is dropout's multiplier. The memory is a rectangle, or
// packed: sentence after sentence without padding.
#pragma once

#include <cstdint>

namespace attend::kernels {

template <class T>
struct AdditiveLookRows {
  const T* query;                        ///< (n, A)
  const T* keys;                         ///< (n, S, A)
  const T* values;                       ///< (n, S, M)
  const T* score;                        ///< (A): v
  const bool* hidden;                    ///< (n, S), or null: nothing is
  const T* multiplier;                   ///< (n, S), or null: 1
  int64_t n, sources, features, memory;  ///< n, S, A, M
  /// Null: row b's cells are b S .. b S + S - 1 of keys and values. Else (n) its first cell and how
  /// many there are, at most S; what is (n, S) here and below keeps that shape.
  const int64_t* begins = nullptr;
  const int64_t* lengths = nullptr;

  int64_t begin(int64_t b) const { return begins == nullptr ? b * sources : begins[b]; }
  int64_t length(int64_t b) const { return lengths == nullptr ? sources : lengths[b]; }
};

/// Fills weights w (n, S), look w m (n, S), as far as a row's cells go, and context (n, M). A row
/// that sees nothing gets zeros; what is hidden reaches nothing, NaN neither.
template <class T>
struct AdditiveLookOutput {
  T* weights;
  T* look;
  T* context;
};
void additive_look_forward(const AdditiveLookRows<float>& p, const AdditiveLookOutput<float>& out);
void additive_look_forward(const AdditiveLookRows<double>& p,
                           const AdditiveLookOutput<double>& out);

/// From the gradient of the context. The features are made again: of all steps they are too many to
/// keep.
template <class T>
struct AdditiveLookGradients {
  const T* d_context;  ///< (n, M)
  const T* weights;    ///< (n, S), as forward left them
  const T* look;       ///< (n, S)
  T* d_scores;         ///< (n, S): scratch
  T* d_query;          ///< (n, A): written
  T* d_keys;           ///< (n, S, A): added to
  T* d_values;         ///< (n, S, M): added to
  T* d_score;          ///< (A): added to
};
void additive_look_backward(const AdditiveLookRows<float>& p,
                            const AdditiveLookGradients<float>& out);
void additive_look_backward(const AdditiveLookRows<double>& p,
                            const AdditiveLookGradients<double>& out);

}  // namespace attend::kernels
