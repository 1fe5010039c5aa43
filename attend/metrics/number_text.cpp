#include "attend/metrics/number_text.h"

#include <array>
#include <charconv>
#include <system_error>

#include "attend/core/errors.h"

namespace attend::metrics {

std::string fixed(double value, int decimals) {
  std::array<char, 400> text;  // the largest double has 309 digits before the point
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value,
                                    std::chars_format::fixed, decimals);
  if (result.ec != std::errc()) {
    throw InvalidArgument("[metrics] expected up to 80 decimals, found " +
                          std::to_string(decimals));
  }
  return {text.data(), result.ptr};
}

}  // namespace attend::metrics
