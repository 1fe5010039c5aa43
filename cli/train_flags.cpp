#include "cli/train_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <utility>

#include "attend/core/counted.h"
#include "attend/core/errors.h"
#include "attend/data/text_bytes.h"
#include "attend/models/init_model.h"
#include "cli/train_checks.h"
#include "cli/train_folder.h"

namespace attend::cli {
namespace {

namespace fs = std::filesystem;

std::string absolute(const std::string& path) {
  return path.empty() || path == data::kStandardInput
             ? path
             : fs::absolute(path).lexically_normal().string();
}

// What a run that begins with a model's weights takes from it, where no configuration is named.
void take_tables(const std::string& folder, RunConfig& config) {
  const InitTables tables = read_init_tables(folder);
  config.text = tables.text;
  config.model = tables.model;
  config.data.steps = tables.steps;
}

// Default < config file, preset or --init's model < --set < flags.
RunConfig configure(const TrainFlags& flags) {
  RunConfig config;
  if (flags.resume) {
    config.text = text::stored_defaults();
    read_run_config((fs::path(flags.out) / "config.toml").string(), config);
  } else if (!flags.config.empty()) {
    read_run_config(flags.config, config);
  } else if (!flags.init.empty()) {
    take_tables(flags.init, config);
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
  if (!flags.resume && flags.init.empty()) text::check_effects(config.text);
  if (d.pairs.empty() && d.source.empty() && d.target.empty())
    throw InvalidArgument(
        "there is nothing to train on: name a file of pairs with --data FILE, or two files with "
        "--source A --target B");
  return config;
}

// A run that goes on may find its data gone: they are where they were when it began, if at all.
TrainData read_of_flags(const RunConfig& config, const TrainFlags& flags, Console& console) {
  const auto note = [&](const std::string& line) { console.note(line); };
  const auto warn = [&](const std::string& line) { console.warn(line); };
  if (!flags.resume) return read_train_data(config, flags.init, note, warn);
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

bool asks_for_limit(const TrainFlags& flags) {
  if (flags.numbers.at("data.limit").value) return true;
  return std::any_of(flags.set.begin(), flags.set.end(), [](const std::string& assignment) {
    const std::string key = assignment.substr(0, assignment.find('='));
    return key == "data.limit" || key == "limit";
  });
}

// A preset that takes the chapter's pairs must not cut a user's data unnoticed.
void tell_of_limit(Console& console, const TrainFlags& flags, const RunConfig& config,
                   const TrainData& data) {
  const int64_t limit = config.data.limit;
  if (flags.resume || asks_for_limit(flags) || limit == 0 || config.data.sample > 0 ||
      data.not_taken == 0)
    return;
  console.note(fmt::format("{} takes {} {} and there are {}; --limit 0 for all",
                           flags.config.empty() ? "data.limit" : flags.config,
                           is_preset(flags.config) ? "the chapter's first" : "the first",
                           core::counted(limit, "pair") + ",", limit + data.not_taken));
}

}  // namespace

void NumberFlag::apply(const std::string& key, std::vector<core::ConfigTable>& tables) const {
  if (!value) return;
  try {
    core::set_config(key + "=" + *value, tables);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(fmt::format("{}: {}", name, error.what()));
  }
}

RunConfig checked_configuration(const TrainFlags& flags) {
  if (flags.resume)
    check_resumable(flags.out);
  else
    check_folder(flags.out, flags.overwrite);
  RunConfig config = configure(flags);
  check_run(config, flags.device);
  if (!flags.resume) check_files(config);
  if (!flags.init.empty()) check_init(flags.init, {config.text, config.model, config.data.steps});
  return config;
}

TrainData read_data(const RunConfig& config, const TrainFlags& flags, Console& console) {
  TrainData data = read_of_flags(config, flags, console);
  tell_of_limit(console, flags, config, data);
  return data;
}

}  // namespace attend::cli
