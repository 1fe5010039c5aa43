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
      "  word           words, numbers and single marks, for any script with blanks\n"
      "  character      single characters\n"
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
      .add("source_spm", config.source_spm,
           "File of a SentencePiece model to use for the source, in place of training one. Empty: "
           "train.")
      .add("target_spm", config.target_spm, "The same for the target.");
  return table;
}

}  // namespace attend::text
