// Numbers of things in messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace attend::core {

/// "1 line", "3 lines"; the plural is `one` with an s unless it is given.
inline std::string counted(int64_t n, std::string_view one, std::string_view many = {}) {
  std::string text = std::to_string(n) + " ";
  text += n == 1 || many.empty() ? one : many;
  if (n != 1 && many.empty()) text += 's';
  return text;
}

}  // namespace attend::core
