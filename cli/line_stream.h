// Standard input by lines, as they come.
#pragma once

#include <cstdint>
#include <string>

#include "attend/data/corpus.h"

namespace attend::cli {

/// Gives the lines that wait, many at once from a file, one by one from a person or a program that
/// waits for the answer.
class LineStream {
 public:
  /// At least one line and, as long as no reading would have to wait, up to about `most`; none at
  /// the end. A last line without a line feed counts. `mended` has the numbers that the lines have
  /// in the whole stream. Throws DataError, as data::parse_text_lines does, and when the input
  /// can't be read.
  data::Lines next(int64_t most);
  /// Of the first line that the last next() gave, from 1.
  int64_t first_number() const { return first_; }

 private:
  bool read_some(int timeout_ms);
  data::Lines take(size_t bytes);

  std::string waiting_;  // read, and not yet handed on
  int64_t waiting_lines_ = 0;
  int64_t first_ = 1;
  int64_t given_ = 0;
  bool ended_ = false;
};

}  // namespace attend::cli
