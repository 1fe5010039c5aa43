#include "attend/text/pipeline.h"

#include <utility>

#include "attend/core/errors.h"
#include "attend/core/file_format.h"
#include "attend/core/files.h"
#include "attend/core/utf8.h"
#include "attend/text/clean.h"
#include "attend/text/codec.h"

namespace attend::text {
namespace {

constexpr int64_t kDefaultPieces = 8000;
constexpr int64_t kMarks = 4;  // of every vocabulary

TokeniserKind kind_of(const TextConfig& config, Side side) {
  return side == Side::kSource ? config.source_tokeniser : config.target_tokeniser;
}

const char* name_of(Side side) { return side == Side::kSource ? "source" : "target"; }

TextVersion version_of(const TextConfig& config) {
  if (config.version == static_cast<int64_t>(TextVersion::kFirst)) return TextVersion::kFirst;
  if (config.version == kTextVersion) return TextVersion::kPresent;
  throw InvalidArgument("[text] expected version 1 or " + std::to_string(kTextVersion) +
                        ", found " + std::to_string(config.version));
}

std::unique_ptr<Tokeniser> make_tokeniser(const TextConfig& config, TokeniserKind kind) {
  switch (kind) {
    case TokeniserKind::kSpace:
      return make_space_tokeniser();
    case TokeniserKind::kWord:
      return make_word_tokeniser(version_of(config));
    case TokeniserKind::kCharacter:
      return make_character_tokeniser(version_of(config));
    case TokeniserKind::kSentencePiece:
      break;
  }
  throw InternalError("[text] a tokeniser without a maker");
}

CleanOptions clean_options(const TextConfig& config, TokeniserKind kind) {
  CleanOptions options = text::clean_options(config);
  options.split_punctuation = options.split_punctuation && kind == TokeniserKind::kSpace;
  return options;
}

/// A SentencePiece model's bytes: a Protocol Buffers message, whose first field is its pieces.
std::string read_pieces(const std::string& path) {
  const auto check = [&](std::string_view head, int64_t) {
    if (head.empty() || head.front() == '\n') return;  // an empty one is refused in words later
    const std::string format = core::format_text(head);
    throw DataError(path, format.empty() ? "no SentencePiece model"
                                         : format + ", and a SentencePiece model was expected");
  };
  return core::read_file(path, {.check_head = check});
}

[[noreturn]] void fail_without_tokens(Side side, size_t lines) {
  throw InvalidArgument(std::string("[text] expected ") + name_of(side) +
                        " lines with words in them, found none in " + std::to_string(lines) +
                        " lines");
}

[[noreturn]] void fail_without_entries(Side side, size_t words, int64_t min_frequency) {
  throw InvalidArgument(
      std::string("[text] each of the ") + std::to_string(words) + " " + name_of(side) +
      " words is seen fewer than text.min_frequency = " + std::to_string(min_frequency) +
      " times, so that all of them would be the unknown word; set "
      "text.min_frequency = 1, or take more text");
}

std::unique_ptr<Codec> build_vocabulary(const TextConfig& config, Side side, TokeniserKind kind,
                                        const std::vector<std::string>& lines) {
  std::unique_ptr<Tokeniser> tokeniser = make_tokeniser(config, kind);
  const CleanOptions options = clean_options(config, kind);
  TokenCounts counts;
  for (const std::string& line : lines)
    for (std::string& token : tokeniser->split(clean_line(line, options)))
      ++counts[std::move(token)];
  if (counts.empty()) fail_without_tokens(side, lines.size());
  Vocabulary vocabulary = Vocabulary::build(
      counts, {.min_frequency = config.min_frequency, .max_size = config.max_vocabulary});
  if (vocabulary.size() == kMarks) fail_without_entries(side, counts.size(), config.min_frequency);
  return make_vocabulary_codec(std::move(tokeniser), std::move(vocabulary));
}

std::unique_ptr<Codec> build_sentencepiece(const TextConfig& config, Side side,
                                           const std::vector<std::string>& lines) {
  const std::string& given = side == Side::kSource ? config.source_spm : config.target_spm;
  if (!given.empty()) return load_sentencepiece(read_pieces(given), given, version_of(config));
  const CleanOptions options = clean_options(config, TokeniserKind::kSentencePiece);
  std::vector<std::string> clean;
  for (const std::string& line : lines) {
    std::string text = clean_line(line, options);
    if (!text.empty()) clean.push_back(std::move(text));
  }
  if (clean.empty()) fail_without_tokens(side, lines.size());
  const PieceOptions pieces{config.max_vocabulary > 0 ? config.max_vocabulary : kDefaultPieces,
                            config.character_coverage, name_of(side)};
  return load_sentencepiece(train_sentencepiece(clean, pieces), "a trained model",
                            version_of(config));
}

}  // namespace

struct Pipeline::Impl {
  Impl(const TextConfig& config, Side which, std::unique_ptr<Codec> its_codec)
      : side(which),
        kind(kind_of(config, which)),
        options(clean_options(config, kind)),
        codec(std::move(its_codec)),
        bytes(codec->bytes()),
        hash(core::fingerprint(bytes)) {}

