#include "cli/model_options.h"

#include "attend/core/errors.h"
#include "attend/models/model_files.h"
#include "attend/ops/device.h"

namespace attend::cli {

void add_model_options(CLI::App& command, ModelOptions& options) {
  command.add_option("--model", options.folder, "Folder of a trained model")->type_name("DIR");
  command.add_option("--device", options.device, "auto, cpu, cuda or mps")->capture_default_str();
  command.add_option("--threads", options.threads, "0: as many as there are; changes no result")
      ->check(CLI::Range(0, 1024));
}

void add_decoding_options(CLI::App& command, int64_t& max_steps, int64_t& batch_size) {
  command
      .add_option("--max-steps", max_steps,
                  "Longest translation in tokens, the end mark included (0: the model's)")
      ->check(CLI::Range(0, 1000000));
  command.add_option("--batch-size", batch_size, "Sentences at once; changes no result")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
}

std::shared_ptr<const LoadedModel> load(const ModelOptions& options) {
  if (options.folder.empty())
    throw InvalidArgument("which model? Name its folder with --model DIR");
  return std::make_shared<LoadedModel>(
      load_model(options.folder, ops::choose_device(options.device)));
}

void require_attention(const LoadedModel& model, const std::string& folder) {
  if (model.model->config().kind == ModelKind::kGru)
    throw DataError(folder, "this model has no attention, so there is no map to draw");
}

}  // namespace attend::cli
