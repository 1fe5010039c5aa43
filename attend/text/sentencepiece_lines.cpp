#include "attend/text/sentencepiece_lines.h"

#include <algorithm>
#include <array>
#include <functional>
#include <unordered_map>

#include "attend/core/utf8.h"
#include "attend/text/clusters.h"

namespace attend::text {
namespace {

constexpr char32_t kUnknownMark = 0x2585;
constexpr char32_t kBlankSpelled = 0xFDD0;
constexpr char32_t kUnknownSpelled = 0xFDD1;
constexpr char32_t kQuote = 0xFDD2;
constexpr std::array<std::string_view, 4> kMarks = {"<unk>", "<pad>", "<bos>", "<eos>"};

// All of them are three bytes that begin with E2 or EF.
bool may_be_reserved(std::string_view text) {
  return text.find('\xE2') != text.npos || text.find('\xEF') != text.npos;
}

// Where a line longer than `longest` is to be cut: at a blank, else before a character.
size_t cut_of(std::string_view line, size_t longest) {
  const size_t blank = line.substr(0, longest).rfind(' ');
  if (blank != line.npos && blank > 0) return blank;
  size_t cut = longest;
  while (cut > 1 && (static_cast<unsigned char>(line[cut]) & 0xC0) == 0x80) --cut;
  return cut;
}

std::string with_marks_parted(std::string_view line) {
  std::string out(line);
  for (const std::string_view mark : kMarks)
    for (size_t at = out.find(mark); at != out.npos; at = out.find(mark, at + 1))
      out.insert(at + 1, 1, '\t');
  return out;
}

}  // namespace

std::string spell_reserved(std::string_view text) {
  if (!may_be_reserved(text)) return std::string(text);
  std::string out;
  for (const char32_t c : core::decode_utf8(text)) {
    if (c >= kBlankSpelled && c <= kQuote) core::append_utf8(out, kQuote);
    core::append_utf8(out, c == kBlankMark     ? kBlankSpelled
                           : c == kUnknownMark ? kUnknownSpelled
                                               : c);
  }
  return out;
}

std::string read_reserved(std::string_view text, bool show) {
  if (!may_be_reserved(text)) return std::string(text);
  std::string out;
  bool quoted = false;
  for (const char32_t c : core::decode_utf8(text)) {
    if (!quoted && c == kQuote) {
      quoted = true;
      continue;
    }
    if (!quoted && c == kBlankSpelled)
      out += show ? kSpelledBlankMark : kBlankMarkText;
    else
      core::append_utf8(out, !quoted && c == kUnknownSpelled ? kUnknownMark : c);
    quoted = false;
  }
  return out;
}

std::vector<std::string> training_lines(std::string_view clean, size_t longest) {
  std::vector<std::string> lines;
  while (!clean.empty()) {
    const size_t cut = clean.size() > longest ? cut_of(clean, longest) : clean.size();
    lines.push_back(with_marks_parted(spell_reserved(clean.substr(0, cut))));
    clean.remove_prefix(cut);
    if (clean.starts_with(' ')) clean.remove_prefix(1);
  }
  return lines;
}

int64_t Alphabet::needed(double coverage) const {
  // In single precision, as SentencePiece does it.
  const auto wanted = static_cast<float>(coverage);
  int64_t covered = 0, needed = 0;
  for (const int64_t count : counts) {
    if (static_cast<float>(static_cast<double>(covered) / static_cast<double>(all)) >= wanted)
      break;
    covered += count;
    ++needed;
  }
  return needed;
}

Alphabet count_alphabet(const std::vector<std::string>& lines) {
  std::unordered_map<char32_t, int64_t> counts;
  Alphabet alphabet;
  for (const std::string& line : lines) {
    ++counts[kBlankMark];
    ++alphabet.all;
    for (const char32_t c : core::decode_utf8(line)) {
      ++alphabet.all;
      if (c != '\t') ++counts[c == ' ' ? kBlankMark : c];
    }
  }
  for (const auto& entry : counts) alphabet.counts.push_back(entry.second);
  std::sort(alphabet.counts.begin(), alphabet.counts.end(), std::greater<>());
  return alphabet;
}

}  // namespace attend::text
