#include "attend/text/word_spans.h"

#include <utf8proc.h>

#include "attend/text/clusters.h"

namespace attend::text {
namespace {

enum class Class { kSpace, kWord, kDigit, kExtender, kMark };

Class class_of(char32_t c) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return Class::kSpace;
    case UTF8PROC_CATEGORY_CC:
      return (c >= 0x09 && c <= 0x0D) || c == 0x85 ? Class::kSpace : Class::kMark;
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return Class::kWord;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return Class::kDigit;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
      return Class::kExtender;
    default:
      return Class::kMark;
  }
}

/// Stands inside a number: 1,000.5.
bool joins_digits(char32_t c) { return c == ',' || c == '.'; }

bool is_wordy(Class c) { return c == Class::kWord || c == Class::kDigit; }

class Scanner {
 public:
  Scanner(const std::vector<char32_t>& text, bool clusters) : text_(text), clusters_(clusters) {
    classes_.reserve(text.size());
    for (const char32_t c : text) classes_.push_back(class_of(c));
    if (clusters) starts_ = cluster_starts(text);
  }

  std::vector<WordSpan> run() {
    std::vector<WordSpan> spans;
    while (i_ < text_.size()) {
      const size_t begin = i_++;
      if (classes_[begin] == Class::kSpace) continue;
      skip_extenders();
      const bool is_mark = classes_[begin] == Class::kMark;
      if (!is_mark) go_through_word(classes_[begin]);
      spans.push_back({begin, i_, is_mark});
    }
    return spans;
  }

 private:
  /// Stands inside a word: rock'n'roll, vois-tu.
  bool joins_words(char32_t c) const {
    return c == '\'' || c == 0x2019 || c == '-' || c == 0x2010 || c == 0x2011 ||
           (clusters_ && c == 0xB7);
  }

  bool is_wordy_at(size_t i) const { return i < text_.size() && is_wordy(classes_[i]); }

  /// What belongs to the character before. White space never does: it parts tokens.
  void skip_extenders() {
    while (i_ < text_.size() && (classes_[i_] == Class::kExtender ||
                                 (clusters_ && starts_[i_] == 0 && classes_[i_] != Class::kSpace)))
      ++i_;
  }

  /// `last` is the last letter or digit, extenders looked through.
  void go_through_word(Class last) {
    while (i_ < text_.size()) {
      if (is_wordy(classes_[i_])) {
        last = classes_[i_];
        ++i_;
      } else if (is_wordy_at(i_ + 1) && joins_words(text_[i_]) && is_wordy(last)) {
        last = classes_[i_ + 1];
        i_ += 2;
      } else if (i_ + 1 < text_.size() && classes_[i_ + 1] == Class::kDigit &&
                 joins_digits(text_[i_]) && last == Class::kDigit) {
        i_ += 2;
      } else {
        break;
      }
      skip_extenders();
    }
  }

  const std::vector<char32_t>& text_;
  bool clusters_;
  std::vector<Class> classes_;
  std::vector<uint8_t> starts_;
  size_t i_ = 0;
};

}  // namespace

std::vector<WordSpan> word_spans(const std::vector<char32_t>& text, bool clusters) {
  return Scanner(text, clusters).run();
}

}  // namespace attend::text
