#include "attend/decoding/translator.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <utility>

#include "attend/core/errors.h"
#include "attend/core/processors.h"
#include "attend/data/dataset.h"
#include "attend/decoding/config.h"
#include "attend/decoding/greedy.h"
#include "attend/decoding/maps.h"
#include "attend/decoding/unknown_words.h"
#include "attend/models/model_files.h"
#include "attend/ops/device.h"
#include "attend/ops/torch_threads.h"

namespace attend {
namespace {

// A sentence on its way through: what is known of it before decoding.
struct Sentence {
  data::Encoded encoded;
  size_t line = 0;
};

// About a millisecond of decoding: threads are waked for no less.
constexpr double kProductsWorthThreads = 3e7;
// Fewer sentences at once would read the weights too often.
constexpr int64_t kLeastShared = 8;

bool is_blank(const Translation& result) { return result.source_tokens.empty(); }

}  // namespace

struct Translator::Impl {
  Impl(std::shared_ptr<const LoadedModel> model, int threads)
      : model(std::move(model)),
        loaded(*this->model),
        config(decoding::decoding_config(loaded)),
        threads(threads),
        decodes_by_kernels(loaded.model->decoding_declined().empty()) {}

  std::shared_ptr<const LoadedModel> model;
  const LoadedModel& loaded;
  decoding::DecodingConfig config;
  int threads;
  bool decodes_by_kernels;

  int64_t max_steps(const TranslateOptions& options) const {
    if (options.max_steps < 0)
      throw InvalidArgument("[translate] expected max_steps >= 0, found " +
                            std::to_string(options.max_steps));
    if (options.max_steps > 0) return options.max_steps;
    return config.max_steps > 0 ? config.max_steps : loaded.data_config.steps;
  }

  int64_t batch_size(const TranslateOptions& options) const {
    if (options.batch_size < 0)
      throw InvalidArgument("[translate] expected batch_size >= 0, found " +
                            std::to_string(options.batch_size));
    return options.batch_size > 0 ? options.batch_size : config.batch_size;
  }

  bool replaces_unknown(const TranslateOptions& options) const {
    return options.replace_unknown.value_or(config.replace_unknown) &&
           decoding::can_replace_unknown(*loaded.model, loaded.target);
  }

  decoding::DecodeOptions decode_options(const TranslateOptions& options) const {
    const text::SpecialIds& marks = loaded.target.special();
    return {max_steps(options), marks.begin, marks.end, options.attention};
  }

  // How many sentences go together. Kernels give a sentence the same bits in any batch, so each
  // thread gets some, longer ones first, where that is worth waking it.
  int64_t batch_of(const std::vector<Sentence>& sentences, int64_t most) const {
    if (threads == 1 || !decodes_by_kernels) return most;
    double products = 0;
    for (const Sentence& sentence : sentences)
      products += static_cast<double>(sentence.encoded.ids.size());
    products *= static_cast<double>(loaded.model->parameters().numel());
    if (products < kProductsWorthThreads) return most;
    const auto count = static_cast<int64_t>(sentences.size()), parts = int64_t{2} * threads;
    return std::min(most, std::max(kLeastShared, (count + parts - 1) / parts));
  }

  // Reads a line: fills the source's part of the result.
  data::Encoded read(const std::string& line, Translation& result) const {
    std::vector<std::string> tokens;
    data::Encoded encoded =
        data::encode_source(loaded.source, line, loaded.data_config.steps, &tokens);
    if (encoded.ids.size() <= 1 && !encoded.cut) return encoded;  // blank: the end mark alone
    if (encoded.unknown > 0)
      for (size_t i = 0; i < tokens.size(); ++i)
        if (encoded.ids[i] == loaded.source.special().unknown)
          result.unknown.push_back(loaded.source.surface(tokens[i]));
    result.source_tokens = std::move(tokens);
    result.source_tokens.push_back(end_label(loaded.source));
    result.source_cut = encoded.cut;
    return encoded;
  }

  // Writes a hypothesis for a line down as a translation.
  void write(const decoding::Hypothesis& hypothesis,
             const std::vector<decoding::UnknownWord>& unknown, const std::string& line,
             Translation& result) const {
    check_scores(hypothesis);
    const std::vector<std::string> written = loaded.target.tokens_of(hypothesis.ids);
    result.tokens = written;
    std::vector<std::string> words;
    for (const decoding::UnknownWord& word : unknown) {
      result.tokens[static_cast<size_t>(word.token)] = word.text;
      result.replaced.push_back(word.token);
      words.push_back(word.text);
    }
    result.text = loaded.target.decode(hypothesis.ids, words);
    result.log_probabilities = hypothesis.log_probabilities;
    result.score = hypothesis.score();
    result.finished = hypothesis.finished;
    if (hypothesis.attention.empty()) return;
    decoding::MapLabels labels{result.source_tokens, written, {begin_label(loaded.target)}};
    if (hypothesis.finished) labels.written.push_back(end_label(loaded.target));
    labels.fed.insert(labels.fed.end(), labels.written.begin(), labels.written.end() - 1);
    result.map = decoding::attention_map(hypothesis.attention, labels);
    result.map.title = std::string("Attention of a ") + kind_title(loaded.model->config().kind);
    result.map.source = loaded.source.clean(line);
    result.map.target = result.text;
  }

  std::string beside_config(const char* name) const {
    return (std::filesystem::path(loaded.config_path).parent_path() / name).string();
  }

  // Weights that are finite may overflow on the way: what comes out then is no translation.
  void check_scores(const decoding::Hypothesis& hypothesis) const {
    if (!std::isnan(hypothesis.score())) return;
    const ParameterStore& store = loaded.model->parameters();
    throw DataError(loaded.config_path.empty() ? "" : beside_config("model.safetensors"),
                    "the scores of a sentence are not numbers, so the weights overflow on the way; "
                    "the largest is " +
                        largest_weight(store, store.flat()));
  }

