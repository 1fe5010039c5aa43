#include "attend/decoding/translator.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "attend/core/errors.h"
#include "attend/core/processors.h"
#include "attend/data/dataset.h"
#include "attend/decoding/greedy.h"
#include "attend/decoding/maps.h"
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
        threads(threads),
        decodes_by_kernels(loaded.model->decoding_declined().empty()) {}

  std::shared_ptr<const LoadedModel> model;
  const LoadedModel& loaded;
  int threads;
  bool decodes_by_kernels;

  int64_t max_steps(const TranslateOptions& options) const {
    if (options.max_steps < 0)
      throw InvalidArgument("[translate] expected max_steps >= 0, found " +
                            std::to_string(options.max_steps));
    return options.max_steps > 0 ? options.max_steps : loaded.data_config.steps;
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
      for (const std::string& token : tokens)
        if (!loaded.source.knows(token)) result.unknown.push_back(token);
    result.source_tokens = std::move(tokens);
    result.source_tokens.push_back(end_label(loaded.source));
    result.source_cut = encoded.cut;
    return encoded;
  }

  // Writes a hypothesis for a line down as a translation.
  void write(const decoding::Hypothesis& hypothesis, const std::string& line,
             Translation& result) const {
    result.text = loaded.target.decode(hypothesis.ids);
    result.tokens = loaded.target.tokens_of(hypothesis.ids);
    result.log_probabilities = hypothesis.log_probabilities;
    result.score = hypothesis.score();
    result.finished = hypothesis.finished;
    if (hypothesis.attention.empty()) return;
    decoding::MapLabels labels{result.source_tokens, result.tokens, {begin_label(loaded.target)}};
    if (hypothesis.finished) labels.written.push_back(end_label(loaded.target));
    labels.fed.insert(labels.fed.end(), labels.written.begin(), labels.written.end() - 1);
    result.map = decoding::attention_map(hypothesis.attention, labels);
    result.map.title = std::string("Attention of a ") + kind_title(loaded.model->config().kind);
    result.map.source = loaded.source.clean(line);
    result.map.target = result.text;
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

std::vector<Translation> Translator::translate(const std::vector<std::string>& lines,
                                               const TranslateOptions& options) const {
  if (options.batch_size < 1)
    throw InvalidArgument("[translate] expected a batch_size of at least 1, found " +
                          std::to_string(options.batch_size));
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
  const int64_t together = impl_->batch_of(sentences, options.batch_size);
  const int64_t batches = (count + together - 1) / together;
  const decoding::DecodeOptions decode = impl_->decode_options(options);
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
    for (int64_t i = first; i < end; ++i) {
      const size_t line = sentences[static_cast<size_t>(i)].line;
      impl_->write(hypotheses[static_cast<size_t>(i - first)], lines[line], results[line]);
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
  for (const std::string& token : impl_->loaded.target.tokens(target))
    if (!impl_->loaded.target.knows(token)) result.unknown.push_back(token);
  std::vector<int32_t> ids = impl_->loaded.target.encode(target);
  ids.push_back(impl_->loaded.target.special().end);
  data::PackedIds packed_source, packed_target;
  packed_source.append(read.ids);
  packed_target.append(ids);
  const ops::TorchThreads one_thread(1);
  impl_->write(decoding::force(*impl_->loaded.model, packed_source, packed_target,
                               impl_->decode_options(options))
                   .front(),
               source, result);
  return result;
}

}  // namespace attend
