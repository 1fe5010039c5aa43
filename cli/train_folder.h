// The folder that a run writes.
#pragma once

#include <string>

namespace attend::cli {

/// In a model's folder: the pairs that were held out, which `attend evaluate` scores by default.
inline constexpr const char* kHeldOutFile = "held-out.tsv";

/// Makes `folder` ready for a new run. One that is there and not empty is refused, unless
/// `overwrite` says that a model in it may go; then the files that attend writes are removed and
/// nothing else. Throws DataError, saying what to do.
void prepare_folder(const std::string& folder, bool overwrite);

/// Throws DataError unless `folder` holds a run that can be resumed.
void check_resumable(const std::string& folder);

}  // namespace attend::cli
