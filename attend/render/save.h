// Maps to and from files, by the ending of their name.
#pragma once

#include <string>

#include "attend/render/attention_map.h"
#include "attend/render/value_scale.h"

namespace attend::render {

struct SaveOptions {
  Scaling scaling = Scaling::kUnit;
};

/// Throws InvalidArgument, listing the formats, unless `path` ends in one that render_map() writes:
/// for a check before long work.
void check_map_ending(const std::string& path);

/// The bytes of `path`'s format: .svg, .png, .html (.htm), .json, .npz or .csv, in any case. Throws
/// InvalidArgument, listing those, for another ending, and what the format's own function throws.
std::string render_map(const AttentionMap& map, const std::string& path,
                       const SaveOptions& options = {});

/// The same, written atomically. Throws DataError when it cannot be written.
void save_map(const AttentionMap& map, const std::string& path, const SaveOptions& options = {});

/// Reads .json, .npz, .npy, .csv or .tsv. Throws InvalidArgument for another ending, DataError for
/// the file. A map without a title takes the file's name.
AttentionMap load_map(const std::string& path);

}  // namespace attend::render
