#include "attend/lessons/looking.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "attend/core/errors.h"

namespace attend::lessons {

Translation look_at(const Translator& translator, const std::string& sentence,
                    const std::string& written) {
  TranslateOptions options;
  options.attention = true;
  Translation result = written.empty() ? translator.translate(sentence, options)
                                       : translator.force(sentence, written, options);
  if (result.map.panels.empty() && result.source_tokens.empty())
    throw InvalidArgument("--sentence: expected a word, found \"" + sentence + "\"");
  return result;
}

render::AttentionMap bare(render::AttentionMap map) {
  map.title = map.source = map.target = "";
  if (map.panels.size() == 1)
    map.panels[0] = {
        "", "", -1, -1, map.panels[0].rows, map.panels[0].columns, map.panels[0].weights};
  return map;
}

Bilingual pair_caption(const Translation& translation) {
  const std::string pair = translation.map.source + " → " + translation.map.target;
  Bilingual caption{pair, ""};
  if (!translation.unknown.empty()) {
    const std::string words = fmt::format("{}", fmt::join(translation.unknown, ", "));
    caption = {pair + " (not in the vocabulary: " + words + ")",
               pair + "（词表里没有：" + words + "）"};
  }
  if (translation.source_cut) {
    caption.zh = (caption.zh.empty() ? pair : caption.zh) + "（太长，已截断）";
    caption.en += " (too long: cut)";
  }
  return caption;
}

std::vector<std::string> sentence_or(const std::string& sentence,
                                     std::vector<std::string> otherwise) {
  return sentence.empty() ? std::move(otherwise) : std::vector<std::string>{sentence};
}

}  // namespace attend::lessons
