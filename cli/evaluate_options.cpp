#include "cli/evaluate_options.h"

#include <algorithm>

#include "attend/core/errors.h"
#include "attend/data/text_bytes.h"
#include "attend/metrics/tokenise.h"
#include "cli/numbers.h"
#include "cli/option_guard.h"

namespace attend::cli {
namespace {

// Standard input has one reader.
void check_standard_input(const EvaluateFlags& flags) {
  int64_t uses = std::count(flags.references.begin(), flags.references.end(), data::kStandardInput);
  for (const std::string* path : {&flags.data, &flags.source, &flags.hypothesis})
    if (*path == data::kStandardInput) ++uses;
  if (uses > 1) throw InvalidArgument("standard input (-) can be read only once");
}

void check_without_model(const CLI::App& command, const EvaluateFlags& flags) {
  if (flags.rank_heads || !flags.without_heads.empty())
    throw InvalidArgument("--rank-heads and --without-head need a model: --model DIR");
  if (!flags.model.folder.empty() || !flags.data.empty())
    throw InvalidArgument(
        "--hypothesis is scored without a model: it goes with --reference, and with neither "
        "--model nor --data");
  if (flags.references.empty()) throw InvalidArgument("--hypothesis H needs --reference B");
  refuse_given(command,
               {"--device", "--threads", "--max-steps", "--batch-size", "--replace-unknown",
                "--keep-unknown"},
               "it is of a model, and --hypothesis is scored without one");
  if (flags.by_length && flags.source.empty())
    throw InvalidArgument("--by-length needs --source A: the lengths are those of the source");
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
  command
      .add_option("--reference,--target", flags.references,
                  "Their reference translations, line by line; repeatable: each line is scored "
                  "against all of them")
      ->type_name("FILE")
      ->take_all()
      ->expected(1);
  file("--hypothesis", flags.hypothesis,
       "Translations to score against --reference, without a model");
  command.add_option("--limit", flags.limit, "The first N pairs (0: all)")
      ->check(whole_number(0, int64_t{1} << 40));
}

void add_scoring(CLI::App& command, EvaluateFlags& flags) {
  // Of earlier versions, and what is done without it now.
  command.add_flag("--detokenised", flags.detokenised)->group("");
  command
      .add_option("--tokenizer", flags.scoring.tokenizer,
                  "Of BLEU on text: none, 13a, intl, zh or char (sacreBLEU's)")
      ->capture_default_str();
  command.add_flag("--lowercase", flags.scoring.lowercase,
                   "Of BLEU and chrF on text: case does not count");
  command.add_flag("--sentences", flags.sentences,
                   "Each sentence too, with its sentence BLEU (sacreBLEU's) and the book's BLEU");
  command.add_flag("--by-length", flags.by_length, "BLEU by the length of the source");
  command
      .add_option("--bootstrap", flags.scoring.bootstrap,
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

void add_evaluate_options(CLI::App& command, EvaluateFlags& flags) {
  add_inputs(command, flags);
  add_scoring(command, flags);
  add_heads(command, flags);
}

void check_evaluate_options(const CLI::App& command, const EvaluateFlags& flags) {
  check_standard_input(flags);
  if (!flags.columns.empty() && flags.data.empty())
    throw InvalidArgument("--columns are those of --data FILE");
  metrics::parse_tokenizer(flags.scoring.tokenizer);
  if (!flags.hypothesis.empty()) return check_without_model(command, flags);
  if (flags.rank_heads)
    refuse_given(command,
                 {"--sentences", "--by-length", "--detokenised", "--bootstrap", "--tokenizer",
                  "--lowercase", "--max-steps", "--replace-unknown", "--keep-unknown"},
                 "--rank-heads compares losses, and translates nothing");
  if (flags.model.folder.empty())
    throw InvalidArgument("give --model DIR and pairs, or --hypothesis H and --reference B");
  if (!flags.data.empty() && (!flags.source.empty() || !flags.references.empty()))
    throw InvalidArgument("give either --data FILE or --source A --reference B, not both");
  if (flags.source.empty() != flags.references.empty())
    throw InvalidArgument("--source A and --reference B go together");
  if (flags.rank_heads && flags.references.size() > 1)
    throw InvalidArgument(
        "--rank-heads takes one --reference: a loss is that of one target, not of several");
}

}  // namespace attend::cli
