#include "cli/model_options.h"

#include "attend/core/errors.h"
#include "attend/models/model_files.h"
#include "attend/ops/device.h"
#include "cli/console.h"
#include "cli/numbers.h"
#include "cli/train_folder.h"

namespace attend::cli {

void add_model_options(CLI::App& command, ModelOptions& options) {
  command.add_option("--model", options.folder, "Folder of a trained model")->type_name("DIR");
  command.add_option("--device", options.device, "auto, cpu, cuda or mps")->capture_default_str();
  command.add_option("--threads", options.threads, "0: as many as there are; changes no result")
      ->check(whole_number(0, 1024));
}

TranslateOptions DecodingFlags::options() const {
  return {.max_steps = max_steps, .batch_size = batch_size, .replace_unknown = replace_unknown};
}

void add_decoding_options(CLI::App& command, DecodingFlags& flags, bool many_lines) {
  command
      .add_option("--max-steps", flags.max_steps,
                  "Longest translation in tokens, the end mark included (0: the model's)")
      ->check(whole_number(0, 1000000));
  CLI::Option* replace = command.add_flag_callback(
      "--replace-unknown", [&flags] { flags.replace_unknown = true; },
      "An unknown word becomes the source word most attended to (default: the model's [decoding])");
  command
      .add_flag_callback(
          "--keep-unknown", [&flags] { flags.replace_unknown = false; }, "Or it stays <unk>")
      ->excludes(replace);
  if (!many_lines) return;
  command
      .add_option("--batch-size", flags.batch_size,
                  "Sentences at once; changes no result (default: the model's [decoding])")
      ->check(whole_number(1, 1000000));
}

std::shared_ptr<const LoadedModel> load(const ModelOptions& options) {
  if (options.folder.empty())
    throw InvalidArgument("which model? Name its folder with --model DIR");
  auto model = std::make_shared<LoadedModel>(
      load_model(without_slash(options.folder), ops::choose_device(options.device)));
  if (!model->note.empty()) Console().note(model->note);
  return model;
}

void require_attention(const LoadedModel& model, const std::string& folder) {
  if (model.model->config().kind == ModelKind::kGru)
    throw DataError(folder, "this model has no attention, so there is no map to draw");
}

}  // namespace attend::cli
