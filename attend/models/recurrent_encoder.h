// The encoder that both recurrent translators share: embedding, then a stack of recurrent layers
// that see real tokens only, one way or both ways.
#pragma once

#include "attend/data/batch.h"
#include "attend/layers/attention_decoder.h"
#include "attend/layers/embedding.h"
#include "attend/layers/state_bridge.h"
#include "attend/models/config.h"

namespace attend {

class RecurrentEncoder {
 public:
  RecurrentEncoder() = default;
  /// Registers embedding and the layers, under the name of their cell; when bidirectional also
  /// bridge.
  RecurrentEncoder(const ParameterScope& scope, const ModelConfig& config);

  /// rows (N, width()) are the top layer's states; final, one a layer, is in the batch's order.
  /// `first_rows`: where each sentence's rows begin in the whole batch (dropout's counter).
  EncoderOutputs forward(const data::PackedIds& source, const std::vector<int64_t>& first_rows,
                         const ops::DropoutState& dropout) const;

  int64_t width() const { return layers_.width(); }

 private:
  Embedding embedding_;
  Recurrent layers_;
  StateBridge bridge_;
  bool bidirectional_ = false;
};

}  // namespace attend
