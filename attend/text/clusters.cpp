#include "attend/text/clusters.h"

#include <utf8proc.h>

namespace attend::text {

std::vector<uint8_t> cluster_starts(const std::vector<char32_t>& text) {
  std::vector<uint8_t> starts(text.size(), 1);
  utf8proc_int32_t state = 0;
  for (size_t i = 1; i < text.size(); ++i) {
    const bool breaks = utf8proc_grapheme_break_stateful(
        static_cast<utf8proc_int32_t>(text[i - 1]), static_cast<utf8proc_int32_t>(text[i]), &state);
    starts[i] = breaks || text[i] == ' ' || text[i] == kBlankMark || text[i] == kTieMark ? 1 : 0;
  }
  return starts;
}

}  // namespace attend::text
