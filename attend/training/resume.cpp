#include "attend/training/resume.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "attend/core/config_lines.h"
#include "attend/core/errors.h"
#include "attend/core/files.h"
#include "attend/core/utf8.h"

namespace attend::training {
namespace {

constexpr std::array<std::string_view, 4> kMayChange = {
    "training.epochs", "training.patience", "training.threads", "training.checkpoint_seconds"};

template <class T>
std::string fingerprint_of(const std::vector<T>& values) {
  return core::fingerprint(
      {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
}

std::string fingerprint_of(const data::PackedIds& packed) {
  return fingerprint_of(packed.ids) + fingerprint_of(packed.offsets);
}

bool may_change(std::string_view key) {
  return std::find(kMayChange.begin(), kMayChange.end(), key) != kMayChange.end();
}

}  // namespace

std::string run_lines(TrainingConfig config) {
  std::string kept;
  for (const std::string& line : core::split_lines(core::config_lines({describe(config)})))
    if (!line.empty() && !may_change(line.substr(0, line.find(' ')))) kept += line + "\n";
  return kept;
}

std::string data_fingerprint(const data::Dataset& train, const data::Dataset* held_out) {
  std::string all = fingerprint_of(train.source) + fingerprint_of(train.target);
  if (held_out != nullptr)
    all += fingerprint_of(held_out->source) + fingerprint_of(held_out->target);
  return core::fingerprint(all);
}

void check_same_run(const RunIdentity& stored, const RunIdentity& present, const std::string& path,
                    const std::function<void(const std::string&)>& note) {
  const auto folder = std::filesystem::path(path).parent_path();
  check_identity(stored.model, present.model, path, (folder / "source vocabulary").string(),
                 (folder / "target vocabulary").string());
  std::string refused;
  for (const auto& d : core::config_differences(stored.training, present.training)) {
    if (may_change(d.key)) continue;
    if (d.key == "training.learning_rate") {
      if (note) note("learning_rate is now " + d.present + ", it was " + d.stored);
      continue;
    }
    refused += " " + d.key + " = " + d.stored + " (now " + d.present + ")";
  }
  if (!refused.empty())
    throw DataError(path, "the run that is to be resumed had other settings:" + refused +
                              "; take them back, or begin a new run");
  if (stored.data != present.data)
    throw DataError(path, "the run that is to be resumed had other training or held-out pairs");
}

}  // namespace attend::training
