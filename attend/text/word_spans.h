// Where words, numbers and marks begin and end: what the word tokenisers have in common.
#pragma once

#include <cstddef>
#include <vector>

namespace attend::text {

struct WordSpan {
  size_t begin = 0;  ///< in code points
  size_t end = 0;
  bool is_mark = false;  ///< neither a word nor a number
};

/// In order, without white space. With `clusters` no span ends inside of a character as people see
/// it, and U+00B7 joins words (col·lecció); without, as models of version 1 cut them.
std::vector<WordSpan> word_spans(const std::vector<char32_t>& text, bool clusters);

}  // namespace attend::text
