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

}  // namespace attend
