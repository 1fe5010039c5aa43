// A lesson of the chapter: who it is, what can be set, and what it does. Each is one file, named by
// its number, that defines one function returning it; registry.cpp lists them.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "attend/core/config.h"
#include "attend/lessons/lesson_name.h"
#include "attend/lessons/models.h"
#include "attend/lessons/notebook.h"
#include "attend/ops/torch_threads.h"

namespace attend::lessons {

struct Lesson {
  LessonName name;
  /// Over values that `run` reads: filled in by flags or by core::set_config.
  core::ConfigTable options;
  std::function<void(Notebook&, Models&)> run;
  bool trains = false;  ///< it asks `models` for a translator, which takes a minute to train
};

/// A lesson from its options' struct, whose initialisers are the defaults:
///
///   struct Options { double width = 1; int64_t seed = 1; };
///   core::ConfigTable describe(Options& o);   // may be a table without fields
///   void run(const Options& o, Notebook& book);
///   Lesson the_lesson() { return make_lesson<Options>({2, "slug", ...}, describe, run); }
///
/// It runs on one thread: its tensors are small, and its numbers then the same on any machine.
template <class Options>
Lesson make_lesson(LessonName name, core::ConfigTable (*describe)(Options&),
                   void (*run)(const Options&, Notebook&)) {
  auto options = std::make_shared<Options>();
  core::ConfigTable table = describe(*options);
  return {std::move(name), std::move(table), [options, run](Notebook& book, Models&) {
            const ops::TorchThreads one_thread(1);
            run(*options, book);
          }};
}

/// The same of one that looks into trained translators: `run` takes a Models& too.
template <class Options>
Lesson make_lesson(LessonName name, core::ConfigTable (*describe)(Options&),
                   void (*run)(const Options&, Notebook&, Models&)) {
  auto options = std::make_shared<Options>();
  core::ConfigTable table = describe(*options);
  return {std::move(name), std::move(table),
          [options, run](Notebook& book, Models& models) { run(*options, book, models); }, true};
}

}  // namespace attend::lessons
