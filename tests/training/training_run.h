// One run of train() in a folder of its own, and what is left of it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "attend/core/files.h"
#include "attend/training/trainer.h"
#include "tests/training/tiny_model.h"

namespace attend::training {

/// A folder that goes away with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "attend-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw InternalError("mkdtemp failed");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// 50 pairs in batches of 8: 7 batches an epoch, with dropout.
struct RunSettings {
  TrainingConfig config;
  double dropout = 0.3;
  bool held_out = false;
  bool resume = false;
  int64_t stop_after = 0;  ///< steps in this call; 0: to the end
  StepProfile* profile = nullptr;
  TrainerCallbacks callbacks;
  ModelIdentity identity{"model.hidden = 8\n", "aaaa", "bbbb", kTinyVocabulary, kTinyVocabulary};
  data::Dataset train = tiny_dataset(50);

  RunSettings() {
    config.epochs = 4;
    config.batch_size = 8;
    config.threads = 1;
  }
};

struct RunResult {
  TrainingResult result;
  std::vector<double> weights;
};

inline RunResult run_training(const std::string& folder, RunSettings settings,
                              Seq2Seq* given = nullptr) {
  TinyModel own(settings.dropout);
  Seq2Seq& model = given != nullptr ? *given : own;
  std::atomic<bool> stop = false;
  int64_t steps = 0;
  TrainerCallbacks callbacks = settings.callbacks;
  callbacks.on_step = [&](const StepReport& report) {
    if (settings.callbacks.on_step) settings.callbacks.on_step(report);
    if (++steps == settings.stop_after) stop = true;
  };
  const data::Dataset held_out = tiny_dataset(9, 77);
  RunResult run;
  run.result =
      train(model, settings.config,
            {.train = &settings.train, .held_out = settings.held_out ? &held_out : nullptr},
            {.folder = folder,
             .identity = settings.identity,
             .resume = settings.resume,
             .stop = &stop,
             .profile = settings.profile},
            callbacks);
  run.weights = values_of(model.parameters().flat());
  return run;
}

}  // namespace attend::training
