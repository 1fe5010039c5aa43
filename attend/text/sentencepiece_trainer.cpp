#include <sentencepiece_trainer.h>

#include <exception>
#include <unordered_map>

#include "attend/core/errors.h"
#include "attend/text/codec.h"
#include "attend/text/sentencepiece_lines.h"

namespace attend::text {
namespace {

namespace spm = sentencepiece;

constexpr int64_t kMarks = 4;
constexpr int64_t kSmallAlphabet = 1000;
constexpr double kRichCoverage = 0.9995;  // SentencePiece's advice for Chinese and Japanese

class Lines final : public spm::SentenceIterator {
 public:
  explicit Lines(const std::vector<std::string>& lines) : lines_(lines) {}
  bool done() const override { return next_ >= lines_.size(); }
  void Next() override { ++next_; }
  const std::string& value() const override { return lines_[next_]; }
  spm::util::Status status() const override { return {}; }

 private:
  const std::vector<std::string>& lines_;
  size_t next_ = 0;
};

/// Every character, where half of the pieces or more are left to be longer than one.
double coverage_of(const PieceOptions& options, const Alphabet& alphabet) {
  if (options.coverage > 0) return options.coverage;
  const auto characters = static_cast<int64_t>(alphabet.counts.size());
  const bool small = characters <= kSmallAlphabet && 2 * (characters + kMarks) <= options.size;
  return small ? 1.0 : kRichCoverage;
}

void check_room(const PieceOptions& options, const Alphabet& alphabet, double coverage) {
  const int64_t characters = alphabet.needed(coverage);
  const int64_t least = characters + kMarks;
  if (options.size >= least) return;
  throw InvalidArgument("[text] expected text.max_vocabulary of " + std::to_string(least) +
                        " or more for the sentencepiece of the " + options.side + " (" +
                        std::to_string(characters) + " different characters and " +
                        std::to_string(kMarks) + " marks; 0: 8000), found " +
                        std::to_string(options.size));
}

std::string learn(const std::vector<std::string>& lines, const PieceOptions& options,
                  double coverage) {
  // The number of threads decides the order in which SentencePiece adds its sums, and so the
  // model's bits: it is fixed here, whatever the machine has.
  const std::unordered_map<std::string, std::string> settings = {
      {"model_type", "unigram"},
      {"vocab_size", std::to_string(options.size)},
      {"hard_vocab_limit", "false"},
      {"unk_id", "0"},
      {"pad_id", "1"},
      {"bos_id", "2"},
      {"eos_id", "3"},
      {"unk_piece", "<unk>"},
      {"pad_piece", "<pad>"},
      {"bos_piece", "<bos>"},
      {"eos_piece", "<eos>"},
      {"unk_surface", "<unk>"},
      {"normalization_rule_name", "identity"},
      {"character_coverage", std::to_string(coverage)},
      {"input_sentence_size", "0"},
      {"shuffle_input_sentence", "false"},
      {"max_sentence_length", "1048576"},
      {"num_threads", "4"},
      {"minloglevel", "3"},
  };
  Lines iterator(lines);
  std::string bytes;
  try {
    if (spm::SentencePieceTrainer::Train(settings, &iterator, &bytes).ok()) return bytes;
  } catch (const std::exception&) {
    // Its trie throws; what it says is of no more use than its status.
  }
  throw InvalidArgument("[text] SentencePiece can't learn " + std::to_string(options.size) +
                        " pieces from the " + std::to_string(lines.size()) + " lines of the " +
                        options.side +
                        ": give it more text, another text.max_vocabulary, or take another "
                        "tokeniser");
}

}  // namespace

std::string train_sentencepiece(const std::vector<std::string>& clean_lines,
                                const PieceOptions& options) {
  if (options.coverage != 0 && !(options.coverage >= 0.98 && options.coverage <= 1))
    throw InvalidArgument(
        "[text] expected text.character_coverage of 0.98 to 1, or 0 (chosen by the alphabet), "
        "found " +
        std::to_string(options.coverage));
  std::vector<std::string> lines;
  for (const std::string& line : clean_lines)
    for (std::string& part : training_lines(line)) lines.push_back(std::move(part));
  const Alphabet alphabet = count_alphabet(lines);
  const double coverage = coverage_of(options, alphabet);
  check_room(options, alphabet, coverage);
  return learn(lines, options, coverage);
}

}  // namespace attend::text
