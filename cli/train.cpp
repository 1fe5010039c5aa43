// attend train: from pairs to a model's folder.
#include <ATen/Context.h>
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <optional>

#include "attend/core/counted.h"
#include "attend/core/errors.h"
#include "attend/core/files.h"
#include "attend/core/processors.h"
#include "attend/data/text_bytes.h"
#include "attend/decoding/greedy.h"
#include "attend/decoding/unknown_words.h"
#include "attend/models/model_files.h"
#include "attend/ops/device.h"
#include "attend/render/curves.h"
#include "attend/render/text_metrics.h"
#include "attend/training/gradients.h"
#include "attend/training/metrics_log.h"
#include "attend/training/trainer.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/profile_table.h"
#include "cli/train_data.h"
#include "cli/train_folder.h"
#include "cli/train_progress.h"

namespace attend::cli {
namespace {

namespace fs = std::filesystem;

// A flag that stands for a key of the configuration. Its range is that of the key: the run stores
// what was asked for in a file that has to be readable again.
struct NumberFlag {
  const char* name = "";
  std::optional<std::string> value;

  void apply(const std::string& key, std::vector<core::ConfigTable>& tables) const {
    if (!value) return;
    try {
      core::set_config(key + "=" + *value, tables);
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(fmt::format("{}: {}", name, error.what()));
    }
  }
};

struct TrainFlags {
  std::string config;
  std::string data, source, target;
  std::string valid, valid_source, valid_target;
  std::string out, init;
  std::string device = "auto";
  std::map<std::string, NumberFlag> numbers;  // by key of the configuration
  std::vector<std::string> set;
  bool resume = false, overwrite = false, quiet = false, verbose = false, profile = false;
};

std::string absolute(const std::string& path) {
  return path.empty() || path == data::kStandardInput
             ? path
             : fs::absolute(path).lexically_normal().string();
}

// Default < config file or preset < --set < flags.
RunConfig configure(const TrainFlags& flags) {
  RunConfig config;
  if (flags.resume) {
    config.text = text::stored_defaults();
    read_run_config((fs::path(flags.out) / "config.toml").string(), config);
  } else if (!flags.config.empty()) {
    read_run_config(flags.config, config);
  }
  std::vector<core::ConfigTable> tables = config.tables();
  for (const auto& assignment : flags.set) core::set_config(assignment, tables);
  for (const auto& [key, flag] : flags.numbers) flag.apply(key, tables);

  data::DataConfig& d = config.data;
  if (!flags.data.empty() || !flags.source.empty() || !flags.target.empty())
    d.pairs = flags.data, d.source = flags.source, d.target = flags.target;
  if (!flags.valid.empty() || !flags.valid_source.empty() || !flags.valid_target.empty())
    d.valid_pairs = flags.valid, d.valid_source = flags.valid_source,
    d.valid_target = flags.valid_target;
  for (std::string* path : {&d.pairs, &d.source, &d.target, &d.valid_pairs, &d.valid_source,
                            &d.valid_target, &config.text.source_spm, &config.text.target_spm})
    *path = absolute(*path);
  if (flags.numbers.at("data.valid_share").value &&
      !(d.valid_pairs.empty() && d.valid_source.empty() && d.valid_target.empty()))
    throw InvalidArgument(
        "--valid-share has no effect here: the held-out pairs are those of " +
        (d.valid_pairs.empty() ? d.valid_source : d.valid_pairs) +
        "; leave it out, or leave out --valid (and data.valid_pairs of the configuration)");
  if (!flags.resume) text::check_effects(config.text);
  if (d.pairs.empty() && d.source.empty() && d.target.empty())
    throw InvalidArgument(
        "there is nothing to train on: name a file of pairs with --data FILE, or two files with "
        "--source A --target B");
  return config;
}

std::unique_ptr<Seq2Seq> build_model(RunConfig& config, const TrainData& data,
                                     const TrainFlags& flags) {
  auto built = make_model(with_texts(config.model, data.source, data.target, config.data.steps),
                          {.seed = static_cast<uint64_t>(config.training.seed),
                           .device = ops::choose_device(flags.device)});
  if (!flags.init.empty()) load_weights_into(flags.init, *built);
  return built;
}

training::DecodedValidation decode_samples(const Seq2Seq& model, const TrainData& data,
                                           const RunConfig& config) {
  training::DecodedValidation decoded;
  data::PackedIds source;
  std::vector<std::vector<std::string>> tokens(data.samples.size());
  for (size_t i = 0; i < tokens.size(); ++i)
    source.append(
        data::encode_source(data.source, data.samples[i].source, config.data.steps, &tokens[i])
            .ids);
  const text::SpecialIds& marks = data.target.special();
  const int64_t steps =
      config.decoding.max_steps > 0 ? config.decoding.max_steps : config.data.steps;
  const auto hypotheses = decoding::greedy(model, source, {steps, marks.begin, marks.end, false});
  std::vector<std::vector<decoding::UnknownWord>> unknown(hypotheses.size());
  if (config.decoding.replace_unknown && decoding::can_replace_unknown(model, data.target))
    unknown = decoding::unknown_words(model, {data.source, source, tokens}, hypotheses, marks);
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    std::vector<std::string> words;
    for (const decoding::UnknownWord& word : unknown[i]) words.push_back(word.text);
    decoded.samples.push_back({data.source.clean(data.samples[i].source),
                               data.target.clean(data.samples[i].target),
                               data.target.decode(hypotheses[i].ids, words)});
  }
  return decoded;
}

void draw_losses(const std::string& folder, const RunConfig& config, double floor) {
  const auto records = training::read_metrics((fs::path(folder) / "metrics.jsonl").string());
  render::Series train{"training", {}, {}}, held_out{"held out", {}, {}};
  for (const auto& record : records) {
    const auto epoch = static_cast<double>(record.epoch);
    if (record.train_loss) train.x.push_back(epoch), train.y.push_back(*record.train_loss);
    if (record.valid_loss) held_out.x.push_back(epoch), held_out.y.push_back(*record.valid_loss);
  }
  render::Curves curves;
  curves.title = "Loss of " + fs::path(folder).filename().string();
  curves.x_axis = "epoch";
  curves.y_axis = "cross-entropy (nats per target token)";
  curves.series.push_back(train);
  if (!held_out.x.empty()) curves.series.push_back(held_out);
  curves.log_y = true;  // the last epochs differ by little
  if (floor > 0.0) curves.references.push_back({"floor: sources with several targets", floor});
  core::write_file_atomic((fs::path(folder) / "loss.svg").string(), render::curves_to_svg(curves));
}

void announce(Console& console, const Seq2Seq& model, const TrainData& data, double floor,
              int threads, ops::Products products) {
  console.note(fmt::format(
      "training on {} ({}, end marks among them), held out {}; vocabularies of {} and {}",
      core::counted(data.train.size(), "pair"),
      core::counted(data.train.target.tokens(), "target token"), data.held_out.size(),
      data.source.vocabulary_size(), data.target.vocabulary_size()));
  console.note(fmt::format("{} parameters; {} {}; loss can't fall below {:.3f} on these pairs",
                           model.parameters().numel(), threads, threads == 1 ? "thread" : "threads",
                           floor));
  if (const std::string declined = training::training_step(model, products).declined;
      !declined.empty())
    console.note("training by autograd; attend's kernels decline: " + declined);
}

// Of the samples, the first that is short enough to be typed; else the beginning of one.
std::string example_sentence(const TrainData& data) {
  constexpr int kWidest = 70;
  std::string cut = "some text";
  for (const auto& sample : data.samples) {
    const std::string text = data.source.clean(sample.source);
    if (text == shown(text, kWidest)) return text;
    if (&sample == &data.samples.front()) cut = render::cut_to_width(text, kWidest, "");
  }
  return cut;
}

void conclude(Console& console, const training::TrainingResult& result, const TrainFlags& flags,
              const TrainData& data) {
  using End = training::TrainingResult::End;
  if (result.skipped > 0)
    console.note(fmt::format("{} skipped: {} gradient was not finite",
                             core::counted(result.skipped, "step was", "steps were"),
                             result.skipped == 1 ? "its" : "their"));
  if (result.end == End::kPatience) console.note("ended: the held-out loss has stopped falling");
  if (result.end == End::kStopped) {
    console.warn(
        fmt::format("stopped after {} epochs; the model so far is in {}. To go on:\n"
                    "  attend train --resume --out {}",
                    result.epochs, flags.out, shell_word(flags.out)));
    return;
  }
  if (result.best_weights)
    console.note(fmt::format("the weights kept are those of epoch {}, held-out loss {:.4f}",
                             result.best_epoch, *result.best_loss));
  const std::string example = example_sentence(data);
  console.note(
      fmt::format("the model is in {0}; the curve of the loss is {0}/loss.svg. Try:\n"
                  "  attend translate --model {1} {3}{2}\n"
                  "  attend map --model {1} {3}{2}",
                  flags.out, shell_word(flags.out), shell_quoted(example),
                  example.starts_with('-') ? "-- " : ""));
}

// A run that goes on may find its data gone: they are where they were when it began, if at all.
TrainData read_data(const RunConfig& config, const TrainFlags& flags,
                    const std::function<void(const std::string&)>& note,
                    const std::function<void(const std::string&)>& warn) {
  if (!flags.resume) return read_train_data(config, "", note, warn);
  const data::DataConfig& d = config.data;
  const std::pair<const char*, const std::string*> options[] = {
      {"--data", &d.pairs},
      {"--source", &d.source},
      {"--target", &d.target},
      {"--valid", &d.valid_pairs},
      {"--valid-source", &d.valid_source},
      {"--valid-target", &d.valid_target}};
  if (d.pairs == data::kStandardInput && flags.data.empty())
    throw InvalidArgument(
        "this run read its pairs from standard input: give them again, with --data FILE or --data "
        "-");
  try {
    return read_train_data(config, flags.out, note, warn);
  } catch (const DataError& error) {
    std::error_code ignored;
    for (const auto& [option, path] : options)
      if (*path == error.path() && !fs::exists(*path, ignored))
        throw DataError("", fmt::format("{}; if it was moved, say where it is: attend train "
                                        "--resume --out {} {} FILE",
                                        error.what(), shell_word(flags.out), option));
    throw;
  }
}

int train(const TrainFlags& flags) {
  if (flags.resume) check_resumable(flags.out);
  RunConfig config = configure(flags);
  Console console(flags.quiet);
  const auto note = [&](const std::string& line) { console.note(line); };

  const auto warn = [&](const std::string& line) { console.warn(line); };
  const TrainData data = read_data(config, flags, note, warn);
  const std::unique_ptr<Seq2Seq> model = build_model(config, data, flags);
  const std::string toml = core::print_config(config.tables());
  const auto write_config = [&] {
    core::write_file_atomic((fs::path(flags.out) / "config.toml").string(), toml);
  };
  if (!flags.resume) {
    prepare_folder(flags.out, flags.overwrite);
    write_config();
    data.source.save(flags.out);
    data.target.save(flags.out);
    if (!data.held_out_pairs.empty())
      core::write_file_atomic((fs::path(flags.out) / kHeldOutFile).string(),
                              data::pairs_text(data.held_out_pairs, config.data.reverse));
  }
  const double floor = data::loss_floor(data.train);
  announce(console, *model, data, floor, core::automatic_threads(config.training.threads),
           config.training.products);

  TrainProgress progress(console, config.training.epochs, flags.verbose);
  training::TrainerCallbacks callbacks;
  bool config_is_written = !flags.resume;
  callbacks.on_step = [&](const training::StepReport& r) {
    // Only now is it certain that a resumed run accepts what was changed on the command line.
    if (!config_is_written) write_config();
    config_is_written = true;
    progress.step(r);
  };
  callbacks.on_epoch = [&](const training::EpochRecord& r) { progress.epoch(r); };
  callbacks.on_validation = [&](const training::ValidationReport& r) { progress.validation(r); };
  callbacks.on_note = note;
  callbacks.decode = [&](const Seq2Seq& m) { return decode_samples(m, data, config); };
  training::StepProfile profile;
  const training::TrainingResult result = training::train(
      *model, config.training,
      {.train = &data.train, .held_out = data.held_out.size() > 0 ? &data.held_out : nullptr},
      {.folder = flags.out,
       .identity = identify(data.source, data.target, toml),
       .resume = flags.resume,
       .stop = &stop_on_signals(),
       .profile = flags.profile ? &profile : nullptr},
      callbacks);
  console.settle();
  draw_losses(flags.out, config, floor);
  if (!config_is_written && result.end == training::TrainingResult::End::kFinished)
    console.note(fmt::format(
        "nothing was left to do: all {} epochs are trained; --epochs takes more", result.epochs));
  conclude(console, result, flags, data);
  if (flags.profile) {
    Output output;
    output.write(profile_table(profile));
    output.finish();
  }
  return result.end == training::TrainingResult::End::kStopped ? 1 : 0;
}

}  // namespace

