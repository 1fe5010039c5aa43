// Text in the two languages of the chapter's readers.
#pragma once

#include <string>

namespace attend::lessons {

struct Bilingual {
  std::string en;
  std::string zh;
};

/// Which of them a reader sees.
enum class Language { kBoth, kEnglish, kChinese };

inline bool shows_english(Language language) { return language != Language::kChinese; }
inline bool shows_chinese(Language language) { return language != Language::kEnglish; }

/// One line: "English · 中文", or one of them.
inline std::string one_line(const Bilingual& text, Language language) {
  if (!shows_chinese(language) || text.zh.empty()) return text.en;
  if (!shows_english(language) || text.en.empty()) return text.zh;
  return text.en + " · " + text.zh;
}

/// Labels of figures and tables hold both, "learned width 学到的宽度", line by line. For a reader
/// of English only: without the Chinese, and without lines that had nothing else.
std::string label_for(const std::string& label, Language language);

/// The two of a label of one line; no Chinese in it: none.
Bilingual label_parts(const std::string& label);

/// Names of axes, of columns and of lines recur, and are mostly English only: "weight", "key".
/// These two know their Chinese (names.cpp). Not for words of a sentence.
Bilingual name_parts(const std::string& name);
std::string name_for(const std::string& name, Language language);

}  // namespace attend::lessons
