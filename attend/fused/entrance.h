// How tokens enter the Transformer, its input embedding: m (sqrt(D) E[token] + position), m
// dropout's multiplier.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "attend/fused/linear.h"
#include "attend/fused/sentence_rows.h"

namespace attend::fused {

struct EntrancePlaces {
  WeightPlace embedding;               ///< (V, D)
  std::optional<WeightPlace> learned;  ///< (positions, D); longer sentences use the last
  bool tied = false;  ///< the embedding's gradient is added to, the output projection having set it
  uint32_t site = 0;
};

/// Rows 0 .. count - 1 of a table of positions, (count, D); none when empty.
template <class T>
using PositionRows = std::function<std::vector<T>(int64_t count)>;

template <class T>
class Entrance {
 public:
  Entrance() = default;
  explicit Entrance(const EntrancePlaces& places) : places_(places) {}

  struct Trace {
    T* rows;  ///< (N, D): what comes out
    const uint32_t* keys;
  };

  /// `fixed` (at least the longest sentence, D) or null: positions that are not learned.
  Trace forward(const Pass<T>& pass, const SentenceRows& rows, const T* fixed) const;

  /// d (N, D), which is written to.
  void backward(const Pass<T>& pass, const SentenceRows& rows, const Trace& trace, T* d) const;

 private:
  int64_t width() const { return places_.embedding.inputs; }
  T scale() const;
  int64_t learned_row(int64_t position) const {
    return position < places_.learned->outputs ? position : places_.learned->outputs - 1;
  }

  EntrancePlaces places_;
};

extern template class Entrance<float>;
extern template class Entrance<double>;

}  // namespace attend::fused
