// The parts that lessons' pages are made of.
#pragma once

#include <string>

#include "attend/lessons/lesson_name.h"
#include "attend/lessons/notebook.h"
#include "attend/render/page.h"

namespace attend::lessons {

/// The element once for each language that the text has, with its lang attribute. Escapes; what
/// stands between two backticks is code.
std::string bilingual_markup(const std::string& element, const Bilingual& text);

/// The same as spans in one line, with `between` (markup) where both languages are shown.
std::string inline_markup(const Bilingual& text, const std::string& between = " · ");

/// The page's title and what it is about; `before` stands before the title: its number.
std::string header_markup(const std::string& before, const LessonName& name);

/// A picture that shrinks on a narrow screen, to six tenths of its size: what is still too wide
/// then scrolls.
std::string shrinking(std::string svg);

std::string step_markup(const Step& step);
std::string table_markup(const Table& table);

/// Three buttons: English, Chinese, both. language_script() makes them work and chooses the first.
std::string language_switch();
/// For the page's lang attribute.
const char* language_code(Language language);
std::string language_script(Language first);

/// CSS of a lesson's page and of the gallery's index.
std::string lesson_style();

/// js/panel.js and the colours it draws with; once a page, before the next three.
void add_moving_parts(render::Page& page);
std::string panel_json(const Panel& panel);
std::string panel_script(const Panel& panel, const std::string& id);
std::string animation_json(const Animation& animation);

}  // namespace attend::lessons
