#include "cli/source_warnings.h"

#include <fmt/format.h>

namespace attend::cli {
namespace {

constexpr int64_t kTold = 5;
constexpr size_t kWords = 8;
constexpr int kWidestWord = 40;

std::string words(const std::vector<std::string>& unknown) {
  std::string text;
  for (size_t i = 0; i < unknown.size() && i < kWords; ++i)
    text += (i == 0 ? "" : ", ") + shown(unknown[i], kWidestWord);
  if (unknown.size() > kWords) text += fmt::format(" and {} more", unknown.size() - kWords);
  return text;
}

}  // namespace

int64_t SourceWarnings::told() const { return console_.quiet() ? 0 : kTold; }

void SourceWarnings::tell(Kind& kind, int64_t line, const std::string& text) {
  kind.lines.add(line);
  if (kind.lines.count <= told()) console_.warn(fmt::format("attend: line {}: {}", line, text));
}

void SourceWarnings::add(int64_t line, const Translation& translation) {
  if (translation.source_tokens.empty()) return;
  if (translation.source_cut)
    tell(cut_, line,
         fmt::format("cut to {} tokens, as the model was trained on sentences of up to {} with the "
                     "end mark",
                     translation.source_tokens.size() - 1, translation.source_tokens.size()));
  if (!translation.unknown.empty())
    tell(unknown_, line,
         fmt::format("unknown {}: {}", translation.unknown.size() == 1 ? "word" : "words",
                     words(translation.unknown)));
  replaced_words_ += static_cast<int64_t>(translation.replaced.size());
  replaced_lines_ += translation.replaced.empty() ? 0 : 1;
  if (translation.text.empty())
    tell(empty_, line, "the translation is empty");
  else if (!translation.finished)
    tell(unfinished_, line,
         fmt::format("the translation has no end after {} tokens (--max-steps allows more)",
                     translation.tokens.size()));
}

void SourceWarnings::mended(const data::LineTally& lines, const std::string& name) {
  if (lines.count > 0)
    console_.warn("attend: " + name + (name.empty() ? "" : ": ") +
                  "invalid UTF-8 replaced by U+FFFD on " + lines.text());
}

void SourceWarnings::tell_replaced() {
  if (replaced_words_ == 0) return;
  const bool one = replaced_words_ == 1;
  console_.warn(fmt::format(
      "attend: {} unknown {} in {} {} replaced by the source {} most attended to (--keep-unknown "
      "leaves <unk>)",
      replaced_words_, one ? "word" : "words",
      replaced_lines_ == 1 ? "one translation" : fmt::format("{} translations", replaced_lines_),
      one ? "was" : "were", one ? "word" : "words"));
  replaced_words_ = replaced_lines_ = 0;
}

void SourceWarnings::finish() {
  tell_replaced();
  for (const Kind* kind : {&cut_, &unknown_, &empty_, &unfinished_}) {
    const data::LineTally& lines = kind->lines;
    if (lines.count > told())
      console_.warn(fmt::format("attend: {} {}: {}", lines.count,
                                lines.count == 1 ? kind->one : kind->several, lines.text()));
  }
}

}  // namespace attend::cli
