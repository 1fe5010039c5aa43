// The lessons, in order.
#pragma once

#include <vector>

#include "attend/lessons/lesson.h"

namespace attend::lessons {

/// Each call gives them afresh, with the default options.
std::vector<Lesson> all_lessons();

}  // namespace attend::lessons
