// Trains a model: epochs of steps, validation, metrics.jsonl, checkpoints, resume. It prints
// nothing; what happens is told through callbacks.
//
//   const training::TrainingResult result =
//       training::train(model, config, {.train = &pairs, .held_out = &others},
//                       {.folder = "out", .identity = identify(source, target, toml)});
//
// Files in the folder: model.safetensors (weights to use), checkpoint.safetensors (the run, to
// resume), clock.json (how long it has trained) and metrics.jsonl (an object an epoch). Each is
// written atomically: when the first step is about to begin, by time, at a stop and at the end.
// config.toml and the vocabularies are the caller's. The folder is locked meanwhile: two runs that
// write to one would spoil each other's files.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "attend/core/folder_lock.h"
#include "attend/data/dataset.h"
#include "attend/models/seq2seq.h"
#include "attend/models/weights_file.h"
#include "attend/training/config.h"
#include "attend/training/metrics_log.h"
#include "attend/training/step_profile.h"

namespace attend::training {

struct TrainingData {
  const data::Dataset* train = nullptr;
  const data::Dataset* held_out = nullptr;  ///< null: no held-out loss
};

struct TrainerOptions {
  std::string folder;      ///< there already
  ModelIdentity identity;  ///< stored with the weights; attend::identify
  bool resume = false;     ///< go on from the folder's checkpoint; false: begin anew
  const std::atomic<bool>* stop = nullptr;  ///< once true: save and return after the present step
  StepProfile* profile = nullptr;           ///< counts where the steps' time goes; null: nothing
  const core::FolderLock* lock = nullptr;   ///< the folder's, where the caller holds it already
};

struct StepReport {
  int64_t epoch = 0;   ///< from 1
  int64_t epochs = 0;  ///< in all
  int64_t batch = 0;   ///< in the epoch, from 1
  int64_t batches = 0;
  int64_t step = 0;         ///< of the run, from 1
  double loss = 0.0;        ///< of this batch, nats per real target token
  double epoch_loss = 0.0;  ///< mean over the epoch so far
  double learning_rate = 0.0;
  double gradient_norm = 0.0;      ///< before clipping
  int64_t tokens = 0;              ///< real target tokens of the epoch so far
  double tokens_per_second = 0.0;  ///< of the epoch so far; training time only
  double seconds = 0.0;            ///< of training since the run began
  double eta_seconds = 0.0;        ///< of training to the last epoch, at this session's speed
  double peak_rss_mb = 0.0;
  int64_t skipped = 0;  ///< steps of the run whose gradient was not finite
};

struct SampleTranslation {
  std::string source;
  std::string reference;
  std::string translation;
};

/// What decoding adds to a validation; from the caller, since it knows the texts.
struct DecodedValidation {
  std::vector<SampleTranslation> samples;
  std::optional<double> bleu;
};

struct ValidationReport {
  int64_t epoch = 0;
  std::optional<double> loss;  ///< none without held-out pairs
  bool best = false;  ///< lower than every loss before; the earlier of equal ones stays best
  DecodedValidation decoded;
};

/// Any of these may be empty. They are called on the thread of train(), outside of the time that is
/// counted as training. What they throw ends the run.
struct TrainerCallbacks {
  std::function<void(const StepReport&)> on_step;
  std::function<void(const EpochRecord&)> on_epoch;  ///< the line of metrics.jsonl, once written
  std::function<void(const ValidationReport&)> on_validation;
  /// A sentence for the log: a skipped step, a changed learning rate, where a run resumes.
  std::function<void(const std::string&)> on_note;
  /// Called at each validation, with or without held-out pairs; without gradients.
  std::function<DecodedValidation(const Seq2Seq&)> decode;
};

struct TrainingResult {
  enum class End { kFinished, kStopped, kPatience };
  End end = End::kFinished;
  int64_t epochs = 0;  ///< complete ones
  int64_t steps = 0;
  int64_t skipped = 0;
  std::optional<double> best_loss;  ///< lowest held-out loss
  int64_t best_epoch = 0;           ///< where it was, from 1; 0: none
  bool best_weights = false;        ///< model.safetensors holds those, not the last ones
};

/// A sentence when the learning rate is still rising as the run ends, so that it never reaches the
/// value that the schedule is built around; else "".
std::string warm_up_warning(const TrainingConfig& config, const data::Dataset& train);

/// So many gradients in a row that are not finite end a run.
inline constexpr int64_t kMostSkippedInRow = 20;

/// The model's weights are where training begins, unless it resumes; afterwards it holds those of
/// the last step. The same bits come out at any number of threads, and whether or not the run was
/// stopped, even killed, and resumed on the way.
///
/// Throws InvalidArgument without data, and DataError when another process writes to the folder,
/// when a file can't be written or read, when
/// the checkpoint is of another run (naming the keys that differ; epochs, patience, threads,
/// checkpoint_seconds and learning_rate may), after kMostSkippedInRow skipped steps, and when an
/// update left weights that are not finite (naming the tensor). The last checkpoint stays usable.
TrainingResult train(Seq2Seq& model, const TrainingConfig& config, const TrainingData& data,
                     const TrainerOptions& options, const TrainerCallbacks& callbacks = {});

}  // namespace attend::training
