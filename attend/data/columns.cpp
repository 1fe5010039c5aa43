#include "attend/data/columns.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "attend/core/errors.h"
#include "attend/data/text_bytes.h"

namespace attend::data {
namespace {

constexpr int64_t kMostColumns = 1000;
constexpr int64_t kLinesForSuggestion = 1000;

std::string_view trim(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\r' || c == '"'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_number(std::string_view cell) {
  cell = trim(cell);
  return !cell.empty() &&
         std::all_of(cell.begin(), cell.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<std::string_view> all_cells(std::string_view line) {
  std::vector<std::string_view> cells;
  for (size_t begin = 0;;) {
    const size_t end = std::min(line.find('\t', begin), line.size());
    cells.push_back(line.substr(begin, end - begin));
    if (end == line.size()) return cells;
    begin = end + 1;
  }
}

// ----- headers -----

constexpr std::array<std::string_view, 44> kLanguages = {
    "arabic",    "bengali",   "bulgarian", "catalan",   "chinese",    "croatian",  "czech",
    "danish",    "dutch",     "english",   "esperanto", "estonian",   "finnish",   "french",
    "german",    "greek",     "hebrew",    "hindi",     "hungarian",  "icelandic", "indonesian",
    "irish",     "italian",   "japanese",  "korean",    "latin",      "latvian",   "lithuanian",
    "mandarin",  "norwegian", "persian",   "polish",    "portuguese", "romanian",  "russian",
    "serbian",   "slovak",    "slovenian", "spanish",   "swedish",    "thai",      "turkish",
    "ukrainian", "vietnamese"};

constexpr std::array<std::string_view, 22> kRoles = {
    "source",      "target",      "src",       "tgt",         "trg",         "text",
    "translation", "reference",   "ref",       "input",       "output",      "sentence",
    "sentences",   "sentence1",   "sentence2", "source_text", "target_text", "input_text",
    "target_lang", "source_lang", "foreign",   "native"};

constexpr std::array<std::string_view, 27> kThreeLetterCodes = {
    "eng", "fra", "fre", "deu", "ger", "spa", "ita", "por", "rus",
    "jpn", "zho", "chi", "cmn", "kor", "nld", "dut", "pol", "tur",
    "ara", "hin", "ces", "cze", "swe", "fin", "hun", "ell", "ukr"};

// Two letters are often words too, "es" and "it" say: of a pair, one has to be of the first list.
constexpr std::array<std::string_view, 16> kPlainCodes = {
    "en", "fr", "ru", "zh", "ja", "ko", "pt", "nl", "pl", "uk", "cs", "sv", "fi", "hu", "bg", "vi"};
constexpr std::array<std::string_view, 14> kWordLikeCodes = {
    "de", "es", "it", "no", "da", "el", "he", "ar", "hi", "id", "ro", "et", "tr", "la"};

template <size_t N>
bool is_among(const std::array<std::string_view, N>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

enum class Heading { kNone, kWordLikeCode, kPlainCode, kName };

Heading heading_of(std::string_view cell) {
  std::string word;
  for (const char c : trim(cell)) word += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  if (is_among(kRoles, word) || is_among(kLanguages, word) || is_among(kThreeLetterCodes, word))
    return Heading::kName;
  if (is_among(kPlainCodes, word)) return Heading::kPlainCode;
  if (is_among(kWordLikeCodes, word)) return Heading::kWordLikeCode;
  // "English words/sentences", "french_text"
  const std::string rest = word.substr(std::min(word.find_first_of(" _-"), word.size()));
  const std::string first = word.substr(0, word.size() - rest.size());
  const bool described =
      rest.size() > 1 && (is_among(kRoles, rest.substr(1)) || rest.substr(1) == "words/sentences");
  return described && is_among(kLanguages, first) ? Heading::kName : Heading::kNone;
}

}  // namespace

std::optional<Columns> parse_columns(std::string_view text) {
  if (text.empty()) return std::nullopt;
  Columns columns{0, 0};
  const char* const end = text.data() + text.size();
  const auto [comma, first] = std::from_chars(text.data(), end, columns.source);
  bool good = first == std::errc() && comma != end && *comma == ',';
  if (good) {
    const auto [rest, second] = std::from_chars(comma + 1, end, columns.target);
    good = second == std::errc() && rest == end;
  }
  const auto in_range = [](int64_t n) { return n >= 1 && n <= kMostColumns; };
  if (!good || !in_range(columns.source) || !in_range(columns.target) ||
      columns.source == columns.target)
    throw InvalidArgument(
        "[data] expected the columns of source and target, counted from 1, as in 2,4; found \"" +
        std::string(text) + "\"");
  return columns;
}

std::optional<Cells> cut_columns(std::string_view line, const Columns& columns) {
  Cells cells;
  for (size_t begin = 0;;) {
    const size_t end = std::min(line.find('\t', begin), line.size());
    ++cells.columns;
    const std::string_view cell = line.substr(begin, end - begin);
    if (cells.columns == columns.source) cells.source = cell;
    if (cells.columns == columns.target) cells.target = cell;
    if (end == line.size()) break;
    begin = end + 1;
  }
  if (cells.columns < columns.needed()) return std::nullopt;
  return cells;
}

bool is_header(std::string_view source, std::string_view target) {
  const Heading a = heading_of(source);
  const Heading b = heading_of(target);
  if (a == Heading::kNone || b == Heading::kNone || trim(source) == trim(target)) return false;
  return a != Heading::kWordLikeCode || b != Heading::kWordLikeCode;
}

void HeaderWatch::add(std::string_view source, std::string_view target) {
  const bool is_one = is_header(source, target);
  if (pairs_++ == 0) first_is_ = is_one;
  if (is_one) ++headers_;
}

bool has_header(std::string_view source, std::string_view target) {
  HeaderWatch watch;
  LineWalker sources(source);
  LineWalker targets(target);
  std::string_view left, right;
  while (watch.wants_more() && sources.next(left) && targets.next(right)) watch.add(left, right);
  return watch.found();
}

void NumberWatch::add(std::string_view source, std::string_view target, int64_t columns,
                      int64_t line) {
  if (pairs_++ == 0) {
    least_columns_ = columns;
    first_source_ = trim(source);
    first_target_ = trim(target);
    first_line_ = line;
  }
  least_columns_ = std::min(least_columns_, columns);
  source_ = source_ && is_number(source);
  target_ = target_ && is_number(target);
}

std::string NumberWatch::text() const {
  if (!source_is_numbers() && !target_is_numbers()) return "";
  const bool both = source_is_numbers() && target_is_numbers();
  const bool source = source_is_numbers();
  return std::string(both     ? "both sides are numbers"
                     : source ? "the source is a number"
                              : "the target is a number") +
         " on every line (" + (source ? first_source_ : first_target_).substr(0, 20) + " on line " +
         std::to_string(first_line_) + ")";
}

std::string suggest_columns(std::string_view text) {
  std::vector<bool> has_words;
  LineWalker walker(text);
  for (std::string_view line; walker.number() < kLinesForSuggestion && walker.next(line);) {
    const std::vector<std::string_view> cells = all_cells(line);
    if (has_words.size() < cells.size()) has_words.resize(cells.size());
    for (size_t i = 0; i < cells.size(); ++i)
      has_words[i] = has_words[i] || (!trim(cells[i]).empty() && !is_number(cells[i]));
  }
  std::string suggestion;
  int64_t found = 0;
  for (size_t i = 0; i < has_words.size() && found < 2; ++i)
    if (has_words[i]) suggestion += (found++ > 0 ? "," : "") + std::to_string(i + 1);
  return found == 2 ? suggestion : "";
}

}  // namespace attend::data
