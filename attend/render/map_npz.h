// Attention maps from and to NumPy.
#pragma once

#include <string>

#include "attend/core/npz.h"
#include "attend/render/attention_map.h"

namespace attend::render {

/// Each array of the archive: 2-D is a panel, 3-D (H, Tq, Tk) a panel a head, 4-D (L, H, Tq, Tk) a
/// panel a layer and head. Labels are 1, 2, 3, ... A name as map_to_npz() writes it gives kind,
/// layer and head back; else it becomes the title. Throws DataError(path) for other shapes.
AttentionMap map_from_npz(const std::string& bytes, const std::string& path);

/// The same from a single .npy file.
AttentionMap map_from_npy(const std::string& bytes, const std::string& path);

/// One float32 array (Tq, Tk) a panel, named "cross_layer0_head1" (numbers from 0; what does not
/// apply is left out) or, without kind, layer and head, "panel0". Names that occur again get a
/// number. Labels have no place in the format: use JSON or CSV to keep them.
std::string map_to_npz(const AttentionMap& map);

}  // namespace attend::render
