// The numbers of a step, for reading.
#pragma once

#include <string>
#include <vector>

#include "attend/lessons/notebook.h"

namespace attend::lessons {

/// "(2, 3)"; "a number" for no dimensions.
std::string shape_text(const Step& step);

/// The numbers as aligned rows, "1.00  -0.50"; matrices of a larger tensor with an empty line
/// between them. Nothing when the step keeps none.
std::vector<std::string> number_rows(const Step& step);

}  // namespace attend::lessons
