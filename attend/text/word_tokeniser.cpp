#include <utf8proc.h>

#include "attend/core/utf8.h"
#include "attend/text/tokeniser.h"

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

/// Stands inside a word: rock'n'roll, vois-tu.
bool joins_words(char32_t c) {
  return c == '\'' || c == 0x2019 || c == '-' || c == 0x2010 || c == 0x2011;
}

/// Stands inside a number: 1,000.5.
bool joins_digits(char32_t c) { return c == ',' || c == '.'; }

bool is_wordy(Class c) { return c == Class::kWord || c == Class::kDigit; }

/// Where the token that starts at `begin` (no white space) ends.
size_t token_end(const std::vector<char32_t>& text, const std::vector<Class>& classes,
                 size_t begin) {
  const size_t n = text.size();
  size_t i = begin + 1;
  const auto skip_extenders = [&] {
    while (i < n && classes[i] == Class::kExtender) ++i;
  };
  skip_extenders();
  if (classes[begin] == Class::kMark) return i;
  Class last = classes[begin];  // the last letter or digit, extenders looked through
  while (i < n) {
    if (is_wordy(classes[i])) {
      last = classes[i];
      ++i;
    } else if (i + 1 < n && is_wordy(classes[i + 1]) && joins_words(text[i]) && is_wordy(last)) {
      last = classes[i + 1];
      i += 2;
    } else if (i + 1 < n && classes[i + 1] == Class::kDigit && joins_digits(text[i]) &&
               last == Class::kDigit) {
      i += 2;
    } else {
      break;
    }
    skip_extenders();
  }
  return i;
}

bool contains(std::string_view list, std::string_view token) {
  // `list` is tokens with a blank around each.
  std::string needle = " ";
  needle.append(token).append(" ");
  return list.find(needle) != std::string_view::npos;
}

bool closes(std::string_view token) {
  return contains(" , . ; : ! ? … % ) ] } ’ ” ' 。 、 ， ！ ？ ： ； ） 】 」 』 ", token);
}

bool opens(std::string_view token) {
  return contains(" ( [ { “ ‘ „ ‚ ¿ ¡ $ £ # （ 【 「 『 ", token);
}

class WordTokeniser final : public Tokeniser {
 public:
  std::vector<std::string> split(std::string_view clean) const override {
    const std::vector<char32_t> text = core::decode_utf8(clean);
    std::vector<Class> classes(text.size());
    for (size_t i = 0; i < text.size(); ++i) classes[i] = class_of(text[i]);
    std::vector<std::string> tokens;
    for (size_t i = 0; i < text.size();) {
      if (classes[i] == Class::kSpace) {
        ++i;
        continue;
      }
      const size_t end = token_end(text, classes, i);
      std::string token;
      for (; i < end; ++i) core::append_utf8(token, text[i]);
      tokens.push_back(std::move(token));
    }
    return tokens;
  }

  std::string join(const std::vector<std::string>& tokens) const override {
    std::string out;
    bool glue = true;  // no blank before the next token
    bool quoted = false;
    for (const std::string& token : tokens) {
      const bool straight = token == "\"";
      const bool closing = straight ? quoted : closes(token);
      if (!glue && !closing) out += ' ';
      out += token;
      glue = straight ? !quoted : opens(token);
      if (straight) quoted = !quoted;
    }
    return out;
  }
};

}  // namespace

std::unique_ptr<Tokeniser> make_word_tokeniser() { return std::make_unique<WordTokeniser>(); }

}  // namespace attend::text
