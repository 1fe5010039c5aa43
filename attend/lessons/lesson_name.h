// Who a lesson is.
#pragma once

#include <string>

#include "attend/lessons/bilingual.h"

namespace attend::lessons {

struct LessonName {
  int number = 0;
  std::string slug;   ///< "average-pooling": in names of files
  Bilingual title;    ///< short: "Average pooling"
  Bilingual summary;  ///< one sentence
};

}  // namespace attend::lessons
