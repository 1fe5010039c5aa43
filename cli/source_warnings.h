// What was odd about the lines that were translated, by number.
#pragma once

#include <cstdint>
#include <string>

#include "attend/data/line_tally.h"
#include "attend/decoding/translator.h"
#include "cli/console.h"

namespace attend::cli {

/// Tells the first few of each kind as they come, and counts all of them for the end.
class SourceWarnings {
 public:
  explicit SourceWarnings(Console& console) : console_(console) {}

  /// `line` from 1. A blank line has nothing to warn of.
  void add(int64_t line, const Translation& translation);
  /// Lines whose invalid UTF-8 was mended.
  void mended(const data::LineTally& lines);
  /// One line for each kind that had more than were told, and one for replaced words.
  void finish();

 private:
  struct Kind {
    const char* summary;
    data::LineTally lines;
  };
  void tell(Kind& kind, int64_t line, const std::string& text);
  void tell_replaced();

  Console& console_;
  Kind cut_{"sources longer than the model's steps, cut", {}};
  Kind unknown_{"sources with unknown words", {}};
  Kind empty_{"empty translations", {}};
  Kind unfinished_{"translations without an end", {}};
  int64_t replaced_words_ = 0, replaced_lines_ = 0;
};

}  // namespace attend::cli
