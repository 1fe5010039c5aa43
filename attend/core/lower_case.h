// The one lower-casing: of text before it is tokenised, and of scores that ignore case.
#pragma once

#include <string>
#include <string_view>

namespace attend::core {

/// What Python's str.lower() gives, which sacreBLEU's scores rest on: Unicode's simple mapping,
/// with U+0130 as two code points and the final form of sigma at the end of a word (Unicode 15,
/// section 3.13, Final_Sigma), so that "ΜΕΓΑΛΟΣ" gives "μεγαλος". Twice changes nothing more.
std::u32string lower_case(std::u32string_view text);

}  // namespace attend::core
