// Tokens as lines of a file: whatever an editor or another reader could mistake for a line end or
// lose is escaped.
#pragma once

#include <string>
#include <string_view>

namespace attend::text {

/// Backslash, control characters, every kind of white space, zero-width characters and
/// U+FFFE/U+FFFF as `\\`, `\t`, `\n` or the `\xNN` of their UTF-8 bytes; everything else as it is.
std::string escape_token(std::string_view token);

/// The reverse. False, and `out` unspecified, for an escape that is none of those.
bool unescape_token(std::string_view line, std::string& out);

}  // namespace attend::text
