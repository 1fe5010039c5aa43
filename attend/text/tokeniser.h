// Tokenisers that need no training: cleaned text to tokens and back.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace attend::text {

/// Const and safe from many threads.
class Tokeniser {
 public:
  virtual ~Tokeniser() = default;
  /// No token is empty; a blank line has none. `clean` is valid UTF-8 (see clean_line).
  virtual std::vector<std::string> split(std::string_view clean) const = 0;
  virtual std::string join(const std::vector<std::string>& tokens) const = 0;
};

/// Tokens are what stands between blanks (U+0020 alone, as clean_line leaves them): the chapter's.
/// join() puts one blank between.
std::unique_ptr<Tokeniser> make_space_tokeniser();

/// Words, numbers and single marks, for scripts that put blanks between words.
/// A word is a run of letters, digits, combining marks and format characters, with apostrophes ('
/// or U+2019) and hyphens (- or U+2010, U+2011) inside; a number also keeps , and . between digits.
/// Every other character is a token of its own; every kind of white space separates. "La vois-tu
/// souvent\u202f?" is La | vois-tu | souvent | ? join() leaves out the blank before closing marks
/// and after opening ones, and pairs straight quotation marks; it does not bring back what a
/// language writes otherwise (French "souvent ?").
std::unique_ptr<Tokeniser> make_word_tokeniser();

/// Every code point is a token; a blank is shown as U+2581. join() is exact, save that a U+2581
/// in the text becomes a blank.
std::unique_ptr<Tokeniser> make_character_tokeniser();

}  // namespace attend::text
