// Which panels of a map are drawn: what --kind, --layer and --head say, and what they mean when
// they say nothing.
#pragma once

#include <cstdint>
#include <string>

#include "attend/render/attention_map.h"

namespace attend::cli {

struct MapChoice {
  std::string kind;   ///< "cross", "encoder-self", "decoder-self", or "" for what fits the picture
  int64_t layer = 0;  ///< from 1, as titles count; 0: all
  std::string head;   ///< a number from 1, "mean", "all", or ""
};

/// What a picture that goes into such a file ("" is the terminal) shows. Files that hold any number
/// of panels (.html, .json, .npz) get all of them. Pictures get the cross-attention; the terminal
/// the mean over each layer's heads, .csv that of the last layer. What `choice` says comes first.
/// Throws InvalidArgument, listing what there is, when nothing fits.
render::AttentionMap choose_panels(const render::AttentionMap& map, const MapChoice& choice,
                                   const std::string& path);

}  // namespace attend::cli
