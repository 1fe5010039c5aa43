// attend info: the machine and the build, a model, or a configuration.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "attend/core/errors.h"
#include "attend/core/processors.h"
#include "attend/kernels/isa.h"
#include "attend/models/seq2seq.h"
#include "attend/training/gradients.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/model_options.h"
#include "cli/model_report.h"
#include "cli/output.h"
#include "cli/run_config.h"
#include "cli/system_report.h"

namespace attend::cli {
namespace {

struct InfoFlags {
  ModelOptions model;
  std::string config;
  bool json = false;
};

std::string list(const std::vector<std::string>& words, const char* between = " ") {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::string system_text(const SystemReport& report) {
  std::string text = fmt::format("attend     {}\nLibTorch   {}\ncompiler   {}\nsystem     {}\n",
                                 report.version, report.libtorch, report.compiler, report.platform);
  if (!report.processor.empty()) text += "processor  " + report.processor + "\n";
  text +=
      fmt::format("ISA        {}; LibTorch uses {}, our kernels {}\n", list(report.isa),
                  report.libtorch_isa, report.kernel_isa.empty() ? "are off" : report.kernel_isa);
  text +=
      fmt::format("kernels    can run on {} (ATTEND_FORCE_ISA); ATTEND_FUSED=0 turns them off\n",
                  list(report.kernel_isas, ", "));
  text += "bfloat16   " +
          (report.bfloat16.empty() ? std::string("this processor has instructions for its products")
                                   : report.bfloat16) +
          "\n";
  text += fmt::format(
      "threads    {} by default: the processors that this process may use, within its quota.\n"
      "           Training takes as many of them as a batch has shards: one below 128 target\n"
      "           tokens, two from there on, one more for each further 1,024, at most 16.\n"
      "           Any number gives the same bits\n",
      report.threads);
  text += fmt::format("device     {} by default; CUDA: {}, MPS: {}\n", report.device,
                      report.cuda ? "yes" : "no", report.mps ? "yes" : "no");
  text += fmt::format("PNG        {}\n", report.png ? "yes" : "no (built without librsvg)");
  text += "presets    " + list(preset_names(), ", ") +
          "; `attend info --config NAME` prints one, every key explained\n";
  return text;
}

std::string system_json(const SystemReport& report) {
  const nlohmann::ordered_json json = {{"attend", report.version},
                                       {"libtorch", report.libtorch},
                                       {"compiler", report.compiler},
                                       {"system", report.platform},
                                       {"processor", report.processor},
                                       {"isa", report.isa},
                                       {"libtorch_isa", report.libtorch_isa},
                                       {"kernel_isa", report.kernel_isa},
                                       {"kernel_isas", report.kernel_isas},
                                       {"bfloat16", report.bfloat16.empty()},
                                       {"threads", report.threads},
                                       {"device", report.device},
                                       {"cuda", report.cuda},
                                       {"mps", report.mps},
                                       {"png", report.png},
                                       {"presets", preset_names()}};
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// Whether a configuration trains by kernels. What decides does not hang on the vocabularies, so
// small ones do.
std::string training_text(RunConfig config) {
  config.model.source_vocabulary = config.model.target_vocabulary = 8;
  config.model.longest = config.data.steps;
  const auto model = make_model(config.model, {});
  const std::string declined = training::training_step(*model, config.training.products).declined;
  const int threads = core::automatic_threads(config.training.threads);
  return fmt::format("this configuration trains {}, on {} by default",
                     declined.empty() ? "by kernels for " + kernels::active_isa()
                                      : "by autograd (kernels decline: " + declined + ")",
                     fmt::format("{} {}", threads, threads == 1 ? "thread" : "threads"));
}

int info(const InfoFlags& flags) {
  Output output;
  if (!flags.config.empty()) {
    RunConfig config;
    output.write(print_run_config(flags.config, config));
    Console().note(training_text(config));
  } else if (flags.model.folder.empty()) {
    const SystemReport report = system_report();
    output.write(flags.json ? system_json(report) : system_text(report));
  } else {
    const auto model = load(flags.model);
    output.write(flags.json ? model_json(*model, flags.model.folder)
                            : model_text(*model, flags.model.folder));
  }
  output.finish();
  return 0;
}

}  // namespace

void add_info(CLI::App& app, Action& action) {
  auto flags = std::make_shared<InfoFlags>();
  CLI::App* command = app.add_subcommand(
      "info", "Show versions and machine, a model's parameters, or a configuration.");
  CLI::Option* model = command->add_option("--model", flags->model.folder,
                                           "Folder of a trained model: a tree of its parameters, "
                                           "its configuration and vocabularies");
  model->type_name("DIR");
  command
      ->add_option("--config", flags->config,
                   "Print a preset, or a TOML file, in full with every key explained: a start for "
                   "your own; and, to standard error, whether it trains by kernels")
      ->type_name("FILE|PRESET")
      ->excludes(model);
  command->add_flag("--json", flags->json, "One JSON object");
  command->footer(
      "Examples:\n"
      "  attend info\n"
      "  attend info --model my-model\n"
      "  attend info --config bahdanau > mine.toml");
  command->callback([flags, &action] {
    if (flags->json && !flags->config.empty())
      throw InvalidArgument("a configuration is TOML: --config and --json exclude each other");
    action = [flags] { return info(*flags); };
  });
}

}  // namespace attend::cli
