// A notebook as text for the terminal.
#pragma once

#include <string>

#include "attend/lessons/lesson_name.h"
#include "attend/lessons/notebook.h"
#include "attend/render/terminal.h"

namespace attend::lessons {

struct TerminalLook {
  int width = 80;  ///< columns
  render::TerminalColour colour = render::TerminalColour::kAscii;
  render::Background background = render::Background::kDark;
  Language language = Language::kBoth;
};

/// Lines that end in LF, no longer than the width. What is interactive on a page is drawn with its
/// first values there, so here it is a line that says so; of an animation the first, a middle and
/// the last frame are drawn.
std::string to_terminal(const LessonName& name, const Notebook& book, const TerminalLook& look);

}  // namespace attend::lessons
