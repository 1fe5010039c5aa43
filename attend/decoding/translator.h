// String in; text, tokens, scores and maps out. This header names no LibTorch type, so a file that
// includes it compiles in seconds.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attend/render/attention_map.h"

namespace attend {

struct LoadedModel;  // attend/models/model_files.h

/// What is left as it is here goes by the [decoding] table in the model's config.toml.
struct TranslateOptions {
  int64_t max_steps = 0;   ///< target tokens, the end mark included; where the table says 0 too,
                           ///< the model's [data] steps
  int64_t batch_size = 0;  ///< most sentences decoded together; changes no result
  /// Where the target is made of words and the model attends: an unknown word becomes the source
  /// word most attended to.
  std::optional<bool> replace_unknown = {};
  bool attention = false;  ///< fill Translation::map
  /// Called after each batch with the number of lines done (blank ones are done at once) and in
  /// all, by one thread at a time, not always the caller's. May be empty.
  std::function<void(int64_t done, int64_t total)> progress = {};
};

struct Translation {
  std::string text;                        ///< joined, for people
  std::vector<std::string> source_tokens;  ///< what the model read, the end mark included
  std::vector<std::string> tokens;         ///< what it wrote, without the end mark
  std::vector<int64_t> replaced;  ///< which of them were unknown and are words of the source now;
                                  ///< score and map are the unknown ones'
  std::vector<float> log_probabilities;  ///< of each token, and of the end mark when it was reached
  double score = 0.0;                    ///< their sum, nats
  bool finished = true;                  ///< false: max_steps came before the end mark
  bool source_cut = false;               ///< the source was longer than the model's steps
  /// What source tokens stand for that the vocabulary does not have, and forced ones.
  std::vector<std::string> unknown;
  render::AttentionMap map;  ///< empty unless asked for
};

/// A trained model, ready to translate. Const, and safe from many threads over one copy of the
/// weights.
class Translator {
 public:
  struct Options {
    std::string device = "auto";  ///< auto, cpu, cuda or mps
    int threads = 0;              ///< 0: as many as the machine has cores
  };

  /// Reads a model's folder. Throws DataError, naming the file, when something is missing, cut
  /// short, or does not belong together, or [decoding] can't be used.
  static Translator load(const std::string& folder, const Options& options);
  static Translator load(const std::string& folder) { return load(folder, Options()); }
  /// Shares a model that is loaded already, where its device is. `threads` as in Options. Throws
  /// InvalidArgument without a model.
  static Translator share(std::shared_ptr<const LoadedModel> model, int threads = 0);

  Translator(Translator&&) noexcept;
  Translator& operator=(Translator&&) noexcept;
  ~Translator();

  /// What translate() does with options that are left as they are: max_steps, batch_size and
  /// replace_unknown.
  TranslateOptions defaults() const;

  /// Greedy decoding, one result a line, in order. A blank line gives a blank line. Throws
  /// InvalidArgument for a batch_size or max_steps below 0.
  std::vector<Translation> translate(const std::vector<std::string>& lines,
                                     const TranslateOptions& options) const;
  Translation translate(const std::string& line, const TranslateOptions& options = {}) const;

  /// What the model attends to while it is made to write `target`; its scores are those of
  /// `target`. Throws InvalidArgument for a blank source.
  Translation force(const std::string& source, const std::string& target,
                    const TranslateOptions& options = {}) const;

 private:
  struct Impl;
  explicit Translator(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

}  // namespace attend
