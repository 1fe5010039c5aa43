// What can be said of an attention map in numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "attend/lessons/bilingual.h"
#include "attend/render/attention_map.h"

namespace attend::lessons {

/// Means over the queries of all maps that were added, each from 0 to 1.
class MapTraits {
 public:
  /// Throws InvalidArgument for a panel without queries or keys.
  void add(const render::MapPanel& panel);

  /// Largest weight of a query (Voita et al. 2019, 4, call it the head's confidence).
  double sharp() const { return mean(sharp_); }
  /// Weight on keys at most one from the straight line between the first query at the first key and
  /// the last query at the last key; in self-attention that is the query's own place.
  double diagonal() const { return mean(diagonal_); }
  /// Weight on the sentence's mark: the end mark, which is the last key, or in the decoder's
  /// self-attention the begin mark, which is the first.
  double mark() const { return mean(mark_); }
  int64_t queries() const { return queries_; }

 private:
  double mean(double sum) const { return queries_ > 0 ? sum / static_cast<double>(queries_) : 0.0; }
  double sharp_ = 0, diagonal_ = 0, mark_ = 0;
  int64_t queries_ = 0;
};

/// The panel with each query's weight spread equally over the keys it may see: what the traits of
/// a map have to be compared with.
render::MapPanel with_equal_weights(render::MapPanel panel);

/// Whether the weight lies near the diagonal more than equal weights would.
Bilingual diagonal_finding(const MapTraits& maps, const MapTraits& equal);

/// The key with the largest weight of each query, the first of equal ones.
std::vector<size_t> strongest_keys(const render::MapPanel& panel);

/// "rouge ← red": each query whose strongest key lies left of the one before it had.
std::vector<std::string> steps_back(const render::MapPanel& panel);

}  // namespace attend::lessons
