// A lesson without a translator, run with options, and what it showed.
#pragma once

#include <string>
#include <vector>

#include "attend/core/config.h"
#include "attend/core/errors.h"
#include "attend/lessons/registry.h"

namespace attend::lessons::testing {

inline Notebook ran(int number, const std::vector<std::string>& options = {}) {
  for (Lesson& lesson : all_lessons()) {
    if (lesson.name.number != number) continue;
    std::vector<core::ConfigTable> tables{lesson.options};
    for (const auto& option : options) core::set_config(option, tables);
    Models models({});
    Notebook book;
    lesson.run(book, models);
    return book;
  }
  throw InternalError("no such lesson");
}

template <class Kind>
std::vector<Kind> all_of(const Notebook& book) {
  std::vector<Kind> found;
  for (const Entry& entry : book.entries())
    if (const auto* one = std::get_if<Kind>(&entry)) found.push_back(*one);
  return found;
}

inline Step step_of(const Notebook& book, const std::string& formula) {
  for (const Step& step : all_of<Step>(book))
    if (step.formula.find(formula) != std::string::npos) return step;
  throw InternalError("no step " + formula);
}

inline const std::vector<double>& line(const render::Curves& curves, const std::string& name) {
  for (const auto& series : curves.series)
    if (series.name == name) return series.y;
  throw InternalError("no line " + name);
}

/// The English of all it says to notice, one a line.
inline std::string noticed(const Notebook& book) {
  std::string text;
  for (const Notice& notice : all_of<Notice>(book)) text += notice.text.en + "\n";
  return text;
}

}  // namespace attend::lessons::testing
