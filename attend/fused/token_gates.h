// W E[token] + b for each row of a batch, computed once for each distinct token: how tokens enter a
// recurrent layer.
#pragma once

#include <vector>

#include "attend/fused/linear.h"

namespace attend::fused {

/// The distinct ones of n tokens. Keeps memory from one use to the next.
class DistinctTokens {
 public:
  /// ids (n), each in [0, vocabulary).
  void find(const std::vector<int32_t>& ids, int64_t vocabulary);

  const std::vector<int32_t>& distinct() const { return distinct_; }
  int64_t count() const { return static_cast<int64_t>(distinct_.size()); }
  /// (n): where each token stands among the distinct ones.
  const std::vector<int32_t>& place() const { return place_; }
  int32_t id(int64_t i) const {
    return distinct_[static_cast<size_t>(place_[static_cast<size_t>(i)])];
  }

 private:
  std::vector<int32_t> distinct_, place_;
  std::vector<int32_t> seen_;  // by token: its place, or -1
};

template <class T>
class TokenGates {
 public:
  TokenGates() = default;
  /// `embedding` (V, E) and the layer over it; both offsets in the flat buffer.
  /// `tied`: the embeddings' gradient is added to.
  TokenGates(const WeightPlace& embedding, const Linear<T>& input, bool tied)
      : embedding_(embedding), input_(input), tied_(tied) {}

  int64_t vocabulary() const { return embedding_.outputs; }

  /// Computes the gates of every token, where the vocabulary is small, for passes that do not learn
  /// to copy from: until the parameters change.
  void tabulate(const Pass<T>& pass);

  /// gates (n, outputs). Returns the embeddings of the distinct tokens, (count, E), for backward;
  /// null from a table.
  const T* forward(const Pass<T>& pass, const DistinctTokens& tokens, Rows<T> gates) const;

  /// The same for one token a row, as decoding has them: without a search for equal ones.
  void step(const Pass<T>& pass, const int32_t* tokens, Rows<T> gates) const;

  /// From d_gates (n, outputs) to the gradients of the layer, which is set, and of the embeddings.
  void backward(const Pass<T>& pass, const DistinctTokens& tokens, const T* embedded,
                Rows<const T> d_gates) const;

 private:
  template <class Token>
  void look_up(const Token& token, Rows<T> gates) const;
  // The embeddings of n tokens, (n, E).
  Rows<T> embed(const Pass<T>& pass, const int32_t* tokens, int64_t n) const;

  WeightPlace embedding_;
  Linear<T> input_;
  bool tied_ = false;
  std::vector<T> table_;  // (V, outputs), or empty
};

extern template class TokenGates<float>;
extern template class TokenGates<double>;

}  // namespace attend::fused
