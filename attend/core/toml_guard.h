// Private to core: what keeps text from the parser that toml++ 3.3 (Debian 12) can't bear.
//
// Its test for blanks runs into __builtin_unreachable() for U+00A1 to U+0499
// (marzer/tomlplusplus#190, mended in 3.4). It is asked about characters outside of strings and
// comments, where TOML allows none of them, and about the first one after a line-ending backslash
// in a """ string, where TOML does.
#pragma once

#include <string>
#include <string_view>

namespace attend::core::detail {

/// The same document without those characters: the second kind is written as an escape. Throws
/// DataError, with `path`, line and column, for the first kind and for invalid UTF-8.
std::string guard_toml(std::string_view text, const std::string& path);

}  // namespace attend::core::detail
