// The heads of a model by name, and the model without some of them: Michel, Levy, Neubig 2019, "Are
// Sixteen Heads Really Better than One?", 2.3; Voita et al. 2019, "Analyzing Multi-Head
// Self-Attention", 5.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "attend/models/seq2seq.h"

namespace attend {

/// "cross", "encoder-self", "decoder-self".
const char* kind_name(AttentionKind kind);

/// One head of one attention.
struct HeadId {
  AttentionKind kind = AttentionKind::kCross;
  int64_t layer = 0;  ///< from 0
  int64_t head = 0;   ///< from 0
  bool operator==(const HeadId&) const = default;
};

/// "cross.2:1": the kind, and layer and head counted from 1, as the titles of maps do.
std::string to_text(const HeadId& id);

/// All heads of a model: the cross-attention's, the encoder's, the decoder's, each layer by layer.
/// Throws InvalidArgument for a model whose attention is not made of heads with an output
/// projection.
std::vector<HeadId> attention_heads(const Seq2Seq& model);

/// to_text()'s inverse. Throws InvalidArgument, saying which heads the model has.
HeadId parse_head(const std::string& text, const Seq2Seq& model);

/// While this lives, the heads contribute nothing to the output of their attention: the columns of
/// its output projection that read them are zero. The rest, its bias too, is as it was. The
/// destructor puts the same bits back. No pass may run while it is made or ends, nothing else may
/// write these weights while it lives, and the model has to outlive it.
class WithoutHeads {
 public:
  /// Throws InvalidArgument for a head that the model does not have.
  WithoutHeads(Seq2Seq& model, const std::vector<HeadId>& heads);
  ~WithoutHeads();
  WithoutHeads(const WithoutHeads&) = delete;
  WithoutHeads& operator=(const WithoutHeads&) = delete;

 private:
  struct Kept {
    at::Tensor columns;  ///< (D, D / H), a view of the weights
    at::Tensor values;   ///< what they were
  };
  std::vector<Kept> kept_;
};

}  // namespace attend
