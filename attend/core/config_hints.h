// Private to core: what to tell of values that are not written as TOML wants them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace attend::core::detail {

/// A number as TOML writes it, for one that is written loosely: "0.001" for ".001", "5.0" for "5.",
/// "7" for "007". Empty for all other texts.
std::string plain_number(std::string_view value);

/// At most 40 characters of a value, for messages; "..." and how many there are behind a longer
/// one.
std::string short_value(std::string_view value);

/// What is wrong with line number `line` (from 1) of a document that is no TOML, in our words.
/// `description` is what the parser says, for what we don't know better.
std::string explain_line(std::string_view toml, int64_t line, std::string_view description);

}  // namespace attend::core::detail