  static const char* kind_title(ModelKind kind) {
    switch (kind) {
      case ModelKind::kGru:
        return "recurrent translator";
      case ModelKind::kBahdanau:
        return "Bahdanau translator";
      case ModelKind::kTransformer:
        return "Transformer translator";
    }
    throw InternalError("[translator] an unknown kind");
  }
  static std::string end_label(const text::Pipeline& pipeline) {
    return pipeline.tokens_of({pipeline.special().end}).front();
  }
  static std::string begin_label(const text::Pipeline& pipeline) {
    return pipeline.tokens_of({pipeline.special().begin}).front();
  }
};

Translator::Translator(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
Translator::Translator(Translator&&) noexcept = default;
Translator& Translator::operator=(Translator&&) noexcept = default;
Translator::~Translator() = default;

Translator Translator::load(const std::string& folder, const Options& options) {
  return share(
      std::make_shared<LoadedModel>(load_model(folder, ops::choose_device(options.device))),
      options.threads);
}

Translator Translator::share(std::shared_ptr<const LoadedModel> model, int threads) {
  if (model == nullptr) throw InvalidArgument("[translator] expected a model, found none");
  if (threads < 0)
    throw InvalidArgument("[translator] expected threads >= 0, found " + std::to_string(threads));
  threads = core::automatic_threads(threads);
  return Translator(std::make_unique<Impl>(std::move(model), threads));
}

TranslateOptions Translator::defaults() const {
  return {.max_steps = impl_->max_steps({}),
          .batch_size = impl_->batch_size({}),
          .replace_unknown = impl_->replaces_unknown({})};
}

std::vector<Translation> Translator::translate(const std::vector<std::string>& lines,
                                               const TranslateOptions& options) const {
  std::vector<Translation> results(lines.size());
  std::vector<Sentence> sentences;  // those that are not blank
  for (size_t i = 0; i < lines.size(); ++i) {
    Sentence sentence{impl_->read(lines[i], results[i]), i};
    if (!is_blank(results[i])) sentences.push_back(std::move(sentence));
  }
  // Like lengths together: less to pad, and sentences of a batch end at about the same step.
  std::stable_sort(sentences.begin(), sentences.end(), [](const Sentence& a, const Sentence& b) {
    return a.encoded.ids.size() > b.encoded.ids.size();
  });

  const auto count = static_cast<int64_t>(sentences.size());
  const int64_t together = impl_->batch_of(sentences, impl_->batch_size(options));
  const int64_t batches = (count + together - 1) / together;
  const decoding::DecodeOptions decode = impl_->decode_options(options);
  const bool replaces = impl_->replaces_unknown(options);
  std::mutex progress_mutex;
  auto done = static_cast<int64_t>(lines.size()) - count;
  ops::TorchThreads threads(static_cast<int>(std::clamp<int64_t>(batches, 1, impl_->threads)));
  threads.pool().run(batches, [&](int64_t batch) {
    const int64_t first = batch * together;
    const int64_t end = std::min(first + together, count);
    data::PackedIds source;
    for (int64_t i = first; i < end; ++i)
      source.append(sentences[static_cast<size_t>(i)].encoded.ids);
    const std::vector<decoding::Hypothesis> hypotheses =
        decoding::greedy(*impl_->loaded.model, source, decode);
    std::vector<std::vector<decoding::UnknownWord>> unknown(hypotheses.size());
    if (replaces && decoding::has_unknown(hypotheses, impl_->loaded.target.special().unknown)) {
      std::vector<std::vector<std::string>> tokens;
      for (int64_t i = first; i < end; ++i)
        tokens.push_back(results[sentences[static_cast<size_t>(i)].line].source_tokens);
      unknown =
          decoding::unknown_words(*impl_->loaded.model, {impl_->loaded.source, source, tokens},
                                  hypotheses, impl_->loaded.target.special());
    }
    for (int64_t i = first; i < end; ++i) {
      const auto at = static_cast<size_t>(i - first);
      const size_t line = sentences[static_cast<size_t>(i)].line;
      impl_->write(hypotheses[at], unknown[at], lines[line], results[line]);
    }
    const std::lock_guard<std::mutex> lock(progress_mutex);
    done += end - first;
    if (options.progress) options.progress(done, static_cast<int64_t>(lines.size()));
  });
  return results;
}

Translation Translator::translate(const std::string& line, const TranslateOptions& options) const {
  return translate(std::vector<std::string>{line}, options).front();
}

Translation Translator::force(const std::string& source, const std::string& target,
                              const TranslateOptions& options) const {
  Translation result;
  const data::Encoded read = impl_->read(source, result);
  if (is_blank(result)) throw InvalidArgument("[force] expected a source with at least one token");
  std::vector<std::string> tokens;
  std::vector<int32_t> ids = impl_->loaded.target.encode(target, &tokens);
  for (size_t i = 0; i < tokens.size(); ++i)
    if (ids[i] == impl_->loaded.target.special().unknown)
      result.unknown.push_back(impl_->loaded.target.surface(tokens[i]));
  ids.push_back(impl_->loaded.target.special().end);
  data::PackedIds packed_source, packed_target;
  packed_source.append(read.ids);
  packed_target.append(ids);
  const ops::TorchThreads one_thread(1);
  impl_->write(decoding::force(*impl_->loaded.model, packed_source, packed_target,
                               impl_->decode_options(options))
                   .front(),
               {}, source, result);
  return result;
}

}  // namespace attend
