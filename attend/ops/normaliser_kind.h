// How scores become weights. No LibTorch.
#pragma once

namespace attend {

/// From scores to weights, the second step of every mechanism.
enum class Normaliser {
  kSoftmax,
  kSparsemax,  ///< the nearest point of the simplex: exact zeros; Martins & Astudillo 2016
  kNone,       ///< the scores themselves, 0 where hidden
};

}  // namespace attend
