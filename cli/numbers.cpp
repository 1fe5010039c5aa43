#include "cli/numbers.h"

#include <fmt/format.h>

#include <charconv>

#include "attend/core/utf8.h"

namespace attend::cli {
namespace {

constexpr size_t kShown = 40;

std::string shown(const std::string& text) {
  if (text.empty()) return "nothing";
  if (text.size() <= kShown) return core::mend_utf8(text);
  return core::mend_utf8(text.substr(0, kShown)) + fmt::format("... ({} bytes)", text.size());
}

}  // namespace

CLI::Validator whole_number(int64_t least, int64_t most) {
  return CLI::Validator(
      [least, most](std::string& text) -> std::string {
        int64_t value = 0;
        const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
        const char* end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(begin, end, value);
        if (error == std::errc() && stop == end && value >= least && value <= most) return "";
        return fmt::format("expected a whole number, {} to {}, found {}", least, most, shown(text));
      },
      "");
}

}  // namespace attend::cli
