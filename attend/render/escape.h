// Text made safe for the format it goes into. Invalid UTF-8 becomes U+FFFD everywhere.
#pragma once

#include <string>
#include <string_view>

namespace attend::render {

/// For XML and HTML, as text or inside quotes: & < > " ' as entities; control characters and
/// noncharacters, which XML 1.0 has no way to write, as U+FFFD. Tabs and line ends become spaces.
std::string escape_xml(std::string_view text);

/// JSON as it may stand inside `<script>`: '<', '>', '&', U+2028 and U+2029 as `\u` escapes, so no
/// text in it can end the element. (In valid JSON these occur only within strings.)
std::string script_safe_json(std::string_view json);

/// A JSON string with its quotes.
std::string json_string(std::string_view text);

}  // namespace attend::render
