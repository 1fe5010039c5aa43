// The page that leads to all lessons.
#pragma once

#include <string>
#include <vector>

#include "attend/lessons/lesson_name.h"

namespace attend::lessons {

struct Card {
  LessonName name;
  std::string picture;  ///< SVG of the lesson's first figure; may be empty
};

/// A card a lesson, with its picture, linked to "<file_stem>.html" beside it. `note` says how the
/// gallery was made. Begins with `language`, as to_page() does. Loads nothing.
std::string gallery_page(const std::vector<Card>& cards, const Bilingual& note,
                         Language language = Language::kBoth);

}  // namespace attend::lessons
