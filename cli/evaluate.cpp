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
#include "attend/decoding/config.h"
#include "attend/models/heads.h"
#include "attend/models/model_files.h"
#include "attend/ops/torch_threads.h"
#include "attend/training/gradients.h"
#include "attend/training/head_costs.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/evaluate_options.h"
#include "cli/evaluation.h"
#include "cli/head_ranking.h"
#include "cli/model_options.h"
#include "cli/output.h"
#include "cli/scoring.h"
#include "cli/source_warnings.h"
#include "cli/train_folder.h"

namespace attend::cli {
namespace {

std::string joined(const std::vector<std::string>& tokens) {
  std::string text;
  for (const auto& token : tokens) text += (text.empty() ? "" : " ") + token;
  return text;
}

std::vector<std::string> read_lines(const std::string& path, Console& console) {
  data::Lines lines = data::read_text_lines(path);
  SourceWarnings(console).mended(lines.mended, path);
  return std::move(lines.lines);
}

void require_equal(const std::string& path, size_t lines, const std::string& other, size_t others) {
  if (lines != others)
    throw DataError(path,
                    fmt::format("has {}, {} has {}; line n of one belongs to line n of the other",
                                core::counted(static_cast<int64_t>(lines), "line"), other, others));
}

// ----- with a model -----

// Without pairs on the command line, those that training held out.
std::string held_out_file(const std::string& folder) {
  const std::filesystem::path path = std::filesystem::path(folder) / kHeldOutFile;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    throw InvalidArgument("give pairs to evaluate on: --data FILE, or --source A --reference B (" +
                          folder + " was trained without held-out pairs)");
  return path.string();
}

data::Corpus read_model_pairs(const EvaluateFlags& flags, const LoadedModel& model,
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
  data::Corpus corpus = pairs.empty()
                            ? data::read_parallel(flags.source, flags.references.front(), options)
                            : data::read_pairs(pairs, options);
  if (corpus.report.has_news()) console.warn("attend: " + corpus.report.text());
  return corpus;
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

// The references behind the first, of each pair; none where there are no others.
std::vector<std::vector<std::string>> further_references(const EvaluateFlags& flags,
                                                         const data::Corpus& corpus,
                                                         Console& console) {
  const std::vector<data::Pair>& pairs = corpus.pairs;
  const auto lines = static_cast<size_t>(corpus.report.lines);
  std::vector<std::vector<std::string>> further(pairs.size());
  for (size_t r = 1; r < flags.references.size(); ++r) {
    const auto reference = read_lines(flags.references[r], console);
    require_equal(flags.references[r], reference.size(), flags.references.front(), lines);
    for (size_t i = 0; i < pairs.size(); ++i)
      further[i].push_back(reference[static_cast<size_t>(pairs[i].line - 1)]);
  }
  return further;
}

void translate_pairs(const std::shared_ptr<const LoadedModel>& model, const data::Corpus& corpus,
                     const EvaluateFlags& flags, Console& console, Evaluation& e) {
  const auto further = further_references(flags, corpus, console);
  const std::vector<data::Pair>& pairs = corpus.pairs;
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
    Evaluated s{.line = pairs[i].line,
                .source = joined(model->source.tokens(pairs[i].source)),
                .hypothesis = translations[i].text,
                .references = {pairs[i].target},
                .score = translations[i].score};
    s.references.insert(s.references.end(), further[i].begin(), further[i].end());
    if (e.tokenised) {
      s.hypothesis_words = joined(translations[i].tokens);
      for (const auto& reference : s.references)
        s.reference_words.push_back(joined(model->target.tokens(reference)));
    }
    e.sentences.push_back(std::move(s));
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
  const data::Corpus corpus = read_model_pairs(flags, *model, console);
  Evaluation e;
  e.without_heads = flags.without_heads;
  set_model_scoring(*model, flags.scoring, e);
  if (!flags.references.empty()) e.references = static_cast<int64_t>(flags.references.size());
  translate_pairs(model, corpus, flags, console, e);
  e.loss = model_loss(*model, corpus.pairs, flags);
  e.shared_sources = count_shared(*model, corpus.pairs);
  if (e.loss->cut > 0)
    console.warn(fmt::format("attend: {} {} cut to {} tokens for the loss; BLEU has them whole",
                             e.loss->cut, e.loss->cut == 1 ? "reference was" : "references were",
                             model->data_config.steps));
  return e;
}

HeadRanking rank_heads(const EvaluateFlags& flags, Console& console) {
  const std::shared_ptr<const LoadedModel> model = load(flags.model);
  const WithoutHeads without(*model->model, heads_to_remove(flags, *model));
  const data::Dataset dataset = encoded(*model, read_model_pairs(flags, *model, console).pairs);
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

Evaluation evaluate_files(const EvaluateFlags& flags, Console& console) {
  const auto hypotheses = read_lines(flags.hypothesis, console);
  std::vector<std::vector<std::string>> references;
  for (const auto& path : flags.references) {
    references.push_back(read_lines(path, console));
    if (references.back().empty()) throw DataError(path, "has no line to score against");
    require_equal(flags.hypothesis, hypotheses.size(), path, references.back().size());
  }
  std::vector<std::string> sources(hypotheses.size());
  if (!flags.source.empty()) {
    sources = read_lines(flags.source, console);
    require_equal(flags.source, sources.size(), flags.hypothesis, hypotheses.size());
  }
  Evaluation e;
  set_scoring(flags.scoring, e);
  e.references = static_cast<int64_t>(references.size());
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    if (flags.limit > 0 && static_cast<int64_t>(i) >= flags.limit) break;
    Evaluated s{.line = static_cast<int64_t>(i) + 1,
                .source = sources[i],
                .hypothesis = hypotheses[i],
                .references = {}};
    for (const auto& reference : references) s.references.push_back(reference[i]);
    e.sentences.push_back(std::move(s));
  }
  return e;
}

// ----- both -----

int evaluate(const EvaluateFlags& flags) {
  Console console(flags.quiet);
  Output output;
  if (flags.rank_heads) {
    const HeadRanking ranking = rank_heads(flags, console);
    output.write(flags.json ? to_json(ranking) : to_text(ranking));
    output.finish();
    return 0;
  }
  Evaluation e =
      flags.hypothesis.empty() ? evaluate_model(flags, console) : evaluate_files(flags, console);
  score(e, flags.by_length);
  if (flags.detokenised)
    console.note("--detokenised is no longer needed: the first BLEU is always that of the text");
  for (const auto& hint : e.text.bleu.hints) console.warn("attend: " + hint);
  if (e.shared_sources > 0)
    console.note(fmt::format("{} {} several references; each pair is scored by its own only",
                             e.shared_sources,
                             e.shared_sources == 1 ? "source has" : "sources have"));
  if (flags.json) {
    output.write(to_json(e, flags.sentences));
  } else {
    if (flags.sentences) output.write(sentences_text(e));
    output.write(summary_text(e, flags.sentences));
  }
  output.finish();
  return 0;
}

}  // namespace

void add_evaluate(CLI::App& app, Action& action) {
  auto flags = std::make_shared<EvaluateFlags>();
  CLI::App* command =
      app.add_subcommand("evaluate", "Score a model on pairs, or translations against references.");
  add_model_options(*command, flags->model);
  add_evaluate_options(*command, *flags);
  add_decoding_options(*command, flags->decoding);
  command->add_flag("--quiet", flags->quiet, "No progress and no notes; warnings stay");
  command->footer(
      "Examples:\n"
      "  attend evaluate --model my-model                     # on what training held out\n"
      "  attend evaluate --model my-model --data test.txt --sentences\n"
      "  attend evaluate --model my-model --rank-heads        # which heads matter\n"
      "  attend evaluate --hypothesis french.txt --reference reference.txt\n"
      "BLEU and chrF are of the translation as text against the reference as it was given (13a),\n"
      "so that any two models can be compared; for a model that writes lower case, without regard\n"
      "to case too. \"tokenised BLEU\" is over the words of the model's own pipeline, to which "
      "the\n"
      "reference goes too (tok:none). Loss and perplexity are per target token, and the end mark\n"
      "is one. A source that stands in several pairs is scored pair by pair.");
  command->callback([flags, command, &action] {
    check_evaluate_options(*command, *flags);
    action = [flags] { return evaluate(*flags); };
  });
}

}  // namespace attend::cli
