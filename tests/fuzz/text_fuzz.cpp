// Cleaning, tokenisers and the vocabulary's file: valid text comes out of any bytes, and what is
// written reads the same.
#include "attend/core/utf8.h"
#include "attend/text/clean.h"
#include "attend/text/escape.h"
#include "attend/text/sentencepiece_lines.h"
#include "attend/text/tokeniser.h"
#include "attend/text/vocabulary.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace attend;

void rewrite(const text::Vocabulary& vocabulary) {
  const std::string file = vocabulary.serialize();
  fuzz::require(text::Vocabulary::parse(file, "fuzz").serialize() == file);
}

// Other white space than blanks comes back as a blank.
bool is_parted_by_blanks(const std::string& clean) {
  for (const char* other : {"\v", "\f", "\u0085", "\u2028", "\u2029"})
    if (clean.find(other) != std::string::npos) return false;
  return true;
}

void check(const text::Tokeniser& tokeniser, const std::string& clean) {
  const auto tokens = tokeniser.split(clean);
  for (const std::string& token : tokens) {
    fuzz::require(!token.empty());
    fuzz::require(core::find_invalid_utf8(token) == std::string::npos);
    std::string back;
    fuzz::require(text::unescape_token(text::escape_token(token), back) && back == token);
  }
  for (const std::string& token : tokens) fuzz::require(!tokeniser.surface(token).empty());
  tokeniser.join(tokens);
  rewrite(text::Vocabulary::build({tokens}, {}));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = fuzz::text_of(data, size);
  for (const int choice : {0, 1, 2, 3}) {
    const text::CleanOptions options{(choice & 1) != 0, (choice & 2) != 0};
    const std::string clean = text::clean_line(bytes, options);
    fuzz::require(core::find_invalid_utf8(clean) == std::string::npos);
    fuzz::require(text::clean_line(clean, options) == clean);
    fuzz::require(clean.empty() == text::is_blank_line(bytes));
    const auto space = text::make_space_tokeniser();
    check(*space, clean);
    fuzz::require(space->join(space->split(clean)) == clean);
    const auto word = text::make_word_tokeniser();
    check(*word, clean);
    if (is_parted_by_blanks(clean)) fuzz::require(word->join(word->split(clean)) == clean);
    const auto character = text::make_character_tokeniser();
    check(*character, clean);
    fuzz::require(character->join(character->split(clean)) == clean);
    check(*text::make_word_tokeniser(text::TextVersion::kFirst), clean);
    check(*text::make_character_tokeniser(text::TextVersion::kFirst), clean);
    fuzz::require(text::read_reserved(text::spell_reserved(clean)) == clean);
  }
  fuzz::may_refuse([&] { rewrite(text::Vocabulary::parse(std::string(bytes), "fuzz")); });
  return 0;
}
