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
/// of English alone: without the Chinese, and without lines that had nothing else.
std::string label_for(const std::string& label, Language language);

}  // namespace attend::lessons
