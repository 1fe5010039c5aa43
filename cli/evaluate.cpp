// attend evaluate: scores of a model on pairs, or of translations against references.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <unordered_map>

#include "attend/core/counted.h"
#include "attend/core/errors.h"
#include "attend/core/processors.h"
#include "attend/data/corpus.h"
#include "attend/data/dataset.h"
#include "attend/data/text_bytes.h"
#include "attend/decoding/config.h"
#include "attend/metrics/book_bleu.h"
#include "attend/models/heads.h"
#include "attend/models/model_files.h"
#include "attend/ops/torch_threads.h"
#include "attend/training/gradients.h"
#include "attend/training/head_costs.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/evaluation.h"
#include "cli/head_ranking.h"
#include "cli/model_options.h"
#include "cli/numbers.h"
#include "cli/output.h"
#include "cli/source_warnings.h"
#include "cli/train_folder.h"

namespace attend::cli {
namespace {

struct EvaluateFlags {
  ModelOptions model;
  std::string data, columns, source, reference, hypothesis;
  std::string tokenizer = "13a";
  std::vector<std::string> without_heads;
  DecodingFlags decoding;
  int64_t limit = 0, bootstrap = 0;
  bool detokenised = false, lowercase = false, sentences = false, by_length = false, json = false;
  bool rank_heads = false, quiet = false;
};

std::string joined(const std::vector<std::string>& tokens) {
  std::string text;
  for (const auto& token : tokens) text += (text.empty() ? "" : " ") + token;
  return text;
}

// ----- with a model -----

// Whether a pipeline's tokens are words, so that BLEU over them is one over words.
bool has_word_tokens(const text::Pipeline& pipeline) {
  return pipeline.tokeniser() == text::TokeniserKind::kSpace ||
         pipeline.tokeniser() == text::TokeniserKind::kWord;
}

// Without pairs on the command line, those that training held out.
std::string held_out_file(const std::string& folder) {
  const std::filesystem::path path = std::filesystem::path(folder) / kHeldOutFile;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    throw InvalidArgument("give pairs to evaluate on: --data FILE, or --source A --reference B (" +
                          folder + " was trained without held-out pairs)");
  return path.string();
}

std::vector<data::Pair> read_model_pairs(const EvaluateFlags& flags, const LoadedModel& model,
                                         Console& console) {
  data::ReadOptions options;
  options.limit = flags.limit;
  options.swap = model.data_config.reverse && flags.source.empty();
  options.is_ours = flags.data.empty() && flags.source.empty();
  // Files of the form that was trained on, unless told otherwise.
  if (!flags.data.empty())
    options.columns =
        data::parse_columns(flags.columns.empty() ? model.data_config.columns : flags.columns);
  const std::string pairs = options.is_ours ? held_out_file(flags.model.folder) : flags.data;
  data::Corpus corpus = pairs.empty() ? data::read_parallel(flags.source, flags.reference, options)
                                      : data::read_pairs(pairs, options);
  if (corpus.report.has_news()) console.warn("attend: " + corpus.report.text());
  return std::move(corpus.pairs);
}

std::vector<HeadId> heads_to_remove(const EvaluateFlags& flags, const LoadedModel& model) {
  std::vector<HeadId> heads;
  for (const auto& name : flags.without_heads) {
    const HeadId head = parse_head(name, *model.model);
    if (std::find(heads.begin(), heads.end(), head) == heads.end()) heads.push_back(head);
  }
  return heads;
}

data::Dataset encoded(const LoadedModel& model, const std::vector<data::Pair>& pairs) {
  return data::encode_pairs(pairs, model.source, model.target, model.data_config.steps);
}

int64_t batch_size(const EvaluateFlags& flags, const LoadedModel& model) {
  return flags.decoding.batch_size > 0 ? flags.decoding.batch_size
                                       : decoding::decoding_config(model).batch_size;
}

Loss model_loss(const LoadedModel& model, const std::vector<data::Pair>& pairs,
                const EvaluateFlags& flags) {
  const data::Dataset dataset = encoded(model, pairs);
  ops::TorchThreads threads(core::automatic_threads(flags.model.threads));
  const auto total =
      training::dataset_loss(*model.model, dataset, batch_size(flags, model), threads.pool());
  return {total->sum, total->tokens, dataset.report.cut_target.count};
}

// What of both sides is scored, and how.
void set_scoring(const LoadedModel& model, const EvaluateFlags& flags, Evaluation& e) {
  if (flags.detokenised) {
    e.bleu_options.tokenizer = metrics::parse_tokenizer(flags.tokenizer);
    e.bleu_options.lowercase = e.chrf_options.lowercase = flags.lowercase;
    e.scored = "raw text";
    return;
  }
  e.bleu_options.lowercase = e.chrf_options.lowercase = model.text_config.lowercase;
  const bool words = has_word_tokens(model.target);
  e.bleu_options.tokenizer = words ? metrics::Tokenizer::kNone : metrics::Tokenizer::k13a;
  e.scored = std::string(words ? "the model's words" : "joined text") +
             (model.text_config.lowercase ? ", in lower case" : "");
}

std::string scored_reference(const LoadedModel& model, const EvaluateFlags& flags,
                             const std::string& reference) {
  if (flags.detokenised) return reference;
  return has_word_tokens(model.target) ? joined(model.target.tokens(reference))
                                       : model.target.clean(reference);
}

std::string scored_hypothesis(const LoadedModel& model, const EvaluateFlags& flags,
                              const Translation& translation) {
  return flags.detokenised || !has_word_tokens(model.target) ? translation.text
                                                             : joined(translation.tokens);
}

void translate_pairs(const std::shared_ptr<const LoadedModel>& model,
                     const std::vector<data::Pair>& pairs, const EvaluateFlags& flags,
                     Console& console, Evaluation& e) {
  std::vector<std::string> sources;
  for (const auto& pair : pairs) sources.push_back(pair.source);
  TranslateOptions options = flags.decoding.options();
  options.progress = [&](int64_t done, int64_t total) {
    console.live(fmt::format("translated {} of {}", done, total));
  };
  const auto translations =
      Translator::share(model, flags.model.threads).translate(sources, options);
  console.settle();
  SourceWarnings warnings(console);
  for (size_t i = 0; i < pairs.size(); ++i) {
    warnings.add(pairs[i].line, translations[i]);
    e.sentences.push_back({pairs[i].line, joined(model->source.tokens(pairs[i].source)),
                           scored_hypothesis(*model, flags, translations[i]),
                           scored_reference(*model, flags, pairs[i].target), 0.0,
                           translations[i].score});
  }
  warnings.finish();
}

// Pairs share their source with another pair.
int64_t count_shared(const LoadedModel& model, const std::vector<data::Pair>& pairs) {
  std::unordered_map<std::string, int64_t> seen;
  for (const auto& pair : pairs) ++seen[model.source.clean(pair.source)];
  int64_t shared = 0;
  for (const auto& entry : seen) shared += entry.second > 1 ? 1 : 0;
  return shared;
}

Evaluation evaluate_model(const EvaluateFlags& flags, Console& console) {
  const std::shared_ptr<const LoadedModel> model = load(flags.model);
  const WithoutHeads without(*model->model, heads_to_remove(flags, *model));
  const std::vector<data::Pair> pairs = read_model_pairs(flags, *model, console);
  Evaluation e;
  e.without_heads = flags.without_heads;
  set_scoring(*model, flags, e);
  translate_pairs(model, pairs, flags, console, e);
  e.loss = model_loss(*model, pairs, flags);
  e.shared_sources = count_shared(*model, pairs);
  if (e.loss->cut > 0)
    console.warn(fmt::format("attend: {} {} cut to {} tokens for the loss; BLEU has them whole",
                             e.loss->cut, e.loss->cut == 1 ? "reference was" : "references were",
                             model->data_config.steps));
  return e;
}

HeadRanking rank_heads(const EvaluateFlags& flags, Console& console) {
  const std::shared_ptr<const LoadedModel> model = load(flags.model);
  const WithoutHeads without(*model->model, heads_to_remove(flags, *model));
  const data::Dataset dataset = encoded(*model, read_model_pairs(flags, *model, console));
  ops::TorchThreads threads(core::automatic_threads(flags.model.threads));
  const auto progress = [&](int64_t done, int64_t total) {
    console.live(fmt::format("head {} of {}", done, total));
  };
  HeadRanking ranking{training::head_costs(*model->model, dataset, batch_size(flags, *model),
                                           threads.pool(), progress),
                      flags.without_heads};
  console.settle();
  return ranking;
}

// ----- without -----

void require_equal(const std::string& path, size_t lines, const std::string& other, size_t others) {
  if (lines != others)
    throw DataError(path,
                    fmt::format("has {}, {} has {}; line n of one belongs to line n of the "
                                "other",
                                core::counted(static_cast<int64_t>(lines), "line"), other, others));
}

Evaluation evaluate_files(const EvaluateFlags& flags) {
  const auto hypotheses = data::read_text_lines(flags.hypothesis).lines;
  const auto references = data::read_text_lines(flags.reference).lines;
  if (references.empty()) throw DataError(flags.reference, "has no line to score against");
  require_equal(flags.hypothesis, hypotheses.size(), flags.reference, references.size());
  std::vector<std::string> sources(references.size());
  if (!flags.source.empty()) {
    sources = data::read_text_lines(flags.source).lines;
    require_equal(flags.source, sources.size(), flags.reference, references.size());
  }
  Evaluation e;
  e.scored = "text, as it stands in the files";
  e.bleu_options.tokenizer = metrics::parse_tokenizer(flags.tokenizer);
  e.bleu_options.lowercase = e.chrf_options.lowercase = flags.lowercase;
  for (size_t i = 0; i < references.size(); ++i) {
    if (flags.limit > 0 && static_cast<int64_t>(i) >= flags.limit) break;
    e.sentences.push_back(
        {static_cast<int64_t>(i) + 1, sources[i], hypotheses[i], references[i], 0.0, {}});
  }
  return e;
}

// ----- both -----

void score(const EvaluateFlags& flags, Evaluation& e) {
  std::vector<std::string> hypotheses, references;
  std::vector<int64_t> lengths;
  double book = 0.0;
  for (auto& s : e.sentences) {
    s.book_bleu = metrics::book_bleu(s.hypothesis, s.reference);
    book += s.book_bleu;
    hypotheses.push_back(s.hypothesis);
    references.push_back(s.reference);
    lengths.push_back(metrics::count_blank_separated(s.source));
  }
  e.book_bleu = book / static_cast<double>(e.sentences.size());
  e.bleu = metrics::corpus_bleu(hypotheses, references, e.bleu_options);
  e.chrf = metrics::corpus_chrf(hypotheses, references, e.chrf_options);
  if (flags.by_length)
    e.by_length = metrics::bleu_by_source_length(lengths, hypotheses, references, {3, 6, 9, 12},
                                                 e.bleu_options);
  if (flags.bootstrap <= 0) return;
  e.bootstrap = metrics::BootstrapOptions{flags.bootstrap};
  e.bleu_interval = metrics::bootstrap_interval(
      metrics::bleu_statistics(hypotheses, {references}, e.bleu_options),
      metrics::bleu_scorer(e.bleu_options), *e.bootstrap);
  e.chrf_interval = metrics::bootstrap_interval(
      metrics::chrf_statistics(hypotheses, {references}, e.chrf_options),
      metrics::chrf_scorer(e.chrf_options), *e.bootstrap);
}

int evaluate(const EvaluateFlags& flags) {
  Console console(flags.quiet);
  Output output;
  if (flags.rank_heads) {
    const HeadRanking ranking = rank_heads(flags, console);
    output.write(flags.json ? to_json(ranking) : to_text(ranking));
    output.finish();
    return 0;
  }
  Evaluation e = flags.hypothesis.empty() ? evaluate_model(flags, console) : evaluate_files(flags);
  score(flags, e);
  for (const auto& hint : e.bleu.hints) console.warn("attend: " + hint);
  if (e.shared_sources > 0)
    console.note(fmt::format("{} {} several references; each pair is scored by its own alone",
                             e.shared_sources,
                             e.shared_sources == 1 ? "source has" : "sources have"));
  if (flags.json) {
    output.write(to_json(e, flags.sentences));
  } else {
    if (flags.sentences) output.write(sentences_text(e));
    output.write(summary_text(e));
  }
  output.finish();
  return 0;
}

// Standard input has one reader.
void check_standard_input(const EvaluateFlags& flags) {
  int64_t uses = 0;
  for (const std::string* path : {&flags.data, &flags.source, &flags.reference, &flags.hypothesis})
    if (*path == data::kStandardInput) ++uses;
  if (uses > 1) throw InvalidArgument("standard input (-) can be read only once");
}

void check(const EvaluateFlags& flags) {
  check_standard_input(flags);
  if (!flags.columns.empty() && flags.data.empty())
    throw InvalidArgument("--columns are those of --data FILE");
  metrics::parse_tokenizer(flags.tokenizer);
  if (flags.rank_heads &&
      (flags.sentences || flags.by_length || flags.detokenised || flags.bootstrap > 0))
    throw InvalidArgument(
        "--rank-heads compares losses alone: it excludes --sentences, --by-length, --detokenised "
        "and --bootstrap");
  if (!flags.hypothesis.empty()) {
    if (flags.rank_heads || !flags.without_heads.empty())
      throw InvalidArgument("--rank-heads and --without-head need a model: --model DIR");
    if (!flags.model.folder.empty() || !flags.data.empty())
      throw InvalidArgument(
          "--hypothesis is scored without a model: it goes with --reference alone");
    if (flags.reference.empty()) throw InvalidArgument("--hypothesis H needs --reference B");
    if (flags.by_length && flags.source.empty())
      throw InvalidArgument("--by-length needs --source A: the lengths are those of the source");
    return;
  }
  if (flags.model.folder.empty())
    throw InvalidArgument("give --model DIR and pairs, or --hypothesis H and --reference B");
  if (!flags.data.empty() && (!flags.source.empty() || !flags.reference.empty()))
    throw InvalidArgument("give either --data FILE or --source A --reference B, not both");
  if (flags.source.empty() != flags.reference.empty())
    throw InvalidArgument("--source A and --reference B go together");
}

void add_inputs(CLI::App& command, EvaluateFlags& flags) {
  const auto file = [&](const char* name, std::string& value, const char* help) {
    command.add_option(name, value, help)->type_name("FILE");
  };
  file("--data", flags.data,
       "Pairs in columns; plain, .gz, or .zip; -: standard input. Default: those that training "
       "held out");
  command
      .add_option("--columns", flags.columns,
                  "Columns of source and target in --data, from 1, as in 2,4; without it those "
                  "that the model was trained on")
      ->type_name("N,N");
  file("--source", flags.source, "One sentence a line; with --reference");
  file("--reference", flags.reference, "Their reference translations, line by line");
  file("--hypothesis", flags.hypothesis,
       "Translations to score against --reference, without a model");
  command.add_option("--limit", flags.limit, "The first N pairs (0: all)")
      ->check(whole_number(0, int64_t{1} << 40));
}

void add_scoring(CLI::App& command, EvaluateFlags& flags) {
  command.add_flag("--detokenised", flags.detokenised,
                   "Score raw text (13a), not the model's own words");
  command
      .add_option("--tokenizer", flags.tokenizer,
                  "Of BLEU on text: none, 13a, intl, zh or char (sacreBLEU's)")
      ->capture_default_str();
  command.add_flag("--lowercase", flags.lowercase, "Of BLEU and chrF on text: case does not count");
  command.add_flag("--sentences", flags.sentences, "Each sentence too: go . => va !, bleu 1.000");
  command.add_flag("--by-length", flags.by_length, "BLEU by the length of the source");
  command
      .add_option("--bootstrap", flags.bootstrap,
                  "95 % intervals from N resamples, as in 1000 (0: none)")
      ->check(whole_number(0, 1000000));
  command.add_flag("--json", flags.json, "One JSON object");
}

void add_heads(CLI::App& command, EvaluateFlags& flags) {
  command
      .add_option("--without-head", flags.without_heads,
                  "Take this head, KIND.LAYER:HEAD, out, as in cross.2:1 (from 1); repeatable")
      ->type_name("HEAD")
      ->take_all()
      ->expected(1);
  command.add_flag("--rank-heads", flags.rank_heads,
                   "In place of scores: the loss without each head, the dearest first");
}

}  // namespace

void add_evaluate(CLI::App& app, Action& action) {
  auto flags = std::make_shared<EvaluateFlags>();
  CLI::App* command =
      app.add_subcommand("evaluate", "Score a model on pairs, or translations against references.");
  add_model_options(*command, flags->model);
  add_inputs(*command, *flags);
  add_scoring(*command, *flags);
  add_heads(*command, *flags);
  add_decoding_options(*command, flags->decoding);
  command->add_flag("--quiet", flags->quiet, "No progress and no notes; warnings stay");
  command->footer(
      "Examples:\n"
      "  attend evaluate --model my-model                     # on what training held out\n"
      "  attend evaluate --model my-model --data test.txt --sentences\n"
      "  attend evaluate --model my-model --rank-heads        # which heads matter\n"
      "  attend evaluate --hypothesis french.txt --reference reference.txt\n"
      "With a model, both sides are its own words (signature tok:none, case:lc), so that "
      "punctuation\n"
      "and case are as it writes them; --detokenised scores raw text, to compare with others. A\n"
      "source that stands in several pairs is scored pair by pair, with one reference each.");
  command->callback([flags, &action] {
    check(*flags);
    action = [flags] { return evaluate(*flags); };
  });
}

}  // namespace attend::cli
