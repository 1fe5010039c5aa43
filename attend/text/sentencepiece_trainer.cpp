#include <sentencepiece_trainer.h>

#include <unordered_map>

#include "attend/core/errors.h"
#include "attend/text/codec.h"

namespace attend::text {
namespace {

namespace spm = sentencepiece;

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

}  // namespace

std::string train_sentencepiece(const std::vector<std::string>& clean_lines, int64_t size) {
  // The number of threads decides the order in which SentencePiece adds its sums, and so the
  // model's bits: it is fixed here, whatever the machine has.
  const std::unordered_map<std::string, std::string> options = {
      {"model_type", "unigram"},
      {"vocab_size", std::to_string(size)},
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
      {"character_coverage", "0.9995"},
      {"input_sentence_size", "0"},
      {"shuffle_input_sentence", "false"},
      {"max_sentence_length", "1048576"},
      {"num_threads", "4"},
      {"minloglevel", "3"},
  };
  Lines lines(clean_lines);
  std::string bytes;
  const spm::util::Status status = spm::SentencePieceTrainer::Train(options, &lines, &bytes);
  if (!status.ok())
    throw InvalidArgument("[sentencepiece] training on " + std::to_string(clean_lines.size()) +
                          " lines for at most " + std::to_string(size) +
                          " pieces failed: " + std::string(status.message()));
  return bytes;
}

}  // namespace attend::text
