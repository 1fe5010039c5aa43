#include "cli/run_config.h"

#include <sys/stat.h>

#include <algorithm>

#include "attend/core/errors.h"
#include "attend/core/file_format.h"
#include "attend/core/nearest.h"
#include "cli/presets.h"

namespace attend::cli {
namespace {

// Other than a folder: "bahdanau" names the preset, also beside a model's folder of that name. A
// link that leads nowhere counts, for reading it says so.
bool is_file(const std::string& path) {
  struct stat found;
  if (stat(path.c_str(), &found) == 0) return !S_ISDIR(found.st_mode);
  return lstat(path.c_str(), &found) == 0 && S_ISLNK(found.st_mode);
}

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

struct ConfigText {
  std::string toml;
  std::string name;  // for messages
};

ConfigText find_config(const std::string& file_or_preset) {
  if (is_file(file_or_preset)) return {core::read_text_file(file_or_preset), file_or_preset};
  for (const auto& [name, toml] : presets())
    if (name == file_or_preset) return {std::string(toml), "preset " + file_or_preset};
  throw DataError(file_or_preset, "there is no such file, and no such preset" +
                                      core::did_you_mean(file_or_preset, preset_names()) +
                                      " (presets: " + list(preset_names()) + ")");
}

// The comment that a file begins with, up to the first blank line. One that ends at a table is the
// table's own.
std::string heading_of(const std::string& toml) {
  size_t end = 0;
  while (end < toml.size() && toml[end] == '#')
    end = std::min(toml.find('\n', end), toml.size() - 1) + 1;
  return end < toml.size() && toml[end] == '\n' ? toml.substr(0, end) : "";
}

}  // namespace

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const auto& preset : presets()) names.emplace_back(preset.first);
  return names;
}

bool is_preset(const std::string& file_or_preset) {
  if (is_file(file_or_preset)) return false;
  const std::vector<std::string> names = preset_names();
  return std::find(names.begin(), names.end(), file_or_preset) != names.end();
}

void read_run_config(const std::string& file_or_preset, RunConfig& config) {
  const ConfigText text = find_config(file_or_preset);
  std::vector<core::ConfigTable> tables = config.tables();
  core::read_config(text.toml, text.name, tables);
}

std::string print_run_config(const std::string& file_or_preset, RunConfig& config) {
  const ConfigText text = find_config(file_or_preset);  // once: it may be a pipe
  std::vector<core::ConfigTable> tables = config.tables();
  core::read_config(text.toml, text.name, tables);
  const std::string heading = heading_of(text.toml);
  return heading + (heading.empty() ? "" : "\n") + core::print_config(tables);
}

}  // namespace attend::cli
