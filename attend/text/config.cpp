#include "attend/core/errors.h"
#include "attend/text/pipeline.h"

namespace attend::text {
namespace {

core::ConfigTable& add_tokeniser(core::ConfigTable& table, const char* key, TokeniserKind& kind,
                                 const char* help) {
  return table.add_choice(key, kind, help,
                          {{"space", TokeniserKind::kSpace},
                           {"word", TokeniserKind::kWord},
                           {"character", TokeniserKind::kCharacter},
                           {"sentencepiece", TokeniserKind::kSentencePiece}});
}

}  // namespace

core::ConfigTable describe(TextConfig& config) {
  core::ConfigTable table(
      "text", "From a line of text to tokens; stored with the model and applied to all input");
  table
      .add("lowercase", config.lowercase,
           "Turn letters into lower case: a smaller vocabulary, but output without capitals.")
      .add("split_punctuation", config.split_punctuation,
           "With the space tokeniser: put a blank before each of , . ! ? so that \"home.\" is the "
           "word\n"
           "\"home\" and a mark. The other tokenisers split marks by themselves.");
  add_tokeniser(
      table, "source_tokeniser", config.source_tokeniser,
      "How the source is cut in tokens:\n"
      "  space          at blanks, as the book's chapter does\n"
      "  word           words, numbers and single marks, for any script with blanks; a mark shows\n"
      "                 by \u203f where it had none: \"no,\" is no and \u203f,\n"
      "  character      single characters, as people see them\n"
      "  sentencepiece  pieces of words, learned from the training text: no word is unknown");
  add_tokeniser(table, "target_tokeniser", config.target_tokeniser,
                "How the target is cut in tokens; the choices are those of source_tokeniser.");
  table
      .add("min_frequency", config.min_frequency,
           "Words seen fewer times in the training text become the unknown word. Not for "
           "sentencepiece.",
           1, 1000000000)
      .add("max_vocabulary", config.max_vocabulary,
           "Most entries of each vocabulary, the four marks included; the most frequent stay. 0: "
           "no limit\n"
           "(sentencepiece: 8000).",
           0, 10000000)
      .add(
          "character_coverage", config.character_coverage,
          "sentencepiece: share of the text's characters that get a piece of their own, 0.98 to 1; "
          "the\n"
          "rarest become unknown. 0: 1, but 0.9995 where more than 1000 different characters, or\n"
          "more than fit in half of max_vocabulary, are in the text.",
          0.0, 1.0)
      .add("source_spm", config.source_spm,
           "File of a SentencePiece model to use for the source, in place of training one. Empty: "
           "train.")
      .add("target_spm", config.target_spm, "The same for the target.")
      .add("version", config.version,
           "Of these rules, so that a model is used by those that it was trained with. 1: words "
           "are\n"
           "joined by the rules of English, characters are code points, and letters become lower\n"
           "case one by one.",
           1, kTextVersion);
  return table;
}

TextConfig stored_defaults() {
  TextConfig config;
  config.version = 1;
  return config;
}

CleanOptions clean_options(const TextConfig& config) {
  return {config.lowercase, config.split_punctuation, config.version > 1};
}

void check_effects(const TextConfig& config) {
  using Kind = TokeniserKind;
  const auto refuse = [](const std::string& key, const std::string& why) {
    throw InvalidArgument("[text] text." + key + " would have no effect: " + why);
  };
  const auto check_file = [&](const std::string& side, const std::string& file, Kind kind) {
    if (!file.empty() && kind != Kind::kSentencePiece)
      refuse(side + "_spm", "text." + side + "_tokeniser is not \"sentencepiece\"");
  };
  check_file("source", config.source_spm, config.source_tokeniser);
  check_file("target", config.target_spm, config.target_tokeniser);

  int64_t pieces = 0, learned = 0, spaces = 0;
  for (const auto& [kind, file] : {std::pair(config.source_tokeniser, &config.source_spm),
                                   std::pair(config.target_tokeniser, &config.target_spm)}) {
    if (kind == Kind::kSpace) ++spaces;
    if (kind == Kind::kSentencePiece) ++pieces;
    if (kind == Kind::kSentencePiece && file->empty()) ++learned;
  }
  const TextConfig usual;
  if (pieces == 2 && config.min_frequency != usual.min_frequency)
    refuse("min_frequency", "both sides are cut by sentencepiece, which knows no words");
  if (pieces == 2 && learned == 0 && config.max_vocabulary > 0)
    refuse("max_vocabulary", "both sides take the pieces of a file");
  if (learned == 0 && config.character_coverage != usual.character_coverage)
    refuse("character_coverage", "no pieces are learned from this text");
  if (spaces == 0 && !config.split_punctuation)
    refuse("split_punctuation", "neither side is cut by the space tokeniser");
}

}  // namespace attend::text
