// A notebook as files: one self-contained page, and each figure as SVG.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "attend/lessons/lesson_name.h"
#include "attend/lessons/notebook.h"

namespace attend::lessons {

/// "05-masked-softmax": what a lesson's files begin with.
std::string file_stem(const LessonName& name);

/// The page: text, figures and, of what is interactive, scripts and data. Both languages are in it,
/// with a switch; it begins with `language`. It loads nothing from elsewhere. `in_gallery`: with a
/// link to the index.html beside it.
std::string to_page(const LessonName& name, const Notebook& book,
                    Language language = Language::kBoth, bool in_gallery = false);

/// (file name, SVG) of each figure, in order, with its caption. Animations give their last frame.
std::vector<std::pair<std::string, std::string>> to_pictures(const LessonName& name,
                                                             const Notebook& book,
                                                             Language language = Language::kBoth);

}  // namespace attend::lessons
