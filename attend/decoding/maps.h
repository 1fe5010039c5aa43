// From what was recorded to what is drawn.
#pragma once

#include <string>
#include <vector>

#include "attend/decoding/hypothesis.h"
#include "attend/render/attention_map.h"

namespace attend::decoding {

struct MapLabels {
  std::vector<std::string> source;   ///< what the encoder read, the end mark included
  std::vector<std::string> written;  ///< what each step wrote, the end mark included if reached
  std::vector<std::string> fed;      ///< what each step was fed: the begin mark, then `written`
};

/// A panel for each layer and head, cross-attention first. Rows are what was written while looking
/// (the encoder's: what was read); columns are what was looked at. Throws InternalError when the
/// labels do not match the weights.
render::AttentionMap attention_map(const std::vector<SentenceAttention>& attention,
                                   const MapLabels& labels);

}  // namespace attend::decoding
