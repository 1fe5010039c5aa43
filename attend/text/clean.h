// What happens to a line before it is tokenised, and the classes of characters that this rests on.
#pragma once

#include <string>
#include <string_view>

namespace attend::text {

struct CleanOptions {
  bool lowercase = true;
  /// The chapter's rule: a blank before , . ! ? where there is none.
  bool split_punctuation = true;
  /// Lower case as core::lower_case() has it, by words; false: letter by letter, as models of
  /// version 1 have it.
  bool lowercase_by_words = true;
};

/// Valid UTF-8 with words one blank apart:
///   1. invalid UTF-8 becomes U+FFFD, a byte order mark at the start goes;
///   2. every blank (`is_blank`), and CR and LF, becomes U+0020; runs become one, the ends are
///   trimmed;
///   3. "va!" becomes "va !";
///   4. letters become lower case (core::lower_case).
/// Nothing else is changed: zero-width characters, say, stay, and are the doctor's to report.
/// Applying it twice changes nothing more.
std::string clean_line(std::string_view line, const CleanOptions& options);

/// U+0020, tab and the space separators (category Zs: U+00A0, U+202F, U+3000, ...).
bool is_blank(char32_t code_point);

/// True when clean_line leaves nothing: blanks, CR, LF and byte order marks alone.
bool is_blank_line(std::string_view line);

}  // namespace attend::text
