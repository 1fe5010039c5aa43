// Text as SentencePiece takes it: what it keeps for itself is spelled otherwise, and lines are
// prepared for its trainer, which leaves out in silence what it can't use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace attend::text {

/// SentencePiece writes a blank as U+2581 and an unknown character as U+2585, and takes these for
/// such in text. Here U+FDD0 and U+FDD1 stand for them, and U+FDD2 before one of these three for
/// itself (noncharacters, for internal use: Unicode 15, section 23.7).
std::string spell_reserved(std::string_view text);
/// The reverse, of any text. With `show` a U+2581 comes as \\u2581, as tokens spell it.
std::string read_reserved(std::string_view text, bool show = false);

/// The lines that the trainer is given for a cleaned one, with nothing left that it would skip: cut
/// at blanks where longer than `longest` bytes (which changes nothing, since it learns from single
/// words), else between characters; and with a tab inside of "<unk>" and the like, which it would
/// take out (it counts no tabs). Its time is the square of a word's length where that repeats
/// itself: hence few bytes by default, about its own limit.
std::vector<std::string> training_lines(std::string_view clean, size_t longest = 4096);

/// How often each character occurs in training lines, as SentencePiece counts: blanks, and one
/// before each line, as U+2581; the most frequent first.
struct Alphabet {
  std::vector<int64_t> counts;  ///< tabs left out
  int64_t all = 0;              ///< tabs included

  /// So many characters are needed to cover this share of the text.
  int64_t needed(double coverage) const;
};
Alphabet count_alphabet(const std::vector<std::string>& lines);

}  // namespace attend::text
