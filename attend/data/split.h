// Holding pairs out by their source side, so that no held-out sentence has been seen in training
// with another translation.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "attend/data/corpus.h"

namespace attend::data {

/// Two source sentences are one when their keys are equal: Pipeline::clean, say, or the words
/// themselves.
using SourceKey = std::function<std::string(std::string_view)>;

struct Split {
  std::vector<Pair> train;  ///< both in the order of the input
  std::vector<Pair> held_out;
};

/// Holds out `share` (in [0, 1)) of the distinct sources, rounded to nearest, with all their pairs;
/// which ones hangs on (pairs, seed) alone. When share > 0 and there are two sources or more,
/// neither part is empty. Throws InvalidArgument for a share out of range.
Split split_by_source(std::vector<Pair> pairs, double share, uint64_t seed,
                      const SourceKey& key = {});

/// The pairs of `pairs` whose source is none of `seen`: a clean test set from another file.
std::vector<Pair> unseen(const std::vector<Pair>& pairs, const std::vector<Pair>& seen,
                         const SourceKey& key = {});

}  // namespace attend::data