void add_train(CLI::App& app, Action& action) {
  auto flags = std::make_shared<TrainFlags>();
  CLI::App* command = app.add_subcommand("train", "Train a translator on sentence pairs.");
  const auto text = [&](const char* name, std::string& value, const char* help) {
    return command->add_option(name, value, help)->type_name("FILE");
  };
  const auto number = [&](const char* name, const char* key, const char* type, const char* help) {
    flags->numbers[key].name = name;
    command->add_option(name, flags->numbers[key].value, help)->type_name(type);
  };
  command
      ->add_option(
          "--config", flags->config,
          "A TOML file, or a preset: gru, bahdanau, transformer (the chapter's settings on "
          "600 pairs), demo, small-gru, small-bahdanau, small-transformer")
      ->type_name("FILE|PRESET");
  text("--data", flags->data,
       "Pairs in tab-separated columns; plain, .gz, or manythings' .zip; -: standard input");
  number("--columns", "data.columns", "N,N",
         "Columns of source and target in --data, from 1, as in 2,4; without it the first two");
  text("--source", flags->source, "One sentence a line; with --target, in place of --data");
  text("--target", flags->target, "Its translations, line by line");
  text("--valid", flags->valid, "Held-out pairs, in columns");
  text("--valid-source", flags->valid_source, "Held-out sentences; with --valid-target");
  text("--valid-target", flags->valid_target, "Their translations");
  number("--valid-share", "data.valid_share", "X",
         "Hold out this share of the distinct source sentences, as in 0.1");
  number("--limit", "data.limit", "N", "Use the first N pairs (0: all)");
  number("--sample", "data.sample", "N", "Use N pairs drawn by the seed (0: all)");
  command->add_option("--out", flags->out, "Folder for the model")->type_name("DIR")->required();
  number("--epochs", "training.epochs", "N", "Passes over the data");
  number("--seed", "training.seed", "N", "Of weights, order and dropout");
  number("--threads", "training.threads", "N",
         "0: as many as there are. Any number gives the same bits");
  command->add_option("--device", flags->device, "auto, cpu, cuda or mps")->capture_default_str();
  command
      ->add_option("--set", flags->set,
                   "Any key of the configuration, as in --set model.hidden=64; repeatable")
      ->type_name("KEY=VALUE")
      ->take_all()
      ->expected(1);
  command->add_option("--init", flags->init, "Begin with the weights of this model")
      ->type_name("DIR");
  command->add_flag("--resume", flags->resume, "Go on with the run in --out, bit for bit");
  command->add_flag("--overwrite", flags->overwrite, "Replace the model in --out");
  command->add_flag("--quiet", flags->quiet, "Print warnings only");
  command->add_flag("--verbose", flags->verbose, "Print a line for every epoch");
  command->add_flag("--profile", flags->profile,
                    "Print in the end where the steps' time went: seconds, share and GFLOP/s of "
                    "each zone");
  command->footer(
      "Examples:\n"
      "  attend train --config bahdanau --data fra.txt --out my-model\n"
      "  attend train --config gru --data fra.txt --epochs 20 --out x --profile\n"
      "What ran is stored as DIR/config.toml, every key explained;\n"
      "`--config DIR/config.toml` repeats the run. Ctrl-C stops cleanly; --resume goes on.");
  command->callback([flags, &action] {
    if (flags->resume && (flags->overwrite || !flags->config.empty() || !flags->init.empty()))
      throw InvalidArgument(
          "--resume goes on with the configuration in --out; it excludes --config, "
          "--init and --overwrite");
    if (flags->quiet && flags->verbose)
      throw InvalidArgument("--quiet and --verbose exclude each other");
    action = [flags] { return train(*flags); };
  });
}

}  // namespace attend::cli
