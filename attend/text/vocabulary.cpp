#include "attend/text/vocabulary.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "attend/core/errors.h"
#include "attend/core/utf8.h"
#include "attend/text/escape.h"

namespace attend::text {
namespace {

constexpr std::array<std::string_view, 4> kMarks = {"<unk>", "<pad>", "<bos>", "<eos>"};
constexpr int64_t kMaxSize = std::numeric_limits<int32_t>::max();

bool is_mark(std::string_view token) {
  return std::find(kMarks.begin(), kMarks.end(), token) != kMarks.end();
}

/// A word as a line of the file, told from the marks.
std::string word_line(const std::string& token) {
  return is_mark(token) ? "\\x3C" + token.substr(1) : escape_token(token);
}

void check(const Vocabulary::Options& options) {
  if (options.min_frequency < 1)
    throw InvalidArgument("[vocabulary] expected a minimal frequency of 1 or more, found " +
                          std::to_string(options.min_frequency));
  const auto marks = static_cast<int64_t>(kMarks.size());
  if (options.max_size != 0 && options.max_size <= marks)
    throw InvalidArgument("[vocabulary] expected a size above " + std::to_string(marks) +
                          " (four marks and a token) or 0 (no limit), found " +
                          std::to_string(options.max_size));
}

void check_token(const std::string& token) {
  if (token.empty()) throw InvalidArgument("[vocabulary] expected tokens, found an empty one");
  if (core::find_invalid_utf8(token) != std::string::npos)
    throw InvalidArgument("[vocabulary] expected valid UTF-8, found the token \"" +
                          core::mend_utf8(token) + "\"");
}

[[noreturn]] void fail(const std::string& path, size_t id, const std::string& message) {
  throw DataError(path, static_cast<int64_t>(id) + 1, 0, message);
}

}  // namespace

Vocabulary::Vocabulary() : tokens_(kMarks.begin(), kMarks.end()) {}

Vocabulary Vocabulary::build(const std::vector<std::vector<std::string>>& sentences,
                             const Options& options) {
  TokenCounts counts;
  for (const auto& sentence : sentences)
    for (const std::string& token : sentence) ++counts[token];
  return build(counts, options);
}

Vocabulary Vocabulary::build(const TokenCounts& counts, const Options& options) {
  check(options);
  std::vector<std::pair<int64_t, const std::string*>> kept;
  for (const auto& [token, count] : counts) {
    check_token(token);
    if (count >= options.min_frequency) kept.emplace_back(count, &token);
  }
  std::sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : *a.second < *b.second;
  });
  const int64_t limit = options.max_size > 0 ? std::min(options.max_size, kMaxSize) : kMaxSize;
  const auto room = static_cast<size_t>(limit) - kMarks.size();
  if (kept.size() > room) kept.resize(room);

  Vocabulary vocabulary;
  for (const auto& entry : kept) {
    vocabulary.ids_.emplace(*entry.second, static_cast<int32_t>(vocabulary.tokens_.size()));
    vocabulary.tokens_.push_back(*entry.second);
  }
  return vocabulary;
}

Vocabulary Vocabulary::parse(const std::string& text, const std::string& path) {
  const std::vector<std::string> lines = core::split_lines(text);
  Vocabulary vocabulary;
  vocabulary.tokens_.clear();
  std::string token;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty()) fail(path, i, "a token was expected, found an empty line");
    if (!unescape_token(lines[i], token))
      fail(path, i,
           "a bad escape in \"" + core::mend_utf8(lines[i]) + "\"; known: \\\\ \\t \\n \\xNN");
    if (core::find_invalid_utf8(token) != std::string::npos) fail(path, i, "invalid UTF-8");
    const std::string shown = "\"" + lines[i] + "\"";
    if (i < kMarks.size()) {
      if (lines[i] != kMarks[i])
        fail(path, i, "the mark " + std::string(kMarks[i]) + " was expected, found " + shown);
    } else if (is_mark(lines[i])) {
      fail(path, i,
           "the mark " + shown + " stands a second time; as a word of the text it is written " +
               word_line(token));
    } else {
      const auto [where, added] = vocabulary.ids_.emplace(token, static_cast<int32_t>(i));
      if (!added)
        fail(path, i,
             "the token " + shown + " stands a second time; first on line " +
                 std::to_string(where->second + 1));
    }
    vocabulary.tokens_.push_back(token);
  }
  if (lines.size() < kMarks.size())
    throw DataError(
        path, "the marks <unk> <pad> <bos> <eos> were expected on the first four lines, found " +
                  std::to_string(lines.size()) + " lines");
  return vocabulary;
}

std::string Vocabulary::serialize() const {
  std::string text;
  for (size_t i = 0; i < tokens_.size(); ++i)
    text.append(i < kMarks.size() ? tokens_[i] : word_line(tokens_[i])).append(1, '\n');
  return text;
}

int32_t Vocabulary::id(std::string_view token) const {
  const auto found = ids_.find(token);
  return found == ids_.end() ? special_.unknown : found->second;
}

bool Vocabulary::contains(std::string_view token) const { return ids_.find(token) != ids_.end(); }

const std::string& Vocabulary::token(int32_t id) const {
  if (id < 0 || id >= size())
    throw InvalidArgument("[vocabulary] expected an id in [0, " + std::to_string(size()) +
                          "), found " + std::to_string(id));
  return tokens_[static_cast<size_t>(id)];
}

}  // namespace attend::text
