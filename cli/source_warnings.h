// What was odd about the lines that were translated, by number.
#pragma once

#include <cstdint>
#include <string>

#include "attend/data/line_tally.h"
#include "attend/decoding/translator.h"
#include "cli/console.h"

namespace attend::cli {

/// Tells the first few of each kind as they come, and counts all of them for the end. To a quiet
/// console only the counts are told, a line each kind.
class SourceWarnings {
 public:
  explicit SourceWarnings(Console& console) : console_(console) {}

  /// `line` from 1. A blank line has nothing to warn of.
  void add(int64_t line, const Translation& translation);
  /// Lines whose invalid UTF-8 was mended; `name` is that of the file, "" where there is only one.
  void mended(const data::LineTally& lines, const std::string& name = "");
  /// One line for each kind that had more than were told, and one for replaced words.
  void finish();

 private:
  struct Kind {
    const char* one;
    const char* several;
    data::LineTally lines;
  };
  int64_t told() const;
  void tell(Kind& kind, int64_t line, const std::string& text);
  void tell_replaced();

  Console& console_;
  Kind cut_{"source longer than the model's steps, cut",
            "sources longer than the model's steps, cut",
            {}};
  Kind unknown_{"source with unknown words", "sources with unknown words", {}};
  Kind empty_{"empty translation", "empty translations", {}};
  Kind unfinished_{"translation without an end", "translations without an end", {}};
  int64_t replaced_words_ = 0, replaced_lines_ = 0;
};

}  // namespace attend::cli
