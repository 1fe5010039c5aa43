// Looking into a translator while it writes.
#pragma once

#include <string>
#include <vector>

#include "attend/decoding/translator.h"
#include "attend/lessons/bilingual.h"

namespace attend::lessons {

/// The translation with its map; where `written` is not empty, of that text, forced. Throws
/// InvalidArgument for a sentence without a word.
Translation look_at(const Translator& translator, const std::string& sentence,
                    const std::string& written = "");

/// The map without title and texts, and one panel alone without its name, for a figure whose
/// caption says them.
render::AttentionMap bare(render::AttentionMap map);

/// "he has a bike . → il a un vélo .", as the model reads and writes it; words it does not know,
/// and that it was cut, are said.
Bilingual pair_caption(const Translation& translation);

/// `sentence`, unless it is empty: then these.
std::vector<std::string> sentence_or(const std::string& sentence,
                                     std::vector<std::string> otherwise);

}  // namespace attend::lessons
