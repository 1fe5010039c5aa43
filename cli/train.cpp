// attend train: from pairs to a model's folder.
#include <ATen/Context.h>
#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "attend/core/counted.h"
#include "attend/core/errors.h"
#include "attend/core/files.h"
#include "attend/core/processors.h"
#include "attend/decoding/greedy.h"
#include "attend/decoding/unknown_words.h"
#include "attend/models/init_model.h"
#include "attend/models/model_files.h"
#include "attend/ops/device.h"
#include "attend/ops/out_of_memory.h"
#include "attend/render/curves.h"
#include "attend/render/text_metrics.h"
#include "attend/training/gradients.h"
#include "attend/training/metrics_log.h"
#include "attend/training/trainer.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/profile_table.h"
#include "cli/train_checks.h"
#include "cli/train_flags.h"
#include "cli/train_folder.h"
#include "cli/train_progress.h"

namespace attend::cli {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<Seq2Seq> build_model(RunConfig& config, const TrainData& data,
                                     const TrainFlags& flags, Console& console) {
  auto built = make_model(with_texts(config.model, data.source, data.target, config.data.steps),
                          {.seed = static_cast<uint64_t>(config.training.seed),
                           .device = ops::choose_device(flags.device)});
  check_memory(*built, config);
  if (flags.init.empty()) return built;
  const std::string doubt =
      load_weights_into(flags.init, *built, config.text, data.source, data.target);
  if (!doubt.empty()) console.note(doubt);
  const auto known = [](int64_t unknown, int64_t tokens) {
    return tokens > 0 ? 100.0 * static_cast<double>(tokens - unknown) / static_cast<double>(tokens)
                      : 100.0;
  };
  const data::Dataset& train = data.train;  // each of its sentences has an end mark, or was cut
  console.note(fmt::format(
      "weights and vocabularies begin as those of {}, which has {:.1f} % of the source tokens and "
      "{:.1f} % of the target tokens of these pairs",
      flags.init, known(train.report.unknown_source_tokens, train.source.tokens() - train.size()),
      known(train.report.unknown_target_tokens, train.target.tokens() - train.size())));
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
  curves.title = "Loss of " + folder_name(folder);
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
  // Of zero there is nothing to say: every loss is above it.
  const std::string bound =
      floor > 0.0 ? fmt::format(
                        "; loss can't fall below {:.{}f} on these pairs, whose sources have "
                        "several targets",
                        floor, floor < 0.001 ? 6 : 3)
                  : "";
  console.note(fmt::format("{} parameters; {} {}{}", model.parameters().numel(), threads,
                           threads == 1 ? "thread" : "threads", bound));
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

// The files of a new run's folder that are written once.
void begin_folder(const TrainFlags& flags, const TrainData& data, const RunConfig& config,
                  const std::string& toml) {
  check_folder(flags.out, flags.overwrite);  // now that nobody else can change it
  clear_folder(flags.out);
  const fs::path folder = flags.out;
  core::write_file_atomic((folder / "config.toml").string(), toml);
  data.source.save(flags.out);
  data.target.save(flags.out);
  if (!data.held_out_pairs.empty())
    core::write_file_atomic((folder / kHeldOutFile).string(),
                            data::pairs_text(data.held_out_pairs, config.data.reverse));
}

training::TrainingResult run_training(Seq2Seq& model, const TrainData& data,
                                      const RunConfig& config,
                                      const training::TrainerOptions& options,
                                      const training::TrainerCallbacks& callbacks) {
  try {
    return training::train(
        model, config.training,
        {.train = &data.train, .held_out = data.held_out.size() > 0 ? &data.held_out : nullptr},
        options, callbacks);
  } catch (const std::exception& error) {
    if (!ops::is_out_of_memory(error)) throw;
    throw DataError(options.folder,
                    fmt::format("training {} weights ({}) found no more memory; less is needed by "
                                "a smaller model or batch, and the last checkpoint stays usable",
                                ops::bytes_text(model.parameters().numel() *
                                                static_cast<int64_t>(sizeof(float))),
                                memory_keys(config)));
  }
}

int train(const TrainFlags& flags) {
  RunConfig config = checked_configuration(flags);
  std::optional<core::FolderLock> lock;  // from here to the end: nobody else writes there
  if (fs::is_directory(flags.out)) lock.emplace(flags.out);
  Console console(flags.quiet);
  const auto note = [&](const std::string& line) { console.note(line); };

  const TrainData data = read_data(config, flags, console);
  const std::unique_ptr<Seq2Seq> model = build_model(config, data, flags, console);
  const std::string toml = core::print_config(config.tables());
  core::make_folder(flags.out);
  if (!lock) lock.emplace(flags.out);
  if (!flags.resume) begin_folder(flags, data, config, toml);
  const double floor = data::loss_floor(data.train);
  announce(console, *model, data, floor, core::automatic_threads(config.training.threads),
           config.training.products);
  if (const std::string doubt = training::warm_up_warning(config.training, data.train);
      !doubt.empty())
    console.warn("attend: " + doubt);

  stop_without_readers();
  TrainProgress progress(console, config.training.epochs, flags.verbose);
  training::TrainerCallbacks callbacks;
  bool config_is_written = !flags.resume;
  callbacks.on_step = [&](const training::StepReport& r) {
    // Only now is it certain that a resumed run accepts what was changed on the command line.
    if (!config_is_written)
      core::write_file_atomic((fs::path(flags.out) / "config.toml").string(), toml);
    config_is_written = true;
    progress.step(r);
  };
  callbacks.on_epoch = [&](const training::EpochRecord& r) { progress.epoch(r); };
  callbacks.on_validation = [&](const training::ValidationReport& r) { progress.validation(r); };
  callbacks.on_note = note;
  callbacks.decode = [&](const Seq2Seq& m) { return decode_samples(m, data, config); };
  training::StepProfile profile;
  const training::TrainingResult result =
      run_training(*model, data, config,
                   {.folder = flags.out,
                    .identity = identify(data.source, data.target, toml),
                    .resume = flags.resume,
                    .stop = &stop_on_signals(),
                    .profile = flags.profile ? &profile : nullptr,
                    .lock = &*lock},
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
  command
      ->add_option("--init", flags->init,
                   "Begin with the weights and vocabularies of this model, and, without --config, "
                   "its settings of [text] and [model]")
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
      "  attend train --config small-bahdanau --data mine.txt --out my-model\n"
      "  attend train --config gru --data fra.txt --epochs 20 --out x --profile\n"
      "  attend train --init my-model --data more.txt --out my-model-2\n"
      "What ran is stored as DIR/config.toml, every key explained;\n"
      "`--config DIR/config.toml` repeats the run. Ctrl-C stops cleanly; --resume goes on.");
  command->callback([flags, &action] {
    if (flags->resume && (flags->overwrite || !flags->config.empty() || !flags->init.empty()))
      throw InvalidArgument(
          "--resume goes on with the configuration in --out; it excludes --config, "
          "--init and --overwrite");
    if (flags->quiet && flags->verbose)
      throw InvalidArgument("--quiet and --verbose exclude each other");
    flags->out = without_slash(flags->out);
    flags->init = without_slash(flags->init);
    action = [flags] { return train(*flags); };
  });
}

}  // namespace attend::cli
