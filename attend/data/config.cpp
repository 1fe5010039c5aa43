#include "attend/data/config.h"

#include "attend/core/errors.h"
#include "attend/data/corpus.h"
#include "attend/data/text_bytes.h"

namespace attend::data {
namespace {

constexpr int64_t kMostPairs = int64_t{1} << 40;

/// The three keys that name one set of pairs.
struct Names {
  const char* pairs;
  const char* source;
  const char* target;
};

/// Which of the two forms a table uses; throws when it mixes them or names one file of two.
enum class Form { kNone, kColumns, kParallel };

Form form_of(const std::string& pairs, const std::string& source, const std::string& target,
             const Names& names) {
  if (!pairs.empty() && (!source.empty() || !target.empty()))
    throw InvalidArgument(std::string("[data] expected either ") + names.pairs + " or " +
                          names.source + " and " + names.target + ", found both");
  if (source.empty() != target.empty())
    throw InvalidArgument(std::string("[data] expected ") + names.source + " and " + names.target +
                          " together, found only " +
                          (source.empty() ? names.target : names.source));
  if (!pairs.empty()) return Form::kColumns;
  return source.empty() ? Form::kNone : Form::kParallel;
}

/// With `reverse` the files keep their names' meaning: source is what the file `source` holds, then
/// both are swapped.
Corpus read(Form form, const std::string& pairs, const std::string& source,
            const std::string& target, ReadOptions options) {
  if (form == Form::kColumns) return read_pairs(pairs, options);
  options.columns.reset();  // those of the other set, if of any
  return read_parallel(source, target, options);
}

void check_columns(const DataConfig& config) {
  if (!config.columns.empty() && config.pairs.empty() && config.valid_pairs.empty())
    throw InvalidArgument(
        "[data] data.columns are those of data.pairs; found data.source and data.target");
}

void check_standard_input(const DataConfig& config) {
  int64_t uses = 0;
  for (const std::string* path : {&config.pairs, &config.source, &config.target,
                                  &config.valid_pairs, &config.valid_source, &config.valid_target})
    if (*path == kStandardInput) ++uses;
  if (uses > 1)
    throw InvalidArgument("[data] standard input (-) can be read only once, found it " +
                          std::to_string(uses) + " times");
}

}  // namespace

core::ConfigTable describe(DataConfig& config) {
  core::ConfigTable table("data", "Where the sentence pairs are, and which of them are used");
  table
      .add("pairs", config.pairs,
           "File of sentence pairs: source, tab, target on each line; a third column is ignored.\n"
           "Plain text, .gz, or a .zip as manythings.org has them. Or give source and target "
           "instead.")
      .add("columns", config.columns,
           "Columns of pairs that hold source and target, from 1, as in \"2,4\" for a file with "
           "ids. "
           "Empty:\n"
           "the first two.")
      .add("source", config.source, "File of source sentences, one a line; plain or .gz.")
      .add("target", config.target, "File of their translations, line by line.")
      .add("valid_pairs", config.valid_pairs,
           "Held-out pairs, in the form of pairs: for validation, never trained on.")
      .add("valid_source", config.valid_source, "Held-out source sentences, in the form of source.")
      .add("valid_target", config.valid_target, "Their translations.")
      .add("valid_share", config.valid_share,
           "Share of the distinct source sentences to hold out, with all their translations, when "
           "no\n"
           "held-out file is given. 0: validate on nothing.",
           0.0, 0.9)
      .add("limit", config.limit, "Use the first N usable pairs alone. 0: all.", 0, kMostPairs)
      .add("sample", config.sample,
           "Use N pairs drawn at random (by the seed, after limit). 0: all.", 0, kMostPairs)
      .add("steps", config.steps,
           "Longest sentence in tokens, the end mark included. Longer ones are cut, and counted. A "
           "cut\n"
           "target has no end mark, so that no model learns to stop in the middle of a sentence; "
           "where\n"
           "most are cut, it hardly learns to stop at all.",
           1, 100000)
      .add("reverse", config.reverse,
           "Swap the two sides: translate the second language into the first.");
  return table;
}

namespace {

Form training_form(const DataConfig& config) {
  const Form form = form_of(config.pairs, config.source, config.target,
                            {"data.pairs", "data.source", "data.target"});
  if (form == Form::kNone)
    throw InvalidArgument(
        "[data] expected data.pairs, or data.source and data.target, found neither");
  return form;
}

Form validation_form(const DataConfig& config) {
  return form_of(config.valid_pairs, config.valid_source, config.valid_target,
                 {"data.valid_pairs", "data.valid_source", "data.valid_target"});
}

}  // namespace

void check_sources(const DataConfig& config) {
  training_form(config);
  validation_form(config);
  check_columns(config);
  parse_columns(config.columns);
  check_standard_input(config);
}

Corpus read_training(const DataConfig& config, uint64_t seed) {
  check_sources(config);
  return read(training_form(config), config.pairs, config.source, config.target,
              {.limit = config.limit,
               .sample = config.sample,
               .seed = seed,
               .swap = config.reverse,
               .columns = parse_columns(config.columns)});
}

Corpus read_validation(const DataConfig& config) {
  const Form form = validation_form(config);
  if (form == Form::kNone) return {};
  return read(form, config.valid_pairs, config.valid_source, config.valid_target,
              {.swap = config.reverse, .columns = parse_columns(config.columns)});
}

}  // namespace attend::data
