#include "cli/train_folder.h"

#include <array>
#include <filesystem>
#include <string_view>

#include "attend/core/errors.h"
#include "attend/core/folder_lock.h"

namespace attend::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 11> kOurs = {
    kHeldOutFile,    "config.toml",       "source.vocab", "target.vocab",
    "source.spm",    "target.spm",        "loss.svg",     "checkpoint.safetensors",
    "metrics.jsonl", "model.safetensors", "clock.json"};

fs::path in(const std::string& folder, std::string_view name) { return fs::path(folder) / name; }

// But for the lock, which every run makes first and a killed one leaves behind.
bool is_empty(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().filename() != core::kFolderLockFile) return false;
  if (error) throw DataError(folder, "can't be read: " + error.message());
  return true;
}

}  // namespace

void check_folder(const std::string& folder, bool overwrite) {
  std::error_code error;
  if (!fs::exists(folder, error)) return;
  if (!fs::is_directory(folder, error)) throw DataError(folder, "is a file; --out names a folder");
  if (is_empty(folder)) return;
  if (!overwrite)
    throw DataError(folder,
                    "is there already: choose another --out, go on with --resume, or replace the "
                    "model in it with --overwrite");
  if (!fs::exists(in(folder, "config.toml"), error))
    throw DataError(folder,
                    "is not empty and holds no model (no config.toml); nothing was removed");
}

void clear_folder(const std::string& folder) {
  std::error_code error;
  for (const auto name : kOurs) {
    fs::remove(in(folder, name), error);
    if (error) throw DataError(in(folder, name).string(), "can't be removed: " + error.message());
  }
}

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

std::string folder_name(const std::string& folder) {
  std::error_code error;
  const fs::path whole = fs::absolute(folder, error).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
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
