// Whole files, in and out. Writing is atomic: a kill at any moment leaves the old file or the new.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace attend::core {

/// The whole file. Throws DataError (path, the system's reason) when it is missing, a folder or
/// unreadable.
std::string read_file(const std::string& path);

/// Writes to a temporary name in the same folder, syncs, renames, syncs the folder. Throws
/// DataError (path, the system's reason: disk full, say) and leaves no temporary file and the old
/// one whole. A file too large for the process (SIGXFSZ) is such an error too: callers handle no
/// signals. A kill leaves at most ".<name>.attend-tmp", which the next write of the same file takes
/// over. Writers of one file, threads or processes, take turns. A link is followed, permissions are
/// kept, and a device or pipe is written to in place.
void write_file_atomic(const std::string& path, std::string_view bytes);

/// Appends at once, in one piece; for logs that grow (metrics.jsonl). Throws DataError, and the
/// file is then as long as before.
void append_file(const std::string& path, std::string_view bytes);

/// Makes the folder and its parents. Throws DataError.
void make_folder(const std::string& path);

/// FNV-1a 64, 16 hex digits: tells files apart; not for security.
std::string fingerprint(std::string_view bytes);

}  // namespace attend::core
