// The folder that a run writes.
#pragma once

#include <string>

namespace attend::cli {

/// In a model's folder: the pairs that were held out, which `attend evaluate` scores by default.
inline constexpr const char* kHeldOutFile = "held-out.tsv";

/// Throws DataError, saying what to do, unless a new run may write to `folder`: one that is there
/// and not empty is refused, unless `overwrite` says that a model in it may go.
void check_folder(const std::string& folder, bool overwrite);

/// Removes a model from the folder, which is there: the files that attend writes and nothing else.
/// Throws DataError.
void clear_folder(const std::string& folder);

/// `path` without slashes at its end: a folder as people type it, once completed by a shell.
std::string without_slash(std::string path);

/// The last part of a folder's path, also of "." and "..".
std::string folder_name(const std::string& folder);

/// Throws DataError unless `folder` holds a run that can be resumed.
void check_resumable(const std::string& folder);

}  // namespace attend::cli
