// What a notebook holds, as a reader of one language sees it.
#pragma once

#include "attend/lessons/notebook.h"

namespace attend::lessons {

/// The entry with the labels of its figure or table as label_for() and name_for() give them;
/// captions and texts keep both languages. For Language::kBoth the entry as it is.
Entry in_language(const Entry& entry, Language language);

}  // namespace attend::lessons
