// Private to core: zlib's inflate over bytes in memory, bounded.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace attend::core::detail {

enum class Wrapper { kNone, kGzip };

/// Inflates one stream (one gzip member) from the start of `bytes` onto `out`, and returns how many
/// bytes it took. `what` begins the message. Throws DataError(path) when the stream is damaged, cut
/// short or would make `out` longer than `limit`.
size_t inflate_onto(std::string& out, std::string_view bytes, Wrapper wrapper, size_t limit,
                    const std::string& path, const std::string& what);

}  // namespace attend::core::detail
