// A table as lines for the terminal.
#pragma once

#include <string>
#include <vector>

#include "attend/lessons/notebook.h"

namespace attend::lessons {

/// Headings, a rule and the rows, in columns as wide as they need; where that is more than `width`,
/// the widest give way and their cells go on below. Wide characters count two.
std::vector<std::string> table_lines(const Table& table, int width);

}  // namespace attend::lessons
