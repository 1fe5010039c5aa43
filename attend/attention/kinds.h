// The names by which configurations choose a mechanism. No LibTorch.
#pragma once

#include "attend/ops/normaliser_kind.h"  // Normaliser

namespace attend {

/// score(query, key), the first of the three steps of every mechanism.
enum class ScoreKind {
  kAdditive,   ///< w^T tanh(W_q q + W_k k); Bahdanau et al. 2015, A.1.2
  kDot,        ///< q . k; Luong et al. 2015, 3.1
  kScaledDot,  ///< q . k / sqrt(D); Vaswani et al. 2017, 3.2.1
  kBilinear,   ///< q^T W k; Luong et al. 2015, 3.1, "general"
  kCosine,     ///< q . k / (|q| |k|) times a learned scale; Graves et al. 2014, 3.3.1
  kGaussian,   ///< -|w (q - k)|^2 / 2 with a learned w; Nadaraya 1964, Watson 1964
};

/// A kernel K(u), u = |width (q - k)|. All but the first reach no further than u = 1.
enum class KernelKind {
  kGaussian,      ///< exp(-u^2 / 2)
  kBoxcar,        ///< 1 where u < 1
  kEpanechnikov,  ///< max(1 - u^2, 0)
  kTriangular,    ///< max(1 - u, 0)
  kCosine,        ///< cos(pi u / 2) where u < 1
};

/// How a Transformer knows where a token stands.
enum class PositionKind {
  kSinusoidal,  ///< added to the embeddings; Vaswani et al. 2017, 3.5
  kLearned,     ///< the same with a learned table
  kNone,        ///< not at all
  kRotary,      ///< turns queries and keys; Su et al. 2021, 3.2
  kAlibi,       ///< a slope a head times the distance, on the scores; Press et al. 2022, 3
  kRelative,    ///< learned vectors for clipped distances; Shaw et al. 2018, 3.2
  kT5,          ///< a learned number for each bucket of distances and head; Raffel et al. 2020, 2.1
};

}  // namespace attend
