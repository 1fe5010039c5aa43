// Whole files, in and out. Writing is atomic: a kill at any moment leaves the old file or the new.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace attend::core {

constexpr size_t kHeadBytes = 65536;

/// Given a file's first bytes, kHeadBytes of them if there are so many, before the rest is read: it
/// throws to refuse the file. `size` is the whole file's; -1 where only reading tells.
using HeadCheck = std::function<void(std::string_view head, int64_t size)>;

struct ReadFileOptions {
  HeadCheck check_head = {};               ///< empty: none
  int writer_wait_ms = 10'000;             ///< how long a named pipe may stand without a writer
  size_t most_streamed = size_t{4} << 30;  ///< bytes of a pipe, which tells no size
};

/// The whole file. Throws DataError (path, the system's reason) when it is missing, a folder or
/// unreadable. Pipes, and standard input as /dev/stdin, are read to their end: as slowly as they
/// come, once somebody writes. A device that is no terminal is refused when it gives bytes without
/// end.
std::string read_file(const std::string& path, const ReadFileOptions& options = {});

/// Standard input to its end; "standard input" is the path in messages.
std::string read_standard_input(const ReadFileOptions& options = {});

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
