// Words, numbers and marks as tokens. Tokens tell by ties where no blank stood; those of version 1
// have none, and are joined by rules.
#include "attend/core/utf8.h"
#include "attend/text/clusters.h"
#include "attend/text/tokeniser.h"
#include "attend/text/word_spans.h"

namespace attend::text {
namespace {

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

std::string text_of(const std::vector<char32_t>& text, const WordSpan& span) {
  std::string out;
  for (size_t i = span.begin; i < span.end; ++i) core::append_utf8(out, text[i]);
  return out;
}

/// A token without its ties, and where those were.
struct Untied {
  std::string_view body;
  bool before = false;
  bool after = false;
};

Untied untie(std::string_view token) {
  Untied untied{token, token.starts_with(kTieMarkText), false};
  if (untied.before) untied.body.remove_prefix(kTieMarkText.size());
  const bool ends = untied.body.ends_with(kTieMarkText);
  untied.after = ends || (untied.before && untied.body.empty());
  if (ends) untied.body.remove_suffix(kTieMarkText.size());
  return untied;
}

class WordTokeniser final : public Tokeniser {
 public:
  std::vector<std::string> split(std::string_view clean) const override {
    const std::vector<char32_t> text = core::decode_utf8(clean);
    const std::vector<WordSpan> spans = word_spans(text, true);
    std::vector<std::string> tokens;
    tokens.reserve(spans.size());
    bool tie_due = false;  // before the next token
    for (size_t i = 0; i < spans.size(); ++i) {
      const std::string body = text_of(text, spans[i]);
      std::string token(tie_due ? kTieMarkText : "");
      if (text[spans[i].begin] == kTieMark)
        token.append(kSpelledTieMark).append(body.substr(kTieMarkText.size()));
      else
        token += body;
      tie_due = false;
      if (i + 1 < spans.size() && spans[i + 1].begin == spans[i].end) {
        // A mark takes the tie, so that words look the same everywhere; of two the second, unless
        // the first opens.
        tie_due = !spans[i].is_mark || (spans[i + 1].is_mark && !opens(body));
        if (!tie_due) token += kTieMarkText;
      }
      tokens.push_back(std::move(token));
    }
    return tokens;
  }

  std::string join(const std::vector<std::string>& tokens) const override {
    std::string out;
    bool tied = true;  // to the next token
    for (const std::string& token : tokens) {
      const Untied untied = untie(token);
      if (!tied && !untied.before) out += ' ';
      out += surface(token);
      tied = untied.after;
    }
    return out;
  }

  std::string surface(std::string_view token) const override {
    const std::string_view body = untie(token).body;
    if (!body.starts_with(kSpelledTieMark)) return std::string(body);
    return std::string(kTieMarkText).append(body.substr(kSpelledTieMark.size()));
  }
};

class FirstWordTokeniser final : public Tokeniser {
 public:
  std::vector<std::string> split(std::string_view clean) const override {
    const std::vector<char32_t> text = core::decode_utf8(clean);
    std::vector<std::string> tokens;
    for (const WordSpan& span : word_spans(text, false)) tokens.push_back(text_of(text, span));
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

  std::string surface(std::string_view token) const override { return std::string(token); }
};

}  // namespace

std::unique_ptr<Tokeniser> make_word_tokeniser(TextVersion version) {
  if (version == TextVersion::kFirst) return std::make_unique<FirstWordTokeniser>();
  return std::make_unique<WordTokeniser>();
}

}  // namespace attend::text
