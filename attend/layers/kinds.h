// The names by which configurations choose a layer. No LibTorch.
#pragma once

namespace attend {

enum class CellKind {
  kRnn,   ///< tanh(W x + U h + b); Elman 1990
  kLstm,  ///< Hochreiter & Schmidhuber 1997, with a forget gate (Gers et al. 2000)
  kGru,   ///< Cho et al. 2014, the reset gate after the product, as cuDNN and PyTorch
};

enum class Activation {
  kRelu,
  kGelu,    ///< x Phi(x), exact; Hendrycks & Gimpel 2016
  kSwiglu,  ///< (x W swish) * (x V); Shazeer 2020, eq. 6
};

enum class NormKind {
  kLayer,  ///< Ba et al. 2016
  kRms,    ///< Zhang & Sennrich 2019
};

/// How the Transformer's embeddings E begin, which enter it as sqrt(D) E + positions; positions
/// have elements of about 1.
enum class EmbeddingInit {
  kScaled,   ///< N(0, 1/D), so that they enter as N(0, 1): Tensor2Tensor, fairseq
  kChapter,  ///< N(0, 1), entering as N(0, D): the book's, which drowns the positions as D grows
  kXavier,   ///< uniform, +-sqrt(6 / (V + D)): Glorot's rule for every matrix
};

}  // namespace attend
