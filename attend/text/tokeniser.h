// Tokenisers that need no training: cleaned text to tokens and back.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace attend::text {

/// Versions of the rules. A model is used by those that it was trained with.
enum class TextVersion {
  /// Words are joined by the rules of English, characters are code points, letters become lower
  /// case one by one, and what stands for a mark or a blank is taken for it in text too.
  kFirst = 1,
  kPresent = 2,
};

/// Const and safe from many threads.
class Tokeniser {
 public:
  virtual ~Tokeniser() = default;
  /// No token is empty; a blank line has none. `clean` is valid UTF-8 (see clean_line).
  virtual std::vector<std::string> split(std::string_view clean) const = 0;
  virtual std::string join(const std::vector<std::string>& tokens) const = 0;
  /// The text that a token stands for, without what it says of its neighbours.
  virtual std::string surface(std::string_view token) const = 0;
};

/// Tokens are what stands between blanks (U+0020 only, as clean_line leaves them): the chapter's.
/// join() puts one blank between.
std::unique_ptr<Tokeniser> make_space_tokeniser();

/// Words, numbers and single marks, for scripts that put blanks between words.
/// A word is a run of letters, digits, combining marks and format characters, with apostrophes ('
/// or U+2019), hyphens (- or U+2010, U+2011) and middle dots (U+00B7) inside; a number also keeps ,
/// and . between digits. Every other character, as people see it (see cluster_starts), is a token
/// of its own; every kind of white space separates. "La vois-tu souvent\u202f?" is La | vois-tu |
/// souvent | ?
///
/// A mark that had no blank on a side has a tie there, U+203F: "10:30, (no)" is 10 | ‿:‿ | 30 | ‿,
/// | (‿ | no | ‿). So join() gives back what was written, save that white space of other kinds
/// becomes a blank. A U+203F of the text is spelled \\u203F in its token.
///
/// Version 1 has no ties: join() leaves out the blank before closing marks and after opening ones,
/// and pairs straight quotation marks.
std::unique_ptr<Tokeniser> make_word_tokeniser(TextVersion version = TextVersion::kPresent);

/// Every character, as people see it, is a token; a blank is shown as U+2581, and a U+2581 of the
/// text as \\u2581. join() is exact. Version 1: every code point is a token, and a U+2581 in the
/// text becomes a blank.
std::unique_ptr<Tokeniser> make_character_tokeniser(TextVersion version = TextVersion::kPresent);

}  // namespace attend::text
