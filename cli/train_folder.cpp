#include "cli/train_folder.h"

#include <array>
#include <filesystem>
#include <string_view>

#include "attend/core/errors.h"
#include "attend/core/files.h"

namespace attend::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 10> kOurs = {
    kHeldOutFile, "config.toml", "source.vocab",           "target.vocab",  "source.spm",
    "target.spm", "loss.svg",    "checkpoint.safetensors", "metrics.jsonl", "model.safetensors"};

fs::path in(const std::string& folder, std::string_view name) { return fs::path(folder) / name; }

}  // namespace

void prepare_folder(const std::string& folder, bool overwrite) {
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_directory(folder, error))
    throw DataError(folder, "is a file; --out names a folder");
  const bool empty = !fs::exists(folder, error) || fs::is_empty(folder, error);
  if (!empty && !overwrite)
    throw DataError(folder,
                    "is there already: choose another --out, go on with --resume, or replace the "
                    "model in it with --overwrite");
  if (!empty && !fs::exists(in(folder, "config.toml"), error))
    throw DataError(folder,
                    "is not empty and holds no model (no config.toml); nothing was removed");
  core::make_folder(folder);
  for (const auto name : kOurs) {
    fs::remove(in(folder, name), error);
    if (error) throw DataError(in(folder, name).string(), "can't be removed: " + error.message());
  }
}

void check_resumable(const std::string& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error))
    throw DataError(folder, "there is no such folder to resume");
  for (const char* name : {"config.toml", "checkpoint.safetensors"})
    if (!fs::exists(in(folder, name), error))
      throw DataError(in(folder, name).string(),
                      "is missing, so this run can't be resumed; begin again with --overwrite");
}

}  // namespace attend::cli
