// A translator as boxes and arrows, from the names and shapes of its parameters.
#pragma once

#include "attend/models/seq2seq.h"
#include "attend/render/diagram.h"

namespace attend::lessons {

/// The encoder in one column and the decoder in the next, from top to bottom; each box has its
/// parameters with their shapes, (out, in) for matrices. Attention over the source is the filled
/// box. Arrows down have the shape of what goes on: S tokens of the source, T of the target; those
/// past a box carry what is added to its output. A recurrent decoder's query comes from its last
/// layer. Dropout is not drawn.
render::Diagram architecture(const Seq2Seq& model);

}  // namespace attend::lessons
