// How wide text is: in the columns of a terminal, and about how wide in a picture.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace attend::render {

/// The text as a terminal may show it: each control character (escape sequences would act) as its
/// picture U+2400.., invalid UTF-8 as U+FFFD, marks that turn the direction of writing left out.
std::string printable(std::string_view text);

/// What a reader takes as one character (UAX #29): a letter with its accents, an emoji with its
/// parts.
std::vector<std::string> graphemes(std::string_view text);

/// Columns that printable text takes in a terminal: CJK and emoji 2, combining marks 0.
int display_width(std::string_view text);

/// The printable text, cut with `ellipsis` where it is wider than `width` columns.
std::string cut_to_width(std::string_view text, int width, std::string_view ellipsis = "…");

/// The text cut and then filled with spaces to exactly `width` columns.
std::string pad_right(std::string_view text, int width, std::string_view ellipsis = "…");
std::string pad_left(std::string_view text, int width, std::string_view ellipsis = "…");

/// An upper estimate of the width in a sans-serif font, in ems (multiply by the font size). Taken
/// from DejaVu Sans, which is wider than what browsers use by default, so that nothing is cut.
double text_width_em(std::string_view text);

/// Breaks printable text at spaces, beside Chinese characters (marks stay with what they close or
/// open) and, in a word longer than a line, between characters into
/// lines of at most `width` by `measure`, which gives the width of one grapheme. Always at least
/// one line.
std::vector<std::string> wrap(std::string_view text, double width,
                              const std::function<double(std::string_view)>& measure);

}  // namespace attend::render