  Side side;
  TokeniserKind kind;
  CleanOptions options;
  std::unique_ptr<Codec> codec;
  std::string bytes;
  std::string hash;
};

std::string file_name(TokeniserKind kind, Side side) {
  return std::string(name_of(side)) + (kind == TokeniserKind::kSentencePiece ? ".spm" : ".vocab");
}

Pipeline::Pipeline(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

Pipeline Pipeline::build(const TextConfig& config, Side side,
                         const std::vector<std::string>& lines) {
  check_effects(config);
  const TokeniserKind kind = kind_of(config, side);
  std::unique_ptr<Codec> codec = kind == TokeniserKind::kSentencePiece
                                     ? build_sentencepiece(config, side, lines)
                                     : build_vocabulary(config, side, kind, lines);
  return Pipeline(std::make_shared<const Impl>(config, side, std::move(codec)));
}

Pipeline Pipeline::load(const TextConfig& config, Side side, const std::string& folder) {
  const TokeniserKind kind = kind_of(config, side);
  const std::string path = folder + "/" + file_name(kind, side);
  std::string bytes =
      kind == TokeniserKind::kSentencePiece ? read_pieces(path) : core::read_text_file(path);
  std::unique_ptr<Codec> codec =
      kind == TokeniserKind::kSentencePiece
          ? load_sentencepiece(std::move(bytes), path, version_of(config))
          : make_vocabulary_codec(make_tokeniser(config, kind), Vocabulary::parse(bytes, path));
  return Pipeline(std::make_shared<const Impl>(config, side, std::move(codec)));
}

void Pipeline::save(const std::string& folder) const {
  core::make_folder(folder);
  core::write_file_atomic(folder + "/" + file_name(impl_->kind, impl_->side), impl_->bytes);
}

std::string Pipeline::clean(std::string_view line) const {
  return clean_line(line, impl_->options);
}

std::vector<std::string> Pipeline::tokens(std::string_view line) const {
  return impl_->codec->tokens(clean(line));
}

std::vector<int32_t> Pipeline::encode(std::string_view line,
                                      std::vector<std::string>* tokens) const {
  return impl_->codec->encode(clean(line), tokens);
}

std::vector<std::string> Pipeline::tokens_of(const std::vector<int32_t>& ids) const {
  std::vector<std::string> tokens;
  tokens.reserve(ids.size());
  for (const int32_t id : ids) tokens.push_back(impl_->codec->token(id));
  return tokens;
}

std::string Pipeline::decode(const std::vector<int32_t>& ids,
                             const std::vector<std::string>& words) const {
  return words.empty() ? impl_->codec->decode(ids) : impl_->codec->decode_with(ids, words);
}

std::string Pipeline::surface(std::string_view token) const { return impl_->codec->surface(token); }

int64_t Pipeline::vocabulary_size() const { return impl_->codec->size(); }
const SpecialIds& Pipeline::special() const { return impl_->codec->special(); }
bool Pipeline::knows(std::string_view token) const { return impl_->codec->knows(token); }
const std::string& Pipeline::hash() const { return impl_->hash; }
TokeniserKind Pipeline::tokeniser() const { return impl_->kind; }

}  // namespace attend::text
