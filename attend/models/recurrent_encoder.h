// The encoder that both recurrent translators share: embedding, then a stack of one-way GRU layers
// that see real tokens only.
#pragma once

#include "attend/data/batch.h"
#include "attend/layers/embedding.h"
#include "attend/layers/gru.h"
#include "attend/models/config.h"

namespace attend {

class RecurrentEncoder {
 public:
  RecurrentEncoder() = default;
  RecurrentEncoder(const ParameterScope& scope, const ModelConfig& config);

  struct Output {
    at::Tensor rows;                ///< (N, H), sentence-major: the top layer's states
    std::vector<at::Tensor> final;  ///< one (B, H) a layer, in the batch's order
  };

  /// `first_rows`: where each sentence's rows begin in the whole batch (dropout's counter).
  Output forward(const data::PackedIds& source, const std::vector<int64_t>& first_rows,
                 const ops::DropoutState& dropout) const;

 private:
  Embedding embedding_;
  Gru gru_;
};

}  // namespace attend
