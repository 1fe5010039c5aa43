// How often something happened, and on which lines first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace attend::data {

/// Every happening is counted; the numbers of the first kKept lines are kept for the message.
struct LineTally {
  static constexpr size_t kKept = 10;

  int64_t count = 0;
  std::vector<int64_t> lines;  ///< from 1, in the order of the file

  void add(int64_t line);
  /// "line 3", "lines 3, 8, 11", or "lines 3, 8, 11, ..." when there are more; "" when nothing was
  /// counted.
  std::string text() const;
};

}  // namespace attend::data
