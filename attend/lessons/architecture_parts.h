// The parts of a translator, from the names of its parameters, and what a box says of each.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "attend/models/seq2seq.h"

namespace attend::lessons {

/// A part of the model with its parameters.
struct ModelPart {
  std::string path;  ///< "layers.0.self_attention", without the side
  std::vector<const ParameterSlot*> slots;
};

/// Those of "encoder" or "decoder", in the order in which they are registered.
std::vector<ModelPart> parts_of(const ParameterStore& store, const std::string& side);

/// "query, key, value, output 32 x 32": names of one shape share a line, but for the two matrices
/// of a recurrent layer. Lines have about `width` characters.
std::string shape_lines(const ModelPart& part, const std::string& side, size_t width,
                        const std::string& lead = "");

/// What the part is called, in both languages: "layer 1: self-attention\n自注意力".
std::string title_of(const std::string& path, const ModelConfig& config, bool is_decoder);

/// "layers.0.norm1" ends with a part of this name, "norm": a digit may follow.
bool is_part(const ModelPart& part, const std::string& name);

/// The layer that a part is of, from 0; -1 for a part of none.
int64_t layer_of(const ModelPart& part);

/// Words on lines of about `width` characters.
std::string in_lines(const std::string& text, size_t width);

}  // namespace attend::lessons
