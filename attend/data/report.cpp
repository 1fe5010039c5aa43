#include "attend/data/corpus.h"

namespace attend::data {
namespace {

void append(std::string& out, const char* what, const LineTally& tally) {
  if (tally.count == 0) return;
  if (!out.empty()) out += "; ";
  out += std::string(what) + " " + std::to_string(tally.count) + " (" + tally.text() + ")";
}

}  // namespace

std::string Report::text() const {
  std::string out = "kept " + std::to_string(kept) + " of " + std::to_string(lines) + " lines";
  if (not_taken > 0) out += ", " + std::to_string(not_taken) + " usable ones were not asked for";
  std::string omitted;
  append(omitted, "one column", one_column);
  append(omitted, "a blank side", blank_side);
  append(omitted, "a blank line", blank_line);
  if (!omitted.empty()) out += "; left out " + std::to_string(left_out()) + ": " + omitted;
  std::string changed;
  append(changed, "invalid UTF-8 mended", mended);
  append(changed, "more than three columns", more_columns);
  if (!changed.empty()) out += "; kept with a change: " + changed;
  return out;
}

}  // namespace attend::data
