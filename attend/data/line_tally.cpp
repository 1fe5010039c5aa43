#include "attend/data/line_tally.h"

namespace attend::data {

void LineTally::add(int64_t line) {
  ++count;
  if (lines.size() < kKept) lines.push_back(line);
}

std::string LineTally::text() const {
  if (count == 0) return "";
  std::string out = count == 1 ? "line " : "lines ";
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) out += ", ";
    out += std::to_string(lines[i]);
  }
  if (count > static_cast<int64_t>(lines.size())) out += ", ...";
  return out;
}

}  // namespace attend::data
