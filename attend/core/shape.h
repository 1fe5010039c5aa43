// Shapes as text, for messages: "(2, 3, 4)".
#pragma once

#include <cstdint>
#include <string>

namespace attend::core {

/// Any range of integers (IntArrayRef, vector) as "(2, 3, 4)".
template <class Range>
std::string shape_text(const Range& shape) {
  std::string text = "(";
  bool first = true;
  for (const int64_t n : shape) {
    if (!first) text += ", ";
    text += std::to_string(n);
    first = false;
  }
  return text + ")";
}

}  // namespace attend::core
