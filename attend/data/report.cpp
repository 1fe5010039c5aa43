#include "attend/core/counted.h"
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
  std::string out = "kept " + std::to_string(kept) + " of " + core::counted(lines, "line");
  if (not_taken > 0)
    out += ", " + std::to_string(not_taken) +
           (not_taken == 1 ? " usable one was not asked for" : " usable ones were not asked for");
  std::string omitted;
  const std::string fewer = "fewer than " + std::to_string(columns) + " columns";
  append(omitted, columns == 2 ? "one column" : fewer.c_str(), one_column);
  append(omitted, "a header", header);
  append(omitted, "a blank side", blank_side);
  append(omitted, "a blank line", blank_line);
  if (!omitted.empty()) out += "; left out " + std::to_string(left_out()) + ": " + omitted;
  std::string changed;
  append(changed, "invalid UTF-8 mended", mended);
  append(changed, "more than three columns", more_columns);
  append(changed, "a CR inside a sentence, taken for a blank", inner_cr);
  if (!changed.empty()) out += "; kept with a change: " + changed;
  std::string doubtful;
  append(doubtful, "cells quoted as spreadsheets do, with the quotes taken for text", quoted);
  if (!doubtful.empty()) out += "; kept as it stands: " + doubtful;
  if (!numbers.empty()) out += "; " + numbers;
  return out;
}

}  // namespace attend::data
