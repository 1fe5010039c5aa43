// What happens to a line before it is tokenised, and the classes of characters that this rests on.
#pragma once

#include <string>
#include <string_view>

namespace attend::text {

struct CleanOptions {
  bool lowercase = true;
  bool split_punctuation =
      true;  ///< the chapter's rule: a blank before , . ! ? where there is none
};

/// Valid UTF-8 with words one blank apart:
///   1. invalid UTF-8 becomes U+FFFD, a byte order mark at the start goes;
///   2. every blank (`is_blank`), and CR and LF, becomes U+0020; runs become one, the ends are
///   trimmed;
///   3. each letter becomes its lower case (Unicode's simple mapping, one letter to one letter);
///   4. "va!" becomes "va !".
/// Nothing else is changed: zero-width characters, say, stay, and are the doctor's to report.
/// Applying it twice changes nothing more.
std::string clean_line(std::string_view line, const CleanOptions& options);

/// U+0020, tab and the space separators (category Zs: U+00A0, U+202F, U+3000, ...).
bool is_blank(char32_t code_point);

/// True when clean_line leaves nothing: blanks, CR, LF and byte order marks alone.
bool is_blank_line(std::string_view line);

}  // namespace attend::text
