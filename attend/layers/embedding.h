// A row of a table for each token.
#pragma once

#include "attend/ops/parameter_store.h"

namespace attend {

class Embedding {
 public:
  struct Options {
    int64_t vocabulary = 0;
    int64_t width = 0;
    Init init = Init::kNormal;
  };

  Embedding() = default;
  /// Registers `weight` (vocabulary, width).
  Embedding(const ParameterScope& scope, const Options& options);

  /// ids (N) int64, each in [0, vocabulary) -> (N, width)
  at::Tensor operator()(const at::Tensor& ids) const;

  const at::Tensor& weight() const { return *weight_; }

 private:
  Parameter weight_;
};

}  // namespace attend
